import type { Clock } from '../kit/clock.ts';
import type { Finding } from './askApi.ts';
import type { CallbackDeps, CallbackFormat } from './callbackFormat.ts';
import type { ApiDeps } from './http.ts';
import type { AnyOutbound, Provider } from './provider.ts';

/** What a provider's folder offers. `Settings` are what its variables say. */
export interface ProviderKind<Message extends AnyOutbound, Settings> {
  open(settings: Settings, deps: ProviderDeps): OpenProvider<Message>;
  /** Asks the provider whether it knows us, with a call that sends nothing and changes nothing. */
  check(settings: Settings, deps: ApiDeps): Promise<Finding[]>;
  /** Null: they are not set up. Absent: it makes none. */
  callbacks?(settings: Settings, deps: CallbackDeps): CallbackFormat | null;
}

export interface ProviderDeps extends ApiDeps {
  clock: Clock;
  /** For what others compare with their own clocks. */
  wallClock: Clock;
  publicUrl: string;
  /** The first signs, and all of them verify. */
  secretKeys: readonly string[];
}

/** `close` ends kept connections of its own. */
export type OpenProvider<Message extends AnyOutbound> = Provider<Message> & { close?(): void };

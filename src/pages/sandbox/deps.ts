import type { Pool } from '../../db/pool.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import type { CarrierReport, carrierReports } from '../../sandbox/carrier.ts';
import type { readClock } from '../../sandbox/clock.ts';
import type { reportBy, TypedMessage } from '../../sandbox/reports.ts';
import type { Site } from '../kit/page.tsx';
import type { SandboxAccess } from './guard.ts';

export interface SandboxDeps {
  site: Site;
  access: SandboxAccess;
  pool: Pool;
  clock: Clock;
  log: Log;
  /** The demo business's key, which anyone with access to the sandbox can see; null if there is none. */
  apiKeyHint?: () => string | null;
  /** Both resolve to false if there is no such business. */
  textInbound(typed: TypedMessage): Promise<boolean>;
  whatsappInbound(typed: TypedMessage): Promise<boolean>;
  /** The person opens a message in the inbox. Resolves to false if there is no such message. */
  open(messageId: string): Promise<boolean>;
  /** Resolves to whether the provider has such a message. */
  report(report: Parameters<typeof reportBy>[1]): Promise<boolean>;
  /** Resolves to what followed; null: the order has no such shipment. */
  reportTracking(report: CarrierReport): ReturnType<typeof carrierReports>;
  /** Resolves to the new time, once nothing due is left. */
  advanceClock(to: Date): Promise<Date>;
  clockState(): Promise<ClockState>;
  /** The token of a link that signs in to the demo shop's dashboard, once; null if there is no demo shop. */
  demoSignInToken(): Promise<string | null>;
}

export type ClockState = Awaited<ReturnType<typeof readClock>>;

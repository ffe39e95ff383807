import type { Clock } from '../kit/clock.ts';
import { parseJsonText } from '../kit/json.ts';
import type { Log } from '../kit/log.ts';
import type { CallbackContent } from './callbackContent.ts';
import type { SnsCalls } from './ses/callback.ts';

/** What is known of a callback before its body. */
export interface CallbackRequest {
  /** By its name in lower case; undefined: it is missing, or repeated, which proves nothing. */
  header(name: string): string | undefined;
  /** The raw query with its question mark: signatures cover the exact text. */
  search: string;
}

/** Null: the provider did not make the request. `not understood`: it did, but saying it again does not help (422). */
type CallbackReading = CallbackContent | 'not understood' | null;

/** How the requests of a provider are recognised and read. */
export interface CallbackFormat {
  /** The last part of its address; the provider's name by default. */
  path?: string;
  /** The largest body. */
  bytesMax: number;
  /** Whether the headers can be the provider's. Checked before a byte of the body is read, because anyone can send one. */
  mayBeGenuine(request: CallbackRequest): boolean;
  read(request: CallbackRequest, body: Buffer): CallbackReading | Promise<CallbackReading>;
  /** How a request is refused that the provider did not make; 403 by default. */
  refusal?: 401;
  /** What is answered in place of a 5xx, by a provider that would not send the callback again after one. */
  unavailable?: 429;
  /** An empty 200 by default. */
  answer?: { type: string; body: string } | 204;
  /** What a GET of the address answers, if the provider asks for it so; null: somebody else asked. */
  handshake?(query: URLSearchParams): string | null;
}

export interface CallbackDeps {
  publicUrl: string;
  /** The first signs, and all of them verify. */
  secretKeys: readonly string[];
  sns: SnsCalls;
  /** Providers sign with the wall clock. */
  wallClock: Clock;
  log: Log;
}

/** Below PUBLIC_URL, to be entered with the provider. */
export const callbackPath = (provider: string): string => `/callbacks/${provider}`;

export const KiB = 1024;

export const jsonIn = (body: Buffer): unknown => parseJsonText(body.toString('utf8'));

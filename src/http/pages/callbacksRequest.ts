import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Tally } from '../../callbacks/hear.ts';
import type { Heard } from '../../callbacks/heard.ts';
import type { SnsCalls } from '../../callbacks/snsCalls.ts';
import type { ProviderSettings } from '../../config/providers.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import type { CallbackProvider } from '../../providers/callbackPaths.ts';
import type { Faults } from '../../providers/faults.ts';

export interface CallbackDeps {
  settings: ProviderSettings;
  publicUrl: string;
  hear(provider: CallbackProvider, heard: Heard): Promise<Tally>;
  sns: SnsCalls;
  faults: Faults;
  /** For signatures, whose makers go by the wall clock. */
  wallClock: Clock;
  log: Log;
  observe(provider: CallbackProvider, outcome: string, count: number): void;
}

/** What a route is given to answer with. */
export interface Callback extends CallbackDeps {
  /** Hears it and counts it. Throws when it could not be written down: then the provider will tell it again. */
  take(provider: CallbackProvider, heard: Heard): Promise<void>;
  /** A request that its provider did not make. */
  refuse(provider: CallbackProvider, reply: FastifyReply, status?: 401 | 403): FastifyReply;
}

export const bytesOf = (request: FastifyRequest): Buffer =>
  Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);

/** A header that comes once; a repeated one proves nothing. */
export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** The query as it came, with its question mark: signatures cover it to the letter. */
export function searchOf({ originalUrl }: FastifyRequest): string {
  const at = originalUrl.indexOf('?');
  return at === -1 ? '' : originalUrl.slice(at);
}

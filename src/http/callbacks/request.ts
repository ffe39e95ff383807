import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CallbackContent } from '../../callbacks/callbackContent.ts';
import type { CallbackTally } from '../../callbacks/handleCallback.ts';
import type { SnsCalls } from '../../callbacks/sns.ts';
import type { ProviderSettings } from '../../config/providers.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import type { Faults } from '../../providers/faults.ts';
import { CALLBACK_PATHS, type CallbackProvider } from '../../providers/provider.ts';
import { ANYONE_WEIGHT } from '../admission.ts';
import { admitAs, noCapacity } from '../readBody.ts';

export interface CallbackDeps {
  settings: ProviderSettings;
  publicUrl: string;
  handle(provider: CallbackProvider, heard: CallbackContent): Promise<CallbackTally>;
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
  accept(provider: CallbackProvider, heard: CallbackContent): Promise<void>;
  /** A request that its provider did not make. */
  refuse(provider: CallbackProvider, reply: FastifyReply, status?: 401 | 403): FastifyReply;
}

const KiB = 1024;

/**
 * The most that each provider sends. Meta bundles up to 3 MB. SNS takes messages of 256 KiB, which grow when they are put
 * into JSON as text. Postmark passes on what a bounce said; the others send a few fields.
 */
const BODY_MAX: Record<CallbackProvider, number> = {
  meta: 4_096 * KiB,
  ses: 768 * KiB,
  postmark: 512 * KiB,
  resend: 256 * KiB,
  twilio: 128 * KiB,
};

interface CallbackRoute {
  /** Whether the head can be the provider's. It is asked before a byte of the body is read, which anyone can send. */
  mayBeGenuine(request: FastifyRequest): boolean;
  refuse(reply: FastifyReply): FastifyReply;
  handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

/** The address that a provider posts to. Its bodies count as the provider's own, so that no one else is refused for them. */
export function callbackRoute(
  app: FastifyInstance,
  provider: CallbackProvider,
  { mayBeGenuine, refuse, handle }: CallbackRoute,
): void {
  app.post(
    CALLBACK_PATHS[provider],
    {
      bodyLimit: BODY_MAX[provider],
      onRequest: async (request, reply) => {
        if (!mayBeGenuine(request)) return refuse(reply);
        if (admitAs(request, `callbacks of ${provider}`, ANYONE_WEIGHT) === null) throw noCapacity();
      },
    },
    handle,
  );
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

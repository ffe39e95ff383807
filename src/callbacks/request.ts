import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ANYONE_WEIGHT } from '../api/admission.ts';
import { admitAs, noCapacity } from '../api/readBody.ts';
import type { ProviderSettings } from '../config/providers.ts';
import type { Clock } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import type { TraceSpan } from '../kit/tracing.ts';
import type { CallbackContent } from '../providers/callbackContent.ts';
import type { Faults } from '../providers/faults.ts';
import { CALLBACK_PATHS, type CallbackProvider } from '../providers/provider.ts';
import type { SnsCalls } from '../providers/ses/callback.ts';
import type { CallbackTally } from './handleCallback.ts';

export interface CallbackDeps {
  settings: ProviderSettings;
  publicUrl: string;
  handle(
    provider: CallbackProvider,
    content: CallbackContent,
    span: TraceSpan | null,
  ): Promise<CallbackTally>;
  sns: SnsCalls;
  faults: Faults;
  /** Providers sign with the wall clock. */
  wallClock: Clock;
  log: Log;
  observe(provider: CallbackProvider, outcome: string, count: number): void;
}

/** What a callback route works with. */
export interface Callback extends CallbackDeps {
  /** Handles and counts a callback. Throws if it could not be stored: then the provider sends it again. */
  accept(request: FastifyRequest, provider: CallbackProvider, content: CallbackContent): Promise<void>;
  /** Refuses a request that the provider did not make. */
  refuse(provider: CallbackProvider, reply: FastifyReply, status?: 401 | 403): FastifyReply;
}

const KiB = 1024;

/**
 * The largest body of each provider. Meta bundles up to 3 MB. SNS messages have up to 256 KiB, which grow when
 * they are escaped as JSON text. Postmark includes the bounce message; the others send a few fields.
 */
const BODY_MAX: Record<CallbackProvider, number> = {
  meta: 4_096 * KiB,
  ses: 768 * KiB,
  postmark: 512 * KiB,
  resend: 256 * KiB,
  twilio: 128 * KiB,
};

interface CallbackRoute {
  /**
   * Whether the headers can be the provider's. Checked before a byte of the body is read, because anyone can send
   * one.
   */
  mayBeGenuine(request: FastifyRequest): boolean;
  refuse(reply: FastifyReply): FastifyReply;
  handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

/**
 * A provider's callback route. Its bodies count against the provider's own share, so that they crowd out nobody
 * else.
 */
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

/** A header that occurs once; a repeated one proves nothing. */
export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** The raw query with its question mark: signatures cover the exact text. */
export function searchOf({ originalUrl }: FastifyRequest): string {
  const at = originalUrl.indexOf('?');
  return at === -1 ? '' : originalUrl.slice(at);
}

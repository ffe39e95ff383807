import type { FastifyInstance, FastifyReply } from 'fastify';
import { ANYONE_WEIGHT } from '../api/admission.ts';
import { admitAs, bodyParser, noCapacity } from '../api/readBody.ts';
import type { ProviderSettings } from '../config/providers.ts';
import { type Clock, MINUTE } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import type { TraceSpan } from '../kit/tracing.ts';
import type { CallbackContent } from '../providers/callbackContent.ts';
import { handshake } from '../providers/meta/callback.ts';
import { CALLBACK_PATHS, type CallbackProvider } from '../providers/provider.ts';
import type { SnsCalls } from '../providers/ses/callback.ts';
import {
  type CallbackFormat,
  metaFormat,
  postmarkFormat,
  resendFormat,
  searchOf,
  sesFormat,
  twilioFormat,
} from './formats.ts';
import type { CallbackTally } from './handleCallback.ts';

interface CallbackDeps {
  settings: ProviderSettings;
  publicUrl: string;
  /** Throws if the callback could not be stored: then the provider sends it again. */
  handle(
    provider: CallbackProvider,
    content: CallbackContent,
    span: TraceSpan | null,
  ): Promise<CallbackTally>;
  sns: SnsCalls;
  /** Providers sign with the wall clock. */
  wallClock: Clock;
  log: Log;
  observe(provider: CallbackProvider, outcome: string, count: number): void;
}

/** The log mentions refused callbacks at most this often, because anyone can send them. */
const REFUSALS_LOGGED_EVERY_MS = MINUTE;

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

/** One route per configured provider. Bodies stay bytes, because signatures cover the bytes. */
export function callbackRoutes(deps: CallbackDeps) {
  return (app: FastifyInstance): void => {
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(
        '*',
        bodyParser((body) => body),
      );
      const refuse = refuser(deps);
      for (const [provider, format] of formatsOf(deps)) addRoute(scope, deps, provider, format, refuse);
      const { whatsapp } = deps.settings;
      if (whatsapp.provider !== 'meta') return;
      scope.get(CALLBACK_PATHS.meta, async (request, reply) => {
        const challenge = handshake(whatsapp.verifyToken, new URLSearchParams(searchOf(request)));
        if (challenge === null) return refuse('meta', reply);
        return reply.type('text/plain; charset=utf-8').send(challenge);
      });
    });
  };
}

function formatsOf({ settings, publicUrl, wallClock, ...deps }: CallbackDeps) {
  const { email, sms, whatsapp } = settings;
  const formats = new Map<CallbackProvider, CallbackFormat>();
  for (const one of [whatsapp, sms])
    if (one.provider === 'twilio') formats.set('twilio', twilioFormat(one.account, publicUrl));
  if (whatsapp.provider === 'meta') formats.set('meta', metaFormat(whatsapp));
  if (email.provider === 'ses' && email.topics.length > 0) formats.set('ses', sesFormat(email, deps));
  if (email.provider === 'postmark' && email.webhook) formats.set('postmark', postmarkFormat(email.webhook));
  if (email.provider === 'resend' && email.webhookSecret)
    formats.set('resend', resendFormat(email.webhookSecret, wallClock));
  return formats;
}

type Refuse = (provider: CallbackProvider, reply: FastifyReply, status?: 401 | 403) => FastifyReply;

/** Its bodies count against the provider's own share, so that they crowd out nobody else. */
function addRoute(
  scope: FastifyInstance,
  { handle, observe, log }: CallbackDeps,
  provider: CallbackProvider,
  { mayBeGenuine, read, refusal, respond }: CallbackFormat,
  refuse: Refuse,
): void {
  scope.post(
    CALLBACK_PATHS[provider],
    {
      bodyLimit: BODY_MAX[provider],
      onRequest: async (request, reply) => {
        if (!mayBeGenuine(request)) return refuse(provider, reply, refusal);
        if (admitAs(request, `callbacks of ${provider}`, ANYONE_WEIGHT) === null) throw noCapacity();
      },
    },
    async (request, reply) => {
      const content = await read(request, Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
      if (content === null) return refuse(provider, reply, refusal);
      const tally = await handle(provider, content, request.span);
      for (const [outcome, count] of Object.entries(tally)) if (count > 0) observe(provider, outcome, count);
      if (tally.unknown > 0) log.info({ provider, reports: tally.unknown }, 'callback for unknown sends');
      return respond ? respond(reply) : reply.code(200).send();
    },
  );
}

function refuser({ observe, wallClock, log }: CallbackDeps): Refuse {
  const loggedAt = new Map<CallbackProvider, number>();
  return (provider, reply, status = 403) => {
    observe(provider, 'refused', 1);
    const now = wallClock.now().getTime();
    if (now - (loggedAt.get(provider) ?? 0) > REFUSALS_LOGGED_EVERY_MS) {
      loggedAt.set(provider, now);
      log.warn({ provider }, 'callback refused: wrong signature or password');
    }
    if (status === 401) reply.header('www-authenticate', 'Basic');
    return reply.code(status).type('text/plain; charset=utf-8').send('This is not signed as it should be.\n');
  };
}

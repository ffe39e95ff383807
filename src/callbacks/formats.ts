import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SesSettings } from '../config/providersEmail.ts';
import type { MetaSettings, TwilioAccount } from '../config/providersPaid.ts';
import type { Clock } from '../kit/clock.ts';
import { parseJsonText } from '../kit/json.ts';
import type { Log } from '../kit/log.ts';
import { type CallbackContent, contentOf } from '../providers/callbackContent.ts';
import { isFromMeta, mayBeMetaSignature, parseMetaCallback } from '../providers/meta/callback.ts';
import { isFromPostmark, parsePostmarkCallback } from '../providers/postmark/callback.ts';
import { CALLBACK_PATHS } from '../providers/provider.ts';
import {
  isFromResend,
  mayBeSvixSignature,
  parseResendCallback,
  type SvixHeaders,
} from '../providers/resend/callback.ts';
import { readSesEvent, type SnsCalls } from '../providers/ses/callback.ts';
import {
  cachedCertificates,
  isFromSns,
  isSnsType,
  isSnsUrl,
  readSns,
} from '../providers/ses/snsSignature.ts';
import { TWILIO_REFERENCE } from '../providers/twilio/api.ts';
import { isFromTwilio, mayBeTwilioSignature, parseTwilioCallback } from '../providers/twilio/callback.ts';

/** How the requests of a provider are recognised and read. */
export interface CallbackFormat {
  /** Whether the headers can be the provider's. Checked before a byte of the body is read, because anyone can send one. */
  mayBeGenuine(request: FastifyRequest): boolean;
  /** Null: the provider did not make the request. */
  read(request: FastifyRequest, body: Buffer): CallbackContent | null | Promise<CallbackContent | null>;
  /** How a request is refused that the provider did not make. */
  refusal?: 401;
  /** An empty 200 by default. */
  respond?(reply: FastifyReply): FastifyReply;
}

const jsonIn = (body: Buffer): unknown => parseJsonText(body.toString('utf8'));

/** A header that occurs once; a repeated one proves nothing. */
function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** The raw query with its question mark: signatures cover the exact text. */
export function searchOf({ originalUrl }: FastifyRequest): string {
  const at = originalUrl.indexOf('?');
  return at === -1 ? '' : originalUrl.slice(at);
}

const UNSUBSCRIBED = 'A topic of SES_SNS_TOPICS no longer sends its events here: subscribe it again.';

/** Events of Amazon SES, delivered by Amazon SNS. Anyone can subscribe a topic to this URL: only the configured topics count. */
export function sesFormat(
  { topics }: SesSettings,
  { sns, log }: { sns: SnsCalls; log: Log },
): CallbackFormat {
  const load = cachedCertificates(sns.loadCertificate);
  return {
    mayBeGenuine: (request) =>
      isSnsType(headerOf(request, 'x-amz-sns-message-type')) &&
      topics.includes(headerOf(request, 'x-amz-sns-topic-arn') ?? ''),
    async read(_request, body) {
      const message = readSns(jsonIn(body));
      if (message === null || !topics.includes(message.topic) || !(await isFromSns(message, load)))
        return null;
      switch (message.type) {
        case 'Notification':
          return readSesEvent(message);
        case 'SubscriptionConfirmation':
          if (message.subscribeUrl === null || !isSnsUrl(message.subscribeUrl)) return null;
          await sns.confirm(message.subscribeUrl);
          log.info({ provider: 'ses' }, 'SNS subscription confirmed');
          return contentOf({});
        default:
          return contentOf({ faults: [{ channel: 'email', about: 'sns', sentence: UNSUBSCRIBED }] });
      }
    },
  };
}

/** Deliveries, bounces and complaints from Postmark. */
export const postmarkFormat = (webhook: { user: string; password: string }): CallbackFormat => ({
  mayBeGenuine: (request) => isFromPostmark(webhook, headerOf(request, 'authorization')),
  // Not a 403, after which Postmark would never retry: a wrong password is soon corrected.
  refusal: 401,
  read: (_request, body) => parsePostmarkCallback(jsonIn(body)),
});

/** Events of Resend, signed by Svix. */
export const resendFormat = (secret: string, wallClock: Clock): CallbackFormat => ({
  mayBeGenuine: (request) => mayBeSvixSignature(svixHeaders(request), wallClock.now()),
  read(request, body) {
    const headers = svixHeaders(request);
    return headers.id !== undefined && isFromResend(secret, headers, body, wallClock.now())
      ? parseResendCallback(headers.id, jsonIn(body))
      : null;
  },
});

const svixHeaders = (request: FastifyRequest): SvixHeaders => ({
  id: headerOf(request, 'svix-id'),
  timestamp: headerOf(request, 'svix-timestamp'),
  signature: headerOf(request, 'svix-signature'),
});

/** Delivery reports and inbound messages of Twilio, for texts and WhatsApp. */
export const twilioFormat = ({ authToken }: TwilioAccount, publicUrl: string): CallbackFormat => ({
  mayBeGenuine: (request) => mayBeTwilioSignature(headerOf(request, 'x-twilio-signature')),
  read(request, body) {
    const search = searchOf(request);
    const isGenuine = isFromTwilio(authToken, {
      // The public URL, because a proxy may have rewritten the request's own.
      url: publicUrl + CALLBACK_PATHS.twilio + search,
      signature: headerOf(request, 'x-twilio-signature'),
      contentType: headerOf(request, 'content-type') ?? '',
      body,
    });
    if (!isGenuine) return null;
    const reference = new URLSearchParams(search).get(TWILIO_REFERENCE);
    return parseTwilioCallback({ form: new URLSearchParams(body.toString('utf8')), reference });
  },
  // Empty: Twilio answers STOP itself, and no other text gets an answer.
  respond: (reply) => reply.type('text/xml; charset=utf-8').send('<Response/>'),
});

/** Statuses, replies and template reviews from Meta. */
export const metaFormat = ({ appSecret }: MetaSettings): CallbackFormat => ({
  mayBeGenuine: (request) => mayBeMetaSignature(headerOf(request, 'x-hub-signature-256')),
  read: (request, body) =>
    isFromMeta(appSecret, headerOf(request, 'x-hub-signature-256'), body)
      ? parseMetaCallback(jsonIn(body))
      : null,
});

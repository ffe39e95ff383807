import type { FastifyRequest } from 'fastify';
import type { SesSettings } from '../config/providersEmail.ts';
import type { Clock } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { contentOf } from '../providers/callbackContent.ts';
import { isFromPostmark, parsePostmarkCallback } from '../providers/postmark/callback.ts';
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
import { type CallbackFormat, headerOf, jsonIn } from './request.ts';

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

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SesSettings } from '../config/providersEmail.ts';
import { parseJsonText } from '../kit/json.ts';
import { isFromPostmark, parsePostmarkCallback } from '../providers/postmark/callback.ts';
import {
  isFromResend,
  mayBeSvixSignature,
  parseResendCallback,
  type SvixHeaders,
} from '../providers/resend/callback.ts';
import { readSesEvent } from '../providers/ses/callback.ts';
import {
  cachedCertificates,
  isFromSns,
  isSnsType,
  isSnsUrl,
  readSns,
} from '../providers/ses/snsSignature.ts';
import { bytesOf, type Callback, callbackRoute, headerOf } from './request.ts';

/**
 * Events of Amazon SES, delivered by Amazon SNS. Anyone can subscribe a topic to this URL: only the configured
 * topics count.
 */
export function sesRoute(app: FastifyInstance, callback: Callback, { topics }: SesSettings): void {
  const load = cachedCertificates(callback.sns.loadCertificate);
  const refuse = (reply: FastifyReply): FastifyReply => callback.refuse('ses', reply);
  callbackRoute(app, 'ses', {
    mayBeGenuine: (request) =>
      isSnsType(headerOf(request, 'x-amz-sns-message-type')) &&
      topics.includes(headerOf(request, 'x-amz-sns-topic-arn') ?? ''),
    refuse,
    async handle(request, reply) {
      const message = readSns(parseJsonText(bytesOf(request).toString('utf8')));
      if (message === null || !topics.includes(message.topic) || !(await isFromSns(message, load)))
        return refuse(reply);
      switch (message.type) {
        case 'Notification':
          await callback.accept(request, 'ses', readSesEvent(message));
          break;
        case 'SubscriptionConfirmation':
          if (message.subscribeUrl === null || !isSnsUrl(message.subscribeUrl)) return refuse(reply);
          await callback.sns.confirm(message.subscribeUrl);
          callback.log.info({ provider: 'ses' }, 'SNS subscription confirmed');
          break;
        default:
          callback.faults.raise(
            'email',
            'sns',
            'A topic of SES_SNS_TOPICS no longer sends its events here: subscribe it again.',
          );
      }
      return reply.code(200).send();
    },
  });
}

/** Deliveries, bounces and complaints from Postmark. */
export function postmarkRoute(
  app: FastifyInstance,
  callback: Callback,
  webhook: { user: string; password: string },
): void {
  callbackRoute(app, 'postmark', {
    mayBeGenuine: (request) => isFromPostmark(webhook, headerOf(request, 'authorization')),
    // Not a 403, after which Postmark would never retry: a wrong password is soon corrected.
    refuse: (reply) => callback.refuse('postmark', reply.header('www-authenticate', 'Basic'), 401),
    async handle(request, reply) {
      await callback.accept(
        request,
        'postmark',
        parsePostmarkCallback(parseJsonText(bytesOf(request).toString('utf8'))),
      );
      return reply.code(200).send();
    },
  });
}

/** Events of Resend, signed by Svix. */
export function resendRoute(app: FastifyInstance, callback: Callback, secret: string): void {
  const refuse = (reply: FastifyReply): FastifyReply => callback.refuse('resend', reply);
  callbackRoute(app, 'resend', {
    mayBeGenuine: (request) => mayBeSvixSignature(svixHeaders(request), callback.wallClock.now()),
    refuse,
    async handle(request, reply) {
      const body = bytesOf(request);
      const headers = svixHeaders(request);
      if (headers.id === undefined || !isFromResend(secret, headers, body, callback.wallClock.now()))
        return refuse(reply);
      await callback.accept(
        request,
        'resend',
        parseResendCallback(headers.id, parseJsonText(body.toString('utf8'))),
      );
      return reply.code(200).send();
    },
  });
}

const svixHeaders = (request: FastifyRequest): SvixHeaders => ({
  id: headerOf(request, 'svix-id'),
  timestamp: headerOf(request, 'svix-timestamp'),
  signature: headerOf(request, 'svix-signature'),
});

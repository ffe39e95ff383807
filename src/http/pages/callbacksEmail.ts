import type { FastifyInstance } from 'fastify';
import { readPostmark } from '../../callbacks/postmark.ts';
import { isFromPostmark } from '../../callbacks/postmarkAuth.ts';
import { readResend } from '../../callbacks/resend.ts';
import { isFromResend } from '../../callbacks/resendSignature.ts';
import { readSesEvent } from '../../callbacks/snsEvents.ts';
import { cachedCertificates, isFromSns, isSnsUrl, readSns } from '../../callbacks/snsSignature.ts';
import type { SesSettings } from '../../config/providersEmail.ts';
import { parseJsonText } from '../../kit/json.ts';
import { CALLBACK_PATHS } from '../../providers/callbackPaths.ts';
import { bytesOf, type Callback, headerOf } from './callbacksRequest.ts';

/** Events of Amazon SES, brought by Amazon SNS. Anyone can subscribe a topic of theirs to this address: only ours count. */
export function sesRoute(app: FastifyInstance, callback: Callback, { topics }: SesSettings): void {
  const load = cachedCertificates(callback.sns.loadCertificate);
  app.post(CALLBACK_PATHS.ses, async (request, reply) => {
    const message = readSns(parseJsonText(bytesOf(request).toString('utf8')));
    if (message === null || !topics.includes(message.topic) || !(await isFromSns(message, load)))
      return callback.refuse('ses', reply);
    switch (message.type) {
      case 'Notification':
        await callback.take('ses', readSesEvent(message));
        break;
      case 'SubscriptionConfirmation':
        if (message.subscribeUrl === null || !isSnsUrl(message.subscribeUrl))
          return callback.refuse('ses', reply);
        await callback.sns.confirm(message.subscribeUrl);
        callback.log.info(
          { provider: 'ses' },
          'the subscription to the topic of SES_SNS_TOPICS is confirmed',
        );
        break;
      default:
        callback.faults.raise(
          'email',
          'sns',
          'A topic of SES_SNS_TOPICS sends its events here no longer: subscribe it again.',
        );
    }
    return reply.code(200).send();
  });
}

/** Deliveries, bounces and complaints from Postmark. */
export function postmarkRoute(
  app: FastifyInstance,
  callback: Callback,
  webhook: { user: string; password: string },
): void {
  app.post(CALLBACK_PATHS.postmark, async (request, reply) => {
    if (!isFromPostmark(webhook, headerOf(request, 'authorization'))) {
      // Not a 403, after which Postmark would never try again: a wrong password is soon put right.
      return callback.refuse('postmark', reply.header('www-authenticate', 'Basic'), 401);
    }
    await callback.take('postmark', readPostmark(parseJsonText(bytesOf(request).toString('utf8'))));
    return reply.code(200).send();
  });
}

/** Events of Resend, signed by Svix. */
export function resendRoute(app: FastifyInstance, callback: Callback, secret: string): void {
  app.post(CALLBACK_PATHS.resend, async (request, reply) => {
    const body = bytesOf(request);
    const id = headerOf(request, 'svix-id');
    const headers = {
      id,
      timestamp: headerOf(request, 'svix-timestamp'),
      signature: headerOf(request, 'svix-signature'),
    };
    if (id === undefined || !isFromResend(secret, headers, body, callback.wallClock.now()))
      return callback.refuse('resend', reply);
    await callback.take('resend', readResend(id, parseJsonText(body.toString('utf8'))));
    return reply.code(200).send();
  });
}

import type { FastifyInstance, FastifyReply } from 'fastify';
import type { MetaSettings, TwilioAccount } from '../config/providersPaid.ts';
import { parseJsonText } from '../kit/json.ts';
import { handshake, isFromMeta, mayBeMetaSignature, parseMetaCallback } from '../providers/meta/callback.ts';
import { CALLBACK_PATHS } from '../providers/provider.ts';
import { TWILIO_REFERENCE } from '../providers/twilio/api.ts';
import { isFromTwilio, mayBeTwilioSignature, parseTwilioCallback } from '../providers/twilio/callback.ts';
import { bytesOf, type Callback, callbackRoute, headerOf, searchOf } from './request.ts';

/** Delivery reports and inbound messages of Twilio, for texts and WhatsApp. */
export function twilioRoute(app: FastifyInstance, callback: Callback, { authToken }: TwilioAccount): void {
  const refuse = (reply: FastifyReply): FastifyReply => callback.refuse('twilio', reply);
  callbackRoute(app, 'twilio', {
    mayBeGenuine: (request) => mayBeTwilioSignature(headerOf(request, 'x-twilio-signature')),
    refuse,
    async handle(request, reply) {
      const search = searchOf(request);
      const body = bytesOf(request);
      const genuine = isFromTwilio(authToken, {
        // The public URL, because a proxy may have rewritten the request's own.
        url: callback.publicUrl + CALLBACK_PATHS.twilio + search,
        signature: headerOf(request, 'x-twilio-signature'),
        contentType: headerOf(request, 'content-type') ?? '',
        body,
      });
      if (!genuine) return refuse(reply);
      const reference = new URLSearchParams(search).get(TWILIO_REFERENCE);
      await callback.accept(
        request,
        'twilio',
        parseTwilioCallback({ form: new URLSearchParams(body.toString('utf8')), reference }),
      );
      // Empty: Twilio answers STOP itself, and no other text gets an answer.
      return reply.type('text/xml; charset=utf-8').send('<Response/>');
    },
  });
}

/** Statuses, replies and template reviews from Meta, and its verification request. */
export function metaRoutes(app: FastifyInstance, callback: Callback, settings: MetaSettings): void {
  const refuse = (reply: FastifyReply): FastifyReply => callback.refuse('meta', reply);
  app.get(CALLBACK_PATHS.meta, async (request, reply) => {
    const challenge = handshake(settings.verifyToken, new URLSearchParams(searchOf(request)));
    if (challenge === null) return refuse(reply);
    return reply.type('text/plain; charset=utf-8').send(challenge);
  });

  callbackRoute(app, 'meta', {
    mayBeGenuine: (request) => mayBeMetaSignature(headerOf(request, 'x-hub-signature-256')),
    refuse,
    async handle(request, reply) {
      const body = bytesOf(request);
      if (!isFromMeta(settings.appSecret, headerOf(request, 'x-hub-signature-256'), body))
        return refuse(reply);
      await callback.accept(request, 'meta', parseMetaCallback(parseJsonText(body.toString('utf8'))));
      return reply.code(200).send();
    },
  });
}

import type { MetaSettings, TwilioAccount } from '../config/providersPaid.ts';
import { isFromMeta, mayBeMetaSignature, parseMetaCallback } from '../providers/meta/callback.ts';
import { CALLBACK_PATHS } from '../providers/provider.ts';
import { TWILIO_REFERENCE } from '../providers/twilio/api.ts';
import { isFromTwilio, mayBeTwilioSignature, parseTwilioCallback } from '../providers/twilio/callback.ts';
import { type CallbackFormat, headerOf, jsonIn, searchOf } from './request.ts';

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

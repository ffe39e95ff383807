import { type CallbackDeps, type CallbackFormat, callbackPath, KiB } from '../callbackFormat.ts';
import type { ProviderKind } from '../kind.ts';
import type { OutboundText, OutboundWhatsapp } from '../provider.ts';
import { TWILIO_REFERENCE } from './api.ts';
import { isFromTwilio, mayBeTwilioSignature, parseTwilioCallback } from './callback.ts';
import { checkTwilio } from './check.ts';
import { sendTwilioSms, sendTwilioWhatsapp } from './send.ts';
import type { TwilioAccount, TwilioSmsSettings, TwilioWhatsappSettings } from './settings.ts';

const BYTES_MAX = 128 * KiB;
const PATH = callbackPath('twilio');

export const twilioSms: ProviderKind<OutboundText, TwilioSmsSettings> = {
  open: (settings, deps) => sendTwilioSms(settings, { ...deps, callbackUrl: deps.publicUrl + PATH }),
  check: ({ account }, deps) => checkTwilio(account, deps),
  callbacks: ({ account }, deps) => twilioCallbacks(account, deps),
};

export const twilioWhatsapp: ProviderKind<OutboundWhatsapp, TwilioWhatsappSettings> = {
  open: (settings, deps) => sendTwilioWhatsapp(settings, { ...deps, callbackUrl: deps.publicUrl + PATH }),
  check: ({ account }, deps) => checkTwilio(account, deps),
  callbacks: ({ account }, deps) => twilioCallbacks(account, deps),
};

/** Delivery reports and inbound messages, for texts and WhatsApp. */
const twilioCallbacks = ({ authToken }: TwilioAccount, { publicUrl }: CallbackDeps): CallbackFormat => ({
  bytesMax: BYTES_MAX,
  mayBeGenuine: ({ header }) => mayBeTwilioSignature(header('x-twilio-signature')),
  read({ header, search }, body) {
    const isGenuine = isFromTwilio(authToken, {
      // The public URL, because a proxy may have rewritten the request's own.
      url: publicUrl + PATH + search,
      signature: header('x-twilio-signature'),
      contentType: header('content-type') ?? '',
      body,
    });
    if (!isGenuine) return null;
    const reference = new URLSearchParams(search).get(TWILIO_REFERENCE);
    return parseTwilioCallback({ form: new URLSearchParams(body.toString('utf8')), reference });
  },
  // Empty: Twilio answers STOP itself, and no other text gets an answer.
  answer: { type: 'text/xml; charset=utf-8', body: '<Response/>' },
});

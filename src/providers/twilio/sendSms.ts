import type { TwilioSmsSettings } from '../../config/providersPaid.ts';
import { SECOND } from '../../kit/clock.ts';
import { HTTP_CALL_MS } from '../http.ts';
import type { OutboundText, Provider } from '../provider.ts';
import { createMessage, TWILIO_MAX_CONCURRENT, type TwilioDeps } from './api.ts';

/** Texts through Twilio, from a Messaging Service, a number or a name. */
export const twilioSms = (
  { account, sender }: TwilioSmsSettings,
  deps: TwilioDeps,
): Provider<OutboundText> => ({
  name: 'twilio',
  maxConcurrent: TWILIO_MAX_CONCURRENT,
  timeoutMs: (deps.callMs ?? HTTP_CALL_MS) + SECOND,
  send: (message, signal) => {
    const fields = { To: message.to, ...senderFields(message.from ?? sender), Body: message.text };
    return createMessage(account, deps, message, fields, signal);
  },
});

const senderFields = (sender: string): Record<string, string> =>
  /^MG[0-9a-f]{32}$/i.test(sender) ? { MessagingServiceSid: sender } : { From: sender };

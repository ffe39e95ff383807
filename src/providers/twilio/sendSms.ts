import type { TwilioSmsSettings } from '../../config/providersPaid.ts';
import { SECOND } from '../../kit/clock.ts';
import { type ApiDeps, answerFrom, exchange, HTTP_CALL_MS } from '../http.ts';
import type { OutboundText, Provider } from '../provider.ts';
import { statusCallback, TWILIO, twilioAnswer, twilioMessage } from './api.ts';

const MAX_CONCURRENT = 20;

/** Texts through Twilio, from a Messaging Service, a number or a name. Twilio sends callbacks to `callbackUrl`. */
export function twilioSms(
  settings: TwilioSmsSettings,
  { client, callMs = HTTP_CALL_MS, callbackUrl }: ApiDeps & { callbackUrl: string },
): Provider<OutboundText> {
  return {
    name: 'twilio',
    maxConcurrent: MAX_CONCURRENT,
    timeoutMs: callMs + SECOND,
    async send(message, signal) {
      const request = twilioMessage(settings.account, {
        To: message.to,
        ...senderOf(message.from ?? settings.sender),
        Body: message.text,
        StatusCallback: statusCallback(callbackUrl, message.reference),
      });
      const result = await exchange(client, request, { signal, timeoutMs: callMs });
      return answerFrom(TWILIO, result, (answer) => twilioAnswer(answer, message.from !== null));
    },
  };
}

const senderOf = (sender: string): Record<string, string> =>
  /^MG[0-9a-f]{32}$/i.test(sender) ? { MessagingServiceSid: sender } : { From: sender };

import { type Clock, SECOND } from '../../kit/clock.ts';
import { callApi } from '../api.ts';
import { type ApiDeps, HTTP_CALL_MS } from '../http.ts';
import type { OutboundText, Provider } from '../provider.ts';
import { VONAGE, vonageAnswer, vonageHeaders } from './api.ts';
import type { VonageSettings } from './settings.ts';

interface VonageDeps extends ApiDeps {
  /** Where Vonage sends status callbacks. */
  callbackUrl: string;
  /** Tokens are dated by the wall clock. */
  wallClock: Clock;
}

const MAX_CONCURRENT = 20;

/** Texts through Vonage's Messages API, from a number or a name. */
export function vonageSms(settings: VonageSettings, deps: VonageDeps): Provider<OutboundText> {
  const headers = vonageHeaders(settings, deps.wallClock);
  return {
    name: VONAGE.prefix,
    maxConcurrent: MAX_CONCURRENT,
    timeoutMs: (deps.callMs ?? HTTP_CALL_MS) + SECOND,
    async send(message, signal) {
      const request = {
        method: 'POST' as const,
        url: `${settings.apiUrl}/v1/messages`,
        headers: { ...(await headers()), 'content-type': 'application/json' },
        body: JSON.stringify({
          channel: 'sms',
          message_type: 'text',
          to: withoutPlus(message.to),
          from: withoutPlus(message.from ?? settings.sender),
          text: message.text,
          client_ref: message.reference,
          webhook_url: deps.callbackUrl,
        }),
      };
      return callApi(VONAGE, deps, request, signal, vonageAnswer);
    },
  };
}

/** Vonage writes numbers without the plus. */
const withoutPlus = (number: string): string => number.replace(/^\+/, '');

import type { Channel } from '../../contract/channels.ts';
import { type Clock, HOUR, later, SECOND } from '../../kit/clock.ts';
import { textAt } from '../../kit/json.ts';
import { retryAfterMs } from '../../kit/retryAfter.ts';
import { standardHeaders, webhookKey } from '../../kit/standardWebhooks.ts';
import { type ApiAnswer, type ApiFacts, acceptedAs, apiProvider } from '../api.ts';
import type { ApiDeps } from '../http.ts';
import type {
  AnyOutbound,
  OutboundEmail,
  OutboundText,
  OutboundWhatsapp,
  ProviderResponse,
} from '../provider.ts';
import { refuse, responseFor, senderFault } from '../verdicts.ts';
import { attemptId, isReceiverId } from './ids.ts';
import type { HttpEmailSettings, HttpReceiver, HttpSmsSettings, HttpWhatsappSettings } from './settings.ts';

export const HTTP: ApiFacts = {
  called: 'The receiver',
  prefix: 'http',
  credentials: 'HTTP_PROVIDER_SECRET',
  urlVariable: 'HTTP_PROVIDER_URL',
};

export interface HttpDeps extends ApiDeps {
  /** Where the receiver sends callbacks. */
  callbackUrl: string;
  /** Receivers compare the signed time with their own. */
  wallClock: Clock;
}

export const sendHttpEmail = ({ receiver, from }: HttpEmailSettings, deps: HttpDeps) =>
  httpProvider<OutboundEmail>(receiver, deps, (message) => ({
    from: { address: message.from ?? from, name: message.fromName },
    // Our mails name no other address to answer to.
    reply_to: null,
    subject: message.subject,
    text: message.text,
    html: message.html,
    headers: message.headers,
  }));

export const sendHttpSms = ({ receiver, sender }: HttpSmsSettings, deps: HttpDeps) =>
  httpProvider<OutboundText>(receiver, deps, ({ from, text }) => ({ from: from ?? sender, text }));

export const sendHttpWhatsapp = ({ receiver, sender }: HttpWhatsappSettings, deps: HttpDeps) =>
  httpProvider<OutboundWhatsapp>(receiver, deps, ({ from, text, template }) => ({
    from: from ?? sender,
    ...(template === null ? { text } : { template }),
  }));

/** As long as the receiver remembers ids; an older update is no news. */
const EXPIRES_AFTER_MS = 72 * HOUR;
const RETRY_AFTER_MAX_MS = HOUR;

/** Any provider, by a signed POST of our own (docs/providers/http.md). */
const httpProvider = <Message extends AnyOutbound>(
  receiver: HttpReceiver,
  { callbackUrl, wallClock, ...deps }: HttpDeps,
  contentOf: (message: Message) => Record<string, unknown>,
) => {
  const keys = receiver.secrets.map(webhookKey);
  return apiProvider<Message>(HTTP, deps, {
    maxConcurrent: 20,
    remembersIds: receiver.remembersIds,
    request(message) {
      const now = wallClock.now();
      const body = JSON.stringify({
        v: 1,
        channel: message.channel,
        to: message.to,
        purpose: 'transactional',
        expires_at: later(now, EXPIRES_AFTER_MS).toISOString(),
        callback: callbackUrl,
        ...contentOf(message),
      });
      const signed = standardHeaders(keys, attemptId(message), Math.floor(now.getTime() / SECOND), body);
      return {
        method: 'POST',
        url: receiver.url,
        headers: { 'content-type': 'application/json', ...signed },
        body,
      };
    },
    sort,
  });
};

/** Only an answer in the words of the protocol is sure: any other may come from a proxy in front of the receiver. */
function sort({ status, headers, body }: ApiAnswer, { channel }: AnyOutbound): ProviderResponse | null {
  const code = textAt(body, 'code');
  switch (`${status} ${textAt(body, 'status')}`) {
    case '200 accepted':
    case '202 accepted': {
      const id = textAt(body, 'id');
      return acceptedAs(isReceiverId(id) ? id : null);
    }
    case '422 refused':
      return refusalOf(code, channel);
    case '403 refused':
      return code === 'sender' ? responseFor(SENDER_REFUSED, 'http_sender') : null;
    case '409 not_taken':
      return { outcome: 'not_taken', errorCode: 'http_not_taken' };
    case '429 busy':
    case '503 busy': {
      const pause = Math.min(retryAfterMs(headers['retry-after']), RETRY_AFTER_MAX_MS);
      return { outcome: 'refused', because: 'busy', errorCode: 'http_busy', retryAfterMs: pause };
    }
    default:
      return status === 401 || status === 403 ? null : { outcome: 'unknown', errorCode: `http_${status}` };
  }
}

const SENDER_REFUSED = senderFault(
  'The receiver does not send from this sender (403): check EMAIL_FROM, HTTP_PROVIDER_SMS_FROM, HTTP_PROVIDER_WHATSAPP_FROM, or the business’s own sender.',
);

/** `bad_address` suppresses the address, and `opted_out` stops the number. Other codes refuse only this message. */
function refusalOf(code: string | null, channel: Channel): ProviderResponse {
  if (code === 'bad_address' || code === 'opted_out')
    return responseFor(refuse(REFUSALS[code][channel]), `http_${code}`);
  return responseFor(refuse('message'), code === 'content' ? 'http_content' : 'http_other');
}

const REFUSALS = {
  bad_address: { email: 'address', sms: 'message', whatsapp: 'not_on_whatsapp' },
  opted_out: { email: 'address', sms: 'stopped', whatsapp: 'stopped' },
} as const;

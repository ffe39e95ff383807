import type { PostmarkSettings } from '../../config/providersEmail.ts';
import { SECOND } from '../../kit/clock.ts';
import { textAt } from '../../kit/json.ts';
import { type ApiAnswer, type ApiDeps, type ApiFacts, answerFrom, exchange, HTTP_CALL_MS } from '../http.ts';
import { headersToPass, mailbox } from '../mailbox.ts';
import type { OutboundEmail, Provider, ProviderResponse } from '../provider.ts';

/** The metadata key of our reference, which comes back in callbacks. */
export const POSTMARK_REFERENCE = 'waypost_reference';

export const POSTMARK: ApiFacts = {
  called: 'Postmark',
  prefix: 'postmark',
  credentials: 'POSTMARK_SERVER_TOKEN',
};
const MAX_CONCURRENT = 20;

/** Postmark's email API. */
export function postmarkEmail(settings: PostmarkSettings, deps: ApiDeps): Provider<OutboundEmail> {
  const { client, callMs = HTTP_CALL_MS } = deps;
  return {
    name: 'postmark',
    maxConcurrent: MAX_CONCURRENT,
    timeoutMs: callMs + SECOND,
    async send(message, signal) {
      const request = {
        method: 'POST' as const,
        url: `${settings.apiUrl}/email`,
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'x-postmark-server-token': settings.serverToken,
        },
        body: JSON.stringify(bodyOf(settings, message)),
      };
      const result = await exchange(client, request, { signal, timeoutMs: callMs });
      return answerFrom(POSTMARK, result, sort);
    },
  };
}

const bodyOf = (settings: PostmarkSettings, message: OutboundEmail) => ({
  From: mailbox(message.fromName, message.from ?? settings.from),
  To: message.to,
  Subject: message.subject,
  TextBody: message.text,
  HtmlBody: message.html,
  MessageStream: settings.stream,
  Metadata: { [POSTMARK_REFERENCE]: message.reference },
  Headers: headersToPass(message.headers).map(([Name, Value]) => ({ Name, Value })),
  // The inbox itself shows whether a message was read; mails are not tracked.
  TrackOpens: false,
  TrackLinks: 'None',
});

function sort({ status, body }: ApiAnswer): ProviderResponse | null {
  const code = textAt(body, 'ErrorCode');
  const id = textAt(body, 'MessageID');
  if (status === 200) {
    if (code === '0' && id !== null && !isInactive(body)) return { outcome: 'accepted', providerId: id };
    if (code === '0' && isInactive(body)) return refused('address', 406);
    return code === null || code === '0' ? unreadable() : byCode(code);
  }
  // During maintenance it answers 503 with code 100, and accepts nothing.
  if (status === 503 && code === '100') return refused('busy', 100);
  if (status === 401 || status === 422) return code === null ? null : byCode(code);
  return null;
}

/** Postmark accepts a mail to an inactive address but never delivers it, and says so only in the message. */
const isInactive = (body: unknown): boolean => /inactive address/i.test(textAt(body, 'Message') ?? '');

function byCode(code: string): ProviderResponse {
  switch (code) {
    case '10':
      return notSetUp('account', code, 'Postmark refuses the token (10): check POSTMARK_SERVER_TOKEN.');
    case '400':
    case '401':
      return notSetUp(
        'sender',
        code,
        `Postmark has no confirmed signature or domain for the sender (${code}): confirm the address that mail comes from.`,
      );
    case '405':
      return notSetUp(
        'account',
        code,
        'Postmark lets this account send nothing more for now (405): check its credits.',
      );
    case '412':
    case '413':
      return notSetUp('account', code, `Postmark has not approved this account for sending (${code}).`);
    case '406':
      return refused('address', code);
    case '429':
      return refused('over_limits', code);
    case '300':
      return refused('message', code);
    default:
      return {
        ...refused('message', code),
        alarm: `Postmark refuses a mail (error code ${code}): see its list of API error codes.`,
      };
  }
}

const errorCode = (code: string | number): string => `postmark_${code}`;

const refused = (because: 'address' | 'busy' | 'over_limits' | 'message', code: string | number) =>
  ({ outcome: 'refused', because, errorCode: errorCode(code) }) as const;

const notSetUp = (concerns: 'account' | 'sender', code: string, sentence: string): ProviderResponse => ({
  outcome: 'not_set_up',
  concerns,
  errorCode: errorCode(code),
  sentence,
});

const unreadable = (): ProviderResponse => ({ outcome: 'unknown', errorCode: 'unreadable_answer' });

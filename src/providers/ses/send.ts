import type { SesSettings } from '../../config/providersEmail.ts';
import { type Clock, SECOND } from '../../kit/clock.ts';
import { textAt } from '../../kit/json.ts';
import { type ApiAnswer, type ApiDeps, type ApiFacts, answerFrom, exchange, HTTP_CALL_MS } from '../http.ts';
import { headersToPass, mailbox } from '../mailbox.ts';
import type { OutboundEmail, Provider, ProviderResponse } from '../provider.ts';
import { sigv4Headers } from './sigv4.ts';

/** The tag of our reference, which comes back in callbacks. */
export const SES_REFERENCE = 'waypost_reference';

export const SES: ApiFacts = {
  called: 'Amazon SES',
  prefix: 'ses',
  credentials: 'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION',
};
const MAX_CONCURRENT = 14;

/** Amazon SES, version 2. `wallClock` dates signatures, which AWS compares with its own clock. */
export function sesEmail(
  settings: SesSettings,
  { client, callMs = HTTP_CALL_MS, wallClock }: ApiDeps & { wallClock: Clock },
): Provider<OutboundEmail> {
  const url = new URL(`${settings.apiUrl}/v2/email/outbound-emails`);
  return {
    name: 'ses',
    maxConcurrent: MAX_CONCURRENT,
    timeoutMs: callMs + SECOND,
    async send(message, signal) {
      const sender = message.from ?? settings.from;
      const body = JSON.stringify(bodyOf(settings, message, sender));
      const headers = { 'content-type': 'application/json' };
      const toSign = { method: 'POST', url, headers, body, region: settings.region, service: 'ses' };
      const request = {
        method: 'POST' as const,
        url: url.href,
        headers: sigv4Headers(toSign, settings, wallClock.now()),
        body,
      };
      const result = await exchange(client, request, { signal, timeoutMs: callMs });
      return answerFrom(SES, result, (answer) => sort(answer, sender));
    },
  };
}

const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });

const bodyOf = (settings: SesSettings, message: OutboundEmail, sender: string) => ({
  // SES requires an ASCII display name, encoded if necessary.
  FromEmailAddress: mailbox(message.fromName, sender, 'ascii'),
  Destination: { ToAddresses: [message.to] },
  Content: {
    Simple: {
      Subject: utf8(message.subject),
      Body: { Text: utf8(message.text), Html: utf8(message.html) },
      Headers: headersToPass(message.headers).map(([Name, Value]) => ({ Name, Value })),
    },
  },
  EmailTags: [{ Name: SES_REFERENCE, Value: message.reference }],
  ...(settings.configurationSet === null ? {} : { ConfigurationSetName: settings.configurationSet }),
});

function sort(answer: ApiAnswer, sender: string): ProviderResponse | null {
  const { status, body } = answer;
  if (status >= 200 && status < 300) {
    const id = textAt(body, 'MessageId');
    return id === null
      ? { outcome: 'unknown', errorCode: 'unreadable_answer' }
      : { outcome: 'accepted', providerId: id };
  }
  if (status < 400 || status >= 500) return null;
  const type = errorType(answer);
  const errorCode = `ses_${type ?? status}`;
  const notSetUp = (concerns: 'account' | 'sender', sentence: string): ProviderResponse => ({
    outcome: 'not_set_up',
    concerns,
    errorCode,
    sentence,
  });
  switch (type) {
    case 'TooManyRequestsException':
      return { outcome: 'refused', because: 'over_limits', errorCode };
    case 'MailFromDomainNotVerifiedException':
      return notSetUp(
        'sender',
        'Amazon SES has not verified the sending domain: verify the identity that mail comes from.',
      );
    case 'MessageRejected':
      if (isAboutSender(body, sender))
        return notSetUp(
          'sender',
          'Amazon SES has not verified the sender: verify the identity that mail comes from.',
        );
      return { outcome: 'refused', because: 'message', errorCode, ...unverifiedRecipient(body) };
    case 'AccountSuspendedException':
    case 'SendingPausedException':
      return notSetUp('account', `Amazon SES lets this account or configuration set send nothing (${type}).`);
    case 'LimitExceededException':
      return notSetUp(
        'account',
        'Amazon SES says that a limit of the account is reached (LimitExceededException).',
      );
    case 'NotFoundException':
      return notSetUp(
        'account',
        'Amazon SES does not know the configuration set: check SES_CONFIGURATION_SET.',
      );
    case 'BadRequestException':
      return {
        outcome: 'refused',
        because: 'message',
        errorCode,
        alarm: 'Amazon SES refuses a request as malformed (BadRequestException).',
      };
    default:
      return null;
  }
}

/** In a header, sometimes with a URL after a colon; older responses have it in the body. */
function errorType({ headers, body }: ApiAnswer): string | null {
  const [header] = [headers['x-amzn-errortype']].flat();
  const named = header ?? textAt(body, '__type') ?? textAt(body, 'code');
  return named?.split(':')[0]?.split('#').at(-1) ?? null;
}

const NOT_VERIFIED = /not verified/i;

/** The message lists the identities that failed: the sender's address or domain, or the recipient's. */
function isAboutSender(body: unknown, sender: string): boolean {
  const text = messageOf(body).toLowerCase();
  const identities = text.split(/[\s,]+/).map((word) => word.replace(/\.$/, ''));
  const domain = sender.slice(sender.indexOf('@') + 1);
  return NOT_VERIFIED.test(text) && (identities.includes(sender) || identities.includes(domain));
}

const unverifiedRecipient = (body: unknown) =>
  NOT_VERIFIED.test(messageOf(body))
    ? { alarm: 'Amazon SES sends to verified recipients only: ask for the account to leave its sandbox.' }
    : {};

const messageOf = (body: unknown): string => textAt(body, 'message') ?? textAt(body, 'Message') ?? '';

import type { Clock } from '../../kit/clock.ts';
import { textAt } from '../../kit/json.ts';
import { type ApiAnswer, type ApiFacts, acceptedAs, apiProvider, isSuccess } from '../api.ts';
import type { ApiDeps, HttpRequest } from '../http.ts';
import { headersToPass, mailbox } from '../mailbox.ts';
import { type OutboundEmail, type ProviderResponse, REFERENCE_TAG } from '../provider.ts';
import {
  accountFault,
  refuse,
  responseFor,
  senderFault,
  type Verdict,
  type Verdicts,
  verdictIn,
} from '../verdicts.ts';
import type { SesSettings } from './settings.ts';
import { sigv4Headers } from './sigv4.ts';

export const SES: ApiFacts = {
  called: 'Amazon SES',
  prefix: 'ses',
  credentials: 'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION',
};

/** Amazon SES, version 2. `wallClock` dates signatures, which AWS compares with its own clock. */
export function sesEmail(settings: SesSettings, { wallClock, ...deps }: ApiDeps & { wallClock: Clock }) {
  const senderOf = ({ from }: OutboundEmail): string => from ?? settings.from;
  return apiProvider<OutboundEmail>(SES, deps, {
    maxConcurrent: 14,
    request: (message) => {
      const body = JSON.stringify(bodyOf(settings, message, senderOf(message)));
      return sesRequest(
        settings,
        { method: 'POST', path: '/v2/email/outbound-emails', body },
        wallClock.now(),
      );
    },
    sort: (answer, message) => sort(answer, senderOf(message)),
  });
}

/** A signed request. */
export function sesRequest(
  settings: SesSettings,
  { method, path, body = '' }: { method: HttpRequest['method']; path: string; body?: string },
  now: Date,
): HttpRequest {
  const url = new URL(settings.apiUrl + path);
  const headers: Record<string, string> = body === '' ? {} : { 'content-type': 'application/json' };
  const toSign = { method, url, headers, body, region: settings.region, service: 'ses' };
  return { method, url: url.href, headers: sigv4Headers(toSign, settings, now), body };
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
  EmailTags: [{ Name: REFERENCE_TAG, Value: message.reference }],
  ...(settings.configurationSet === null ? {} : { ConfigurationSetName: settings.configurationSet }),
});

function sort(answer: ApiAnswer, sender: string): ProviderResponse | null {
  const { status, body } = answer;
  if (isSuccess(status)) return acceptedAs(textAt(body, 'MessageId'));
  if (status < 400 || status >= 500) return null;
  const type = errorType(answer);
  const verdict = verdictOn(type, body, sender);
  return verdict === null ? null : responseFor(verdict, `ses_${type}`);
}

function verdictOn(type: string | null, body: unknown, sender: string): Verdict | null {
  if (type !== 'MessageRejected') return verdictIn(VERDICTS, type);
  return isAboutSender(body, sender)
    ? senderFault('Amazon SES has not verified the sender: verify the identity that mail comes from.')
    : refuse('message', NOT_VERIFIED.test(messageOf(body)) ? IN_SANDBOX : undefined);
}

const sendsNothing = (type: string): Verdict =>
  accountFault(`Amazon SES lets this account or configuration set send nothing (${type}).`);

const VERDICTS: Verdicts = {
  TooManyRequestsException: refuse('over_limits'),
  MailFromDomainNotVerifiedException: senderFault(
    'Amazon SES has not verified the sending domain: verify the identity that mail comes from.',
  ),
  AccountSuspendedException: sendsNothing('AccountSuspendedException'),
  SendingPausedException: sendsNothing('SendingPausedException'),
  LimitExceededException: accountFault(
    'Amazon SES says that a limit of the account is reached (LimitExceededException).',
  ),
  NotFoundException: accountFault(
    'Amazon SES does not know the configuration set: check SES_CONFIGURATION_SET.',
  ),
  BadRequestException: refuse('message', 'Amazon SES refuses a request as malformed (BadRequestException).'),
};

/** In a header, sometimes with a URL after a colon; older responses have it in the body. */
function errorType({ headers, body }: ApiAnswer): string | null {
  const [header] = [headers['x-amzn-errortype']].flat();
  const named = header ?? textAt(body, '__type') ?? textAt(body, 'code');
  return named?.split(':')[0]?.split('#').at(-1) ?? null;
}

const NOT_VERIFIED = /not verified/i;
const IN_SANDBOX = 'Amazon SES sends to verified recipients only: ask for the account to leave its sandbox.';

/** The message lists the identities that failed: the sender's address or domain, or the recipient's. */
function isAboutSender(body: unknown, sender: string): boolean {
  const text = messageOf(body).toLowerCase();
  const identities = text.split(/[\s,]+/).map((word) => word.replace(/\.$/, ''));
  const domain = sender.slice(sender.indexOf('@') + 1);
  return NOT_VERIFIED.test(text) && (identities.includes(sender) || identities.includes(domain));
}

const messageOf = (body: unknown): string => textAt(body, 'message') ?? textAt(body, 'Message') ?? '';

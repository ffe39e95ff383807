import { textAt } from '../../kit/json.ts';
import { type ApiAnswer, type ApiFacts, acceptedAs, apiProvider } from '../api.ts';
import type { ApiDeps } from '../http.ts';
import { headersToPass, mailbox } from '../mailbox.ts';
import { type OutboundEmail, type Provider, type ProviderResponse, REFERENCE_TAG } from '../provider.ts';
import { accountFault, refuse, responseFor, senderFault, type Verdicts, verdictIn } from '../verdicts.ts';
import type { PostmarkSettings } from './settings.ts';

export const POSTMARK: ApiFacts = {
  called: 'Postmark',
  prefix: 'postmark',
  credentials: 'POSTMARK_SERVER_TOKEN',
};

/** Postmark's email API. */
export const postmarkEmail = (settings: PostmarkSettings, deps: ApiDeps): Provider<OutboundEmail> =>
  apiProvider(POSTMARK, deps, {
    maxConcurrent: 20,
    request: (message) => ({
      method: 'POST',
      url: `${settings.apiUrl}/email`,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'x-postmark-server-token': settings.serverToken,
      },
      body: JSON.stringify(bodyOf(settings, message)),
    }),
    sort,
  });

const bodyOf = (settings: PostmarkSettings, message: OutboundEmail) => ({
  From: mailbox(message.fromName, message.from ?? settings.from),
  To: message.to,
  Subject: message.subject,
  TextBody: message.text,
  HtmlBody: message.html,
  MessageStream: settings.stream,
  Metadata: { [REFERENCE_TAG]: message.reference },
  Headers: headersToPass(message.headers).map(([Name, Value]) => ({ Name, Value })),
  // The inbox itself shows whether a message was read; mails are not tracked.
  TrackOpens: false,
  TrackLinks: 'None',
});

function sort({ status, body }: ApiAnswer): ProviderResponse | null {
  const code = textAt(body, 'ErrorCode');
  if (status === 200) {
    if (code === '0' && isInactive(body)) return byCode('406');
    return code === null || code === '0' ? acceptedAs(code && textAt(body, 'MessageID')) : byCode(code);
  }
  // During maintenance it answers 503 with code 100, and accepts nothing.
  if (status === 503 && code === '100') return byCode('100');
  return code !== null && (status === 401 || status === 422) ? byCode(code) : null;
}

/** Postmark accepts a mail to an inactive address but never delivers it, and says so only in the message. */
const isInactive = (body: unknown): boolean => /inactive address/i.test(textAt(body, 'Message') ?? '');

const unconfirmed = (code: number) =>
  senderFault(
    `Postmark has no confirmed signature or domain for the sender (${code}): confirm the address that mail comes from.`,
  );
const unapproved = (code: number) =>
  accountFault(`Postmark has not approved this account for sending (${code}).`);

const VERDICTS: Verdicts = {
  10: accountFault('Postmark refuses the token (10): check POSTMARK_SERVER_TOKEN.'),
  100: refuse('busy'),
  300: refuse('message'),
  400: unconfirmed(400),
  401: unconfirmed(401),
  405: accountFault('Postmark lets this account send nothing more for now (405): check its credits.'),
  406: refuse('address'),
  412: unapproved(412),
  413: unapproved(413),
  429: refuse('over_limits'),
};

const byCode = (code: string): ProviderResponse =>
  responseFor(
    verdictIn(VERDICTS, code) ??
      refuse('message', `Postmark refuses a mail (error code ${code}): see its list of API error codes.`),
    `postmark_${code}`,
  );

import { randomUUID } from 'node:crypto';
import { domainOf } from '../../kit/emailAddress.ts';
import { textAt } from '../../kit/json.ts';
import { type ApiAnswer, type ApiFacts, acceptedAs, apiProvider, isSuccess } from '../api.ts';
import type { ApiDeps } from '../http.ts';
import { mailbox } from '../mailbox.ts';
import { type OutboundEmail, type Provider, type ProviderResponse, REFERENCE_TAG } from '../provider.ts';
import { accountFault, refuse, responseFor, senderFault, type Verdict } from '../verdicts.ts';
import type { MailgunSettings } from './settings.ts';

export const MAILGUN: ApiFacts = {
  called: 'Mailgun',
  prefix: 'mailgun',
  credentials: 'MAILGUN_API_KEY and MAILGUN_DOMAIN',
};

/** Mailgun's messages API. */
export const mailgunEmail = (settings: MailgunSettings, deps: ApiDeps): Provider<OutboundEmail> =>
  apiProvider(MAILGUN, deps, {
    maxConcurrent: 20,
    request: (message) => {
      const sender = message.from ?? settings.from;
      const { type, body } = multipartForm(fieldsOf(message, sender));
      return {
        method: 'POST',
        url: `${settings.apiUrl}/v3/${sendingDomain(settings, sender)}/messages`,
        headers: { ...mailgunHeaders(settings), 'content-type': type },
        body,
      };
    },
    sort,
  });

export const mailgunHeaders = ({ apiKey }: MailgunSettings) => ({
  authorization: `Basic ${Buffer.from(`api:${apiKey}`).toString('base64')}`,
});

/** Mailgun signs with DKIM as this domain: a sender elsewhere goes through its own, or its mails would fail DMARC. */
const sendingDomain = ({ domain, from }: MailgunSettings, sender: string): string =>
  domainOf(sender) === domainOf(from) ? domain : domainOf(sender);

type Fields = [name: string, value: string][];

const fieldsOf = (message: OutboundEmail, sender: string): Fields => [
  ['from', mailbox(message.fromName, sender)],
  ['to', message.to],
  ['subject', message.subject],
  ['text', message.text],
  ['html', message.html],
  ...Object.entries(message.headers).map(([name, value]): Fields[number] => [`h:${name}`, value]),
  [`v:${REFERENCE_TAG}`, message.reference],
  // Neither opens nor clicks, which would rewrite links.
  ['o:tracking', 'no'],
];

/** No value can contain the boundary, which is random. */
function multipartForm(fields: Fields): { type: string; body: string } {
  const boundary = randomUUID();
  const parts = fields.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return { type: `multipart/form-data; boundary=${boundary}`, body: `${parts.join('')}--${boundary}--\r\n` };
}

function sort({ status, body }: ApiAnswer): ProviderResponse | null {
  if (isSuccess(status)) return acceptedAs(textAt(body, 'id'));
  const verdict = verdictOn(status, textAt(body, 'message') ?? '');
  return verdict === null ? null : responseFor(verdict, `mailgun_http_${status}`);
}

function verdictOn(status: number, message: string): Verdict | null {
  if (status === 402)
    return accountFault('Mailgun asks for a payment (402): look at the plan of the account.');
  if ((status === 403 || status === 404) && /domain/i.test(message))
    return senderFault(
      `Mailgun does not send from this domain (${status}): add and verify it there, and check MAILGUN_DOMAIN and the region of MAILGUN_API_URL.`,
    );
  // Other refusals are no recipient's fault, so the operator learns of them.
  return status === 400 && /^'to' parameter/.test(message) ? refuse('message') : null;
}

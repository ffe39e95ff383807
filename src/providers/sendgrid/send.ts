import { textAt } from '../../kit/json.ts';
import { type ApiAnswer, type ApiFacts, acceptedAs, apiProvider, isSuccess } from '../api.ts';
import type { ApiDeps } from '../http.ts';
import { headersToPass } from '../mailbox.ts';
import { type OutboundEmail, type Provider, type ProviderResponse, REFERENCE_TAG } from '../provider.ts';
import { accountFault, refuse, responseFor, senderFault, type Verdict } from '../verdicts.ts';
import type { SendgridSettings } from './settings.ts';

export const SENDGRID: ApiFacts = { called: 'SendGrid', prefix: 'sendgrid', credentials: 'SENDGRID_API_KEY' };

/** SendGrid's mail API. */
export const sendgridEmail = (settings: SendgridSettings, deps: ApiDeps): Provider<OutboundEmail> =>
  apiProvider(SENDGRID, deps, {
    maxConcurrent: 20,
    request: (message) => ({
      method: 'POST',
      url: `${settings.apiUrl}/v3/mail/send`,
      headers: { ...sendgridHeaders(settings), 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(settings, message)),
    }),
    sort,
  });

export const sendgridHeaders = ({ apiKey }: SendgridSettings) => ({ authorization: `Bearer ${apiKey}` });

const bodyOf = (settings: SendgridSettings, message: OutboundEmail) => ({
  from: { email: message.from ?? settings.from, ...(message.fromName !== '' && { name: message.fromName }) },
  // SendGrid cannot erase custom arguments, so they hold nothing personal.
  personalizations: [{ to: [{ email: message.to }], custom_args: { [REFERENCE_TAG]: message.reference } }],
  subject: message.subject,
  // SendGrid requires the plain text first.
  content: [
    { type: 'text/plain', value: message.text },
    { type: 'text/html', value: message.html },
  ],
  headers: Object.fromEntries(headersToPass(message.headers)),
  tracking_settings: {
    click_tracking: { enable: false, enable_text: false },
    open_tracking: { enable: false },
  },
});

function sort({ status, headers, body }: ApiAnswer): ProviderResponse | null {
  if (isSuccess(status)) return acceptedAs([headers['x-message-id']].flat()[0] ?? null);
  const verdict = verdictOn(status, textAt(body, 'errors', 0, 'field'), textAt(body, 'errors', 0, 'message'));
  return verdict === null ? null : responseFor(verdict, `sendgrid_http_${status}`);
}

function verdictOn(status: number, field: string | null, message: string | null): Verdict | null {
  if (status === 401 && /credits/i.test(message ?? ''))
    return accountFault('SendGrid lets this account send nothing more for now (401): check its credits.');
  if (status === 403 && field === 'from')
    return senderFault(
      'SendGrid has not verified the sender (403): verify the address or domain that mail comes from.',
    );
  // Other refusals are no recipient's fault, so the operator learns of them.
  return status === 400 && field?.startsWith('personalizations') ? refuse('message') : null;
}

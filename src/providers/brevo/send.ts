import { textAt } from '../../kit/json.ts';
import { type ApiAnswer, type ApiFacts, acceptedAs, apiProvider, isSuccess } from '../api.ts';
import type { ApiDeps } from '../http.ts';
import { headersToPass } from '../mailbox.ts';
import type { OutboundEmail, Provider, ProviderResponse } from '../provider.ts';
import {
  accountFault,
  refuse,
  responseFor,
  senderFault,
  type Verdict,
  type Verdicts,
  verdictIn,
} from '../verdicts.ts';
import { BREVO_REFERENCE_HEADER } from './callback.ts';
import type { BrevoSettings } from './settings.ts';

export const BREVO: ApiFacts = { called: 'Brevo', prefix: 'brevo', credentials: 'BREVO_API_KEY' };

export const brevoHeaders = ({ apiKey }: BrevoSettings): Record<string, string> => ({
  accept: 'application/json',
  'api-key': apiKey,
});

/** Brevo's transactional email API. */
export const brevoEmail = (settings: BrevoSettings, deps: ApiDeps): Provider<OutboundEmail> =>
  apiProvider(BREVO, deps, {
    maxConcurrent: 20,
    request: (message) => ({
      method: 'POST',
      url: `${settings.apiUrl}/v3/smtp/email`,
      headers: { ...brevoHeaders(settings), 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(settings, message)),
    }),
    sort,
  });

const bodyOf = (settings: BrevoSettings, message: OutboundEmail) => ({
  sender: {
    email: message.from ?? settings.from,
    ...(message.fromName === '' ? {} : { name: message.fromName }),
  },
  to: [{ email: message.to }],
  subject: message.subject,
  textContent: message.text,
  htmlContent: message.html,
  headers: {
    ...Object.fromEntries(headersToPass(message.headers)),
    [BREVO_REFERENCE_HEADER]: message.reference,
  },
});

function sort({ status, body }: ApiAnswer): ProviderResponse | null {
  if (isSuccess(status)) return acceptedAs(textAt(body, 'messageId'));
  const code = textAt(body, 'code');
  if (code === null || status < 400 || status >= 500) return null;
  // Their status says more than their codes.
  if (status === 404 || status === 405 || status === 408 || status === 429) return null;
  return responseFor(verdictOn(code, body), `brevo_${code}`);
}

const VERDICTS: Verdicts = {
  unauthorized: accountFault(
    'Brevo refuses the API key (unauthorized): check BREVO_API_KEY, and that Brevo allows the address that this machine calls from.',
  ),
  permission_denied: accountFault(
    'Brevo does not let this account send (permission_denied): activate its transactional email.',
  ),
  not_enough_credits: accountFault('Brevo’s credits are used up (not_enough_credits): raise the plan.'),
  account_under_validation: accountFault('Brevo is still reviewing the account (account_under_validation).'),
  invalid_parameter: refuse('message'),
  missing_parameter: refuse('message'),
  out_of_range: refuse('message'),
};

const verdictOn = (code: string, body: unknown): Verdict =>
  code === 'invalid_parameter' && isAboutSender(body)
    ? senderFault(
        'Brevo does not send from this address (invalid_parameter): verify the sender or domain that mail comes from.',
      )
    : (verdictIn(VERDICTS, code) ?? refuse('message', `Brevo refuses a mail (${code}).`));

const isAboutSender = (body: unknown): boolean => /\bsender\b/i.test(textAt(body, 'message') ?? '');

import { textAt } from '../../kit/json.ts';
import { type ApiAnswer, type ApiFacts, acceptedAs, apiProvider, isSuccess } from '../api.ts';
import type { ApiDeps } from '../http.ts';
import { headersToPass, mailbox } from '../mailbox.ts';
import { type OutboundEmail, type Provider, type ProviderResponse, REFERENCE_TAG } from '../provider.ts';
import { accountFault, refuse, responseFor, senderFault, type Verdict } from '../verdicts.ts';
import type { ResendSettings } from './settings.ts';

export const RESEND: ApiFacts = { called: 'Resend', prefix: 'resend', credentials: 'RESEND_API_KEY' };

/**
 * Resend's email API, which has idempotency keys. The key names the attempt, because the next attempt's mail holds another
 * link.
 */
export const resendEmail = (settings: ResendSettings, deps: ApiDeps): Provider<OutboundEmail> =>
  apiProvider(RESEND, deps, {
    maxConcurrent: 5,
    remembersIds: true,
    request: (message) => ({
      method: 'POST',
      url: `${settings.apiUrl}/emails`,
      headers: {
        authorization: `Bearer ${settings.apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': `${message.reference}/${message.attempt}`,
      },
      body: JSON.stringify(bodyOf(settings, message)),
    }),
    sort,
  });

const bodyOf = (settings: ResendSettings, message: OutboundEmail) => ({
  from: mailbox(message.fromName, message.from ?? settings.from),
  to: [message.to],
  subject: message.subject,
  text: message.text,
  html: message.html,
  headers: Object.fromEntries(headersToPass(message.headers)),
  tags: [{ name: REFERENCE_TAG, value: message.reference }],
});

function sort({ status, body }: ApiAnswer): ProviderResponse | null {
  if (isSuccess(status)) return acceptedAs(textAt(body, 'id'));
  const name = textAt(body, 'name');
  if (name === null || status < 400 || status >= 500) return null;
  const errorCode = `resend_${name}`;
  // Our own earlier call is still in progress.
  if (name === 'concurrent_idempotent_requests') return { outcome: 'unknown', errorCode };
  const verdict = verdictOn(name, status, body);
  return verdict === null ? null : responseFor(verdict, errorCode);
}

function verdictOn(name: string, status: number, body: unknown): Verdict | null {
  if (name === 'daily_quota_exceeded' || name === 'monthly_quota_exceeded')
    return accountFault(`Resend's quota is used up (${name}): raise the plan, or wait for the next period.`);
  if (name === 'invalid_from_address' || (status === 403 && isAboutDomain(body)))
    return senderFault(
      `Resend does not send from this domain (${name}): verify the domain that mail comes from.`,
    );
  if (status === 401 || status === 403)
    return accountFault(`Resend refuses the API key (${name}): check RESEND_API_KEY.`);
  if (status === 429) return refuse('over_limits');
  if (status === 404 || status === 405) return null;
  // A key used for two different mails is a bug of ours, not a fault of the mail.
  return refuse('message', status === 409 ? `Resend refuses an idempotency key (${name}).` : undefined);
}

const isAboutDomain = (body: unknown): boolean => /domain/i.test(textAt(body, 'message') ?? '');

import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs, SECOND } from '../../kit/clock.ts';
import { textAt } from '../../kit/json.ts';
import { type ApiAnswer, type ApiFacts, acceptedAs, answerFrom, isSuccess } from '../api.ts';
import { type ApiDeps, type Exchange, exchange, HTTP_CALL_MS, type HttpRequest } from '../http.ts';
import { headersToPass, mailbox } from '../mailbox.ts';
import { type OutboundEmail, type Provider, type ProviderResponse, REFERENCE_TAG } from '../provider.ts';
import { accountFault, refuse, responseFor, senderFault, type Verdict } from '../verdicts.ts';
import type { ResendSettings } from './settings.ts';

export const RESEND: ApiFacts = { called: 'Resend', prefix: 'resend', credentials: 'RESEND_API_KEY' };
const MAX_CONCURRENT = 5;
/** The waits before repeating an unanswered call, with the same key and the same bytes. */
const RETRY_AFTER_MS = [SECOND / 2, 2 * SECOND] as const;

/**
 * Resend's email API, the one provider with idempotency keys. A call whose response was lost is repeated with the
 * same key and the same bytes, which never sends twice and usually brings the response. The key names the
 * attempt, because the next attempt's mail holds another link.
 */
export function resendEmail(settings: ResendSettings, deps: ApiDeps): Provider<OutboundEmail> {
  const { client, callMs = HTTP_CALL_MS } = deps;
  return {
    name: 'resend',
    maxConcurrent: MAX_CONCURRENT,
    timeoutMs: callMs + SECOND,
    async send(message, signal) {
      const request: HttpRequest = {
        method: 'POST',
        url: `${settings.apiUrl}/emails`,
        headers: {
          authorization: `Bearer ${settings.apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': `${message.reference}/${message.attempt}`,
        },
        body: JSON.stringify(bodyOf(settings, message)),
      };
      const until = monotonicMs() + callMs;
      const call = () => exchange(client, request, { signal, timeoutMs: Math.max(1, until - monotonicMs()) });
      let result = await call();
      for (const pause of RETRY_AFTER_MS) {
        if (!isUndecided(result) || signal.aborted || monotonicMs() + pause >= until) break;
        await sleep(pause, undefined, { signal }).catch(() => {});
        const again = await call();
        // A failure to connect this time proves nothing about the earlier call.
        if (again.kind !== 'not_sent') result = again;
      }
      return answerFrom(RESEND, result, sort);
    },
  };
}

/** Whether it is still unknown if Resend accepted the mail. */
function isUndecided(result: Exchange): boolean {
  if (result.kind !== 'answered') return result.kind === 'lost';
  return result.status >= 500 || (result.status < 300 && !result.whole) || isConcurrent(result);
}

/** Our own earlier call is still in progress. */
const isConcurrent = ({ status, body }: { status: number; body: string }): boolean =>
  status === 409 && body.includes('concurrent_idempotent_requests');

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

import type { Channel } from '../contract/channels.ts';
import type { DeliveryReport, ReportFacts } from './callbackContent.ts';
import type { NotSetUp, ProviderResponse, Refusal } from './provider.ts';

/** The meaning of a provider's error code, in a response or in a delivery report. */
export type Verdict =
  | { because: Refusal; alarm?: string }
  | { concerns: NotSetUp['concerns']; sentence: string };

/** By error code. */
export type Verdicts = Readonly<Record<string, Verdict>>;

export const refuse = (because: Refusal, alarm?: string): Verdict => ({
  because,
  ...(alarm === undefined ? {} : { alarm }),
});

/** A template that another review may make sendable again. */
export const templateRefused = (text: string): Verdict =>
  refuse('template', `${text}: run the command template sync.`);

export const accountFault = (sentence: string): Verdict => ({ concerns: 'account', sentence });
export const senderFault = (sentence: string): Verdict => ({ concerns: 'sender', sentence });

export const verdictIn = (verdicts: Verdicts, code: string | null): Verdict | null =>
  code !== null && Object.hasOwn(verdicts, code) ? (verdicts[code] ?? null) : null;

/** The verdict as a response. `ownSender`: a business's own sender, which has templates of its own. */
export function responseFor(verdict: Verdict, errorCode: string, ownSender = false): ProviderResponse {
  if ('concerns' in verdict) return { outcome: 'not_set_up', errorCode, ...verdict };
  if (verdict.because === 'template' && ownSender)
    return { outcome: 'not_set_up', concerns: 'sender', errorCode, sentence: verdict.alarm ?? '' };
  return { outcome: 'refused', errorCode, ...verdict };
}

/** What the verdict on a report's error code asks of the operator. */
export function faultsOf(channel: Channel, about: string, verdict: Verdict | null) {
  const sentence = verdict === null ? undefined : 'concerns' in verdict ? verdict.sentence : verdict.alarm;
  return sentence === undefined ? [] : [{ channel, about, sentence }];
}

/**
 * What a report says about its send, and whether the person opted out. A message that the provider refused is `rejected`, which refunds it; one that it sent in vain
 * stays charged.
 */
export function interpretReport(
  status: ReportFacts['status'],
  errorCode: string | null,
  verdict: Verdict | null,
): ReportFacts & Pick<DeliveryReport, 'stopped'> {
  if (verdict === null) return { status, errorCode };
  // The operator's problem, so the merchant does not pay.
  if ('concerns' in verdict) return { status: 'rejected', errorCode };
  switch (verdict.because) {
    case 'stopped':
      return { status: 'rejected', errorCode: 'stopped', stopped: true };
    case 'not_on_whatsapp':
      return { status: 'rejected', errorCode: 'not_reachable', notOnWhatsapp: true };
    case 'capped':
    case 'over_limits':
      return { status: 'rejected', errorCode: 'platform_limited' };
    case 'template':
      return { status: 'rejected', errorCode: 'template_not_sendable' };
    default:
      return { status, errorCode };
  }
}

/**
 * An enhanced status code (RFC 3463) that says the recipient's address is permanently wrong. Other 5.1 codes concern the
 * sender, and 5.7 concerns policy.
 */
export const isDeadAddress = (status: string | null) =>
  status !== null && /^5\.1\.(0|1|2|3|6|10)$/.test(status);

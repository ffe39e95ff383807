import type { Refusal } from '../providers/provider.ts';
import type { ReportFacts } from './afterReport.ts';
import type { DeliveryReport } from './reports.ts';

/** What the codes of a platform's report mean: why it would not carry the message, or what is ours to put right. */
export type ReportVerdict = { because: Refusal } | { concerns: string };

/** What a report says of its send, and of the person's wish. */
export type InterpretedReport = ReportFacts & Pick<DeliveryReport, 'stopped'>;

/** What the platform would not carry at all is given back; what it carried and could not deliver is not. */
export function interpretReport(
  status: ReportFacts['status'],
  errorCode: string | null,
  verdict: ReportVerdict | null,
): InterpretedReport {
  if (verdict === null) return { status, errorCode };
  // Ours to put right: nobody got anything for it.
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

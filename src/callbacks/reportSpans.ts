import { systemClock } from '../kit/clock.ts';
import type { TraceContext, TraceSpan, Tracing } from '../kit/tracing.ts';
import type { LockedSend } from '../outbox/lockSql.ts';

export interface ReportObserver {
  /** A report changed a send. */
  onReport?: (provider: string, status: string) => void;
  tracing?: Tracing | null;
}

const NOT_RECEIVED: readonly string[] = ['bounced', 'complained', 'failed', 'rejected'];

/**
 * Starts to observe a list of reports; the returned function takes those that changed a send. The span of each is a child of the
 * push, in the push's trace, and is linked to the provider's request, which can carry the reports of many sends.
 */
export function observeReports({ onReport, tracing }: ReportObserver, request: TraceSpan | null = null) {
  const startedAt = tracing ? systemClock.now() : null;
  const links: TraceContext[] = request === null ? [] : [request.context];
  return (applied: readonly { report: { provider: string; status: string }; send: LockedSend }[]): void => {
    for (const { report, send } of applied) {
      onReport?.(report.provider, report.status);
      if (!tracing || startedAt === null) continue;
      const span = tracing.start(`report ${send.channel}`, {
        kind: 'consumer',
        parent: send.trace_context,
        links,
        startedAt,
        attributes: {
          'messaging.system': report.provider,
          'messaging.operation.type': 'process',
          'messaging.operation.name': 'report',
          'messaging.destination.name': send.channel,
          'waypost.business_id': send.business_id,
          'waypost.message_id': send.message_id,
          'waypost.send_id': send.id,
          'waypost.status': report.status,
        },
      });
      span.end({}, NOT_RECEIVED.includes(report.status) ? report.status : null);
    }
  };
}

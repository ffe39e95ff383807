import type { SpanAttributes, TraceSpan, Tracing } from '../kit/tracing.ts';
import type { ProviderResponse } from '../providers/provider.ts';
import type { LockedSend } from './lockSql.ts';

/*
 * The spans of a send. Each is about one message, so it is a child of the push in the push's own trace, as the messaging conventions
 * of OpenTelemetry allow for a single message; links are for work on many. It can begin days later, in another process.
 */

/** From the permit until the outcome is recorded. */
export const attemptSpan = (tracing: Tracing, send: LockedSend): TraceSpan =>
  tracing.start(`nudge ${send.channel}`, {
    kind: 'consumer',
    parent: send.trace_context,
    attributes: attributesOf(send),
  });

const attributesOf = (send: LockedSend): SpanAttributes => ({
  'messaging.system': 'waypost',
  'messaging.operation.type': 'process',
  'messaging.operation.name': 'nudge',
  'messaging.destination.name': send.channel,
  'messaging.message.id': send.id,
  'waypost.business_id': send.business_id,
  'waypost.message_id': send.message_id,
  'waypost.send_id': send.id,
  'waypost.purpose': send.purpose,
  'waypost.attempt': send.attempts,
});

export const endAttemptSpan = (span: TraceSpan, { outcome }: ProviderResponse): void =>
  span.end({ 'waypost.outcome': outcome }, outcome === 'accepted' ? null : outcome);

/** A gate stopped the send: it is not attempted. */
export const stoppedSpan = (tracing: Tracing, send: LockedSend): void =>
  attemptSpan(tracing, send).end({ 'waypost.outcome': 'skipped', 'waypost.skip_reason': send.reason });

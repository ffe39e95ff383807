import type { TraceSpan, Tracing } from '../kit/tracing.ts';
import type { AnyOutbound, ProviderResponse } from '../providers/provider.ts';

/** A call to a provider. It names no address, and no server: the provider's name says it. */
export const callSpan = (
  tracing: Tracing,
  provider: string,
  { channel, businessId, messageId, sendId, attempt }: AnyOutbound,
  parent: TraceSpan | null | undefined,
): TraceSpan =>
  tracing.start(`call ${provider}`, {
    kind: 'client',
    parent: parent?.context,
    attributes: {
      'messaging.system': provider,
      'messaging.operation.type': 'send',
      'messaging.destination.name': channel,
      'waypost.business_id': businessId,
      'waypost.message_id': messageId,
      'waypost.send_id': sendId,
      'waypost.attempt': attempt,
    },
  });

/** The provider's own error code can quote what it was sent, so the outcome has to do. */
export const endCallSpan = (span: TraceSpan, answer: ProviderResponse): void => {
  const { outcome } = answer;
  const because = outcome === 'refused' ? answer.because : null;
  span.end(
    { 'waypost.outcome': outcome, 'waypost.refusal': because },
    outcome === 'accepted' ? null : (because ?? outcome),
  );
};

import type { TraceSpan, Tracing } from '../kit/tracing.ts';
import type { DeliveryContent, Job } from './endpointQueue.ts';
import type { WebhookAnswer } from './post.ts';

/**
 * One attempt to deliver, in the trace of the push that the event is about. Its place is the header `traceparent` of the delivery. The
 * endpoint is named by its id: a URL can hold a secret.
 */
export const deliverySpan = (
  tracing: Tracing,
  { businessId, endpointId, eventId, attempts }: Job,
  { type, trace }: DeliveryContent,
): TraceSpan =>
  tracing.start('deliver webhook', {
    kind: 'client',
    parent: trace,
    attributes: {
      'http.request.method': 'POST',
      'http.request.resend_count': attempts > 0 ? attempts : null,
      'waypost.business_id': businessId,
      'waypost.endpoint_id': endpointId,
      'waypost.event_id': eventId,
      'waypost.event_type': type,
      'waypost.attempt': attempts + 1,
    },
  });

export const endDeliverySpan = (span: TraceSpan, { delivered, statusCode }: WebhookAnswer): void =>
  span.end({ 'http.response.status_code': statusCode }, delivered ? null : String(statusCode ?? 'no_answer'));

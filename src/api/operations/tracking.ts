import { IDEMPOTENCY_KEY_MAX } from '../../config/limits.ts';
import { OrderParams, TrackingBody, TrackingResult } from '../../contract/orders.ts';
import type { Hasher } from '../../kit/seal.ts';
import type { ReportedEvent } from '../../tracking/decideTracking.ts';
import type { Tracking } from '../../tracking/tracking.ts';
import { keyedFingerprint, requestFingerprint } from '../fingerprint.ts';
import { operation } from '../operation.ts';
import { pushesAtOnce } from './push.ts';

interface TrackingOperationDeps {
  tracking: Tracking;
  hash: Hasher;
  /** The sustained calls per second of one business; 0: unlimited. */
  ratePerSecond?: number;
}

const EXAMPLES = {
  request: {
    tracking_number: 'JD0146000912',
    status: 'out_for_delivery',
    at: '2026-08-20T09:15:00Z',
    location: 'Tallinn',
  },
  response: {
    status: 'out_for_delivery',
    is_first: true,
    nudged: true,
    message_id: 'mh0q2z4k00x7c1v9b3n5m8l2',
  },
};

export const trackingOperations = ({ tracking, hash, ratePerSecond = 0 }: TrackingOperationDeps) => [
  operation({
    id: 'reportTracking',
    method: 'POST',
    path: '/api/v1/orders/{reference}/tracking',
    access: ['send'],
    tag: 'Orders',
    summary: 'Report what a carrier says of a shipment',
    description:
      'Stores the event once, in whatever order events arrive. The first one of a status that your settings name makes a ' +
      'message in your words and nudges, unless something newer is known or a push has told it within 12 hours.',
    params: OrderParams,
    body: TrackingBody,
    asksForKey: true,
    concurrencyWhenShared: pushesAtOnce(ratePerSecond),
    idempotencyKeyMax: IDEMPOTENCY_KEY_MAX,
    success: { status: 202, shape: TrackingResult, description: 'The event is stored.' },
    errors: ['request.conflict'],
    examples: EXAMPLES,
    handle: ({ caller: { businessId, keyId }, span, params, body, raw, bytes, idempotencyKey }) =>
      tracking.report({
        businessId,
        keyId,
        key: idempotencyKey,
        fingerprint: keyedFingerprint(hash, requestFingerprint(raw, params)),
        reference: params.reference,
        event: trackingEvent(body),
        bytes,
        span,
      }),
  }),
];

const trackingEvent = (body: TrackingBody): ReportedEvent => ({
  trackingNumber: body.tracking_number,
  status: body.status,
  at: body.at,
  description: unlessBlank(body.description),
  location: unlessBlank(body.location),
  recipientEmail: body.recipient_email ?? null,
  isQuiet: false,
});

const unlessBlank = (text: string | null | undefined): string | null =>
  text == null || text.trim() === '' ? null : text;

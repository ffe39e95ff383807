import {
  BATCH_BODY_MAX,
  BATCH_IDEMPOTENCY_KEY_MAX,
  BATCH_MAX,
  IDEMPOTENCY_KEY_MAX,
} from '../../config/limits.ts';
import {
  BatchBody,
  BatchResult,
  DescribedBatch,
  PushBody,
  PushPreview,
  PushResult,
} from '../../contract/push.ts';
import type { Clock } from '../../kit/clock.ts';
import { ApiError } from '../../kit/errors.ts';
import { isObject } from '../../kit/json.ts';
import { parsePhone } from '../../kit/phoneNumber.ts';
import type { Hasher } from '../../kit/seal.ts';
import { shipmentFrom } from '../../orders/shipment.ts';
import type { BatchItem } from '../../push/acceptBatch.ts';
import { itemKey } from '../../push/locks.ts';
import type { Previews } from '../../push/preview.ts';
import type { Pushes } from '../../push/pushes.ts';
import type { PushItem, PushRequest } from '../../push/request.ts';
import { keyedFingerprint, requestFingerprint } from '../fingerprint.ts';
import { json, operation } from '../operation.ts';
import { fieldNames, sentenceFor } from '../validation/sentence.ts';
import { compile, type Validator } from '../validation/validate.ts';
import { pushExamples } from './examples.ts';

interface PushOperationDeps {
  pushes: Pushes;
  clock: Clock;
  hash: Hasher;
  previews: Pick<Previews, 'preview'>;
  /** The sustained calls per second of one business; 0: unlimited. */
  ratePerSecond?: number;
}

/** How long a push takes on a slow database. */
const PUSH_SECONDS = 0.1;
const PUSHES_AT_ONCE_MIN = 4;
const PUSHES_AT_ONCE_UNLIMITED = 64;

/** How many pushes of one business run at once while others call: enough for its sustained rate. */
export const pushesAtOnce = (perSecond: number): number =>
  perSecond === 0
    ? PUSHES_AT_ONCE_UNLIMITED
    : Math.max(PUSHES_AT_ONCE_MIN, Math.ceil(perSecond * PUSH_SECONDS));

/**
 * While others call, a burst is spread out to this much above the sustained rate: at full speed it would occupy
 * the process and the database for seconds, and delay everyone else's pushes (measured).
 */
const BURST_FACTOR = 1.25;

const BATCHES_AT_ONCE = 2;

export const pushOperations = (deps: PushOperationDeps) => [pushOne(deps), preview(deps), pushBatch(deps)];

const pushOne = ({ pushes, ratePerSecond = 0 }: PushOperationDeps) =>
  operation({
    id: 'pushMessage',
    method: 'POST',
    path: '/api/v1/messages',
    access: ['send'],
    tag: 'Messages',
    summary: 'Push an update about an order',
    description:
      'Stores the update as a message in the recipient’s inbox and queues a nudge about it. A 201 means the message is ' +
      'stored; what happens on each channel is in the channel blocks.',
    body: PushBody,
    asksForKey: true,
    concurrencyWhenShared: pushesAtOnce(ratePerSecond),
    perSecondWhenShared: ratePerSecond === 0 ? Number.POSITIVE_INFINITY : ratePerSecond * BURST_FACTOR,
    idempotencyKeyMax: IDEMPOTENCY_KEY_MAX,
    success: { status: 201, shape: PushResult, description: 'The message is stored.' },
    errors: ['sms.phone_invalid', 'request.conflict'],
    examples: pushExamples.single,
    handle: async ({ caller, span, body, raw, bytes, idempotencyKey }) => {
      const request = pushRequest(body);
      if (request instanceof ApiError) throw request;
      return pushes.push({
        businessId: caller.businessId,
        keyId: caller.keyId,
        key: idempotencyKey,
        fingerprint: requestFingerprint(raw),
        request,
        bytes,
        span,
      });
    },
  });

const preview = ({ previews }: PushOperationDeps) =>
  operation({
    id: 'previewPush',
    method: 'POST',
    path: '/api/v1/messages/preview',
    tag: 'Messages',
    summary: 'See what a push would do',
    access: ['send'],
    description:
      'Takes the body of a push and answers what it would do now: what is created or updated, which nudges could follow with ' +
      'their exact words, and what they would cost. Nothing is written and nothing is sent.',
    body: PushBody,
    success: { status: 200, shape: PushPreview, description: 'What the push would do.' },
    errors: ['sms.phone_invalid'],
    examples: pushExamples.preview,
    handle: async ({ caller, body }) => {
      const request = pushRequest(body);
      if (request instanceof ApiError) throw request;
      return json(200, await previews.preview(caller.businessId, request));
    },
  });

function pushBatch({ pushes, clock, hash }: PushOperationDeps) {
  const validateItem = compile(PushBody, { clock });
  return operation({
    id: 'pushBatch',
    method: 'POST',
    path: '/api/v1/messages/batch',
    access: ['send'],
    tag: 'Messages',
    summary: 'Push up to 100 updates in one call',
    description:
      'Items succeed or fail independently: check each item’s `ok`. Each item’s own idempotency key is the batch’s with ' +
      '`#<index>` appended, so a batch is safe to retry.',
    body: BatchBody,
    describedBody: DescribedBatch,
    uncheckedField: 'items',
    bodyLimit: BATCH_BODY_MAX,
    asksForKey: true,
    concurrencyWhenShared: BATCHES_AT_ONCE,
    idempotencyKeyMax: BATCH_IDEMPOTENCY_KEY_MAX,
    success: { status: 200, shape: BatchResult, description: 'The batch was processed; see each item.' },
    errors: ['request.conflict'],
    examples: pushExamples.batch,
    handle: ({ caller: { businessId, keyId }, span, body, raw, bytes, idempotencyKey }) => {
      const items = body.items.map((item, index) => ({
        businessId,
        keyId,
        key: itemKey(idempotencyKey, index),
        fingerprint: requestFingerprint(item),
        bytes: Math.ceil(bytes / BATCH_MAX),
        span,
        item,
      }));
      // Each item's fingerprint represents the item, so it is not serialised twice.
      const named = isObject(raw) ? { ...raw, items: items.map((item) => item.fingerprint) } : raw;
      return pushes.batch({
        businessId,
        keyId,
        key: idempotencyKey,
        fingerprint: keyedFingerprint(hash, requestFingerprint(named)),
        bytes,
        items: items.map((item) => batchItem(item, validateItem)),
      });
    },
  });
}

function batchItem(
  { item, ...push }: Omit<PushItem, 'request'> & { item: unknown },
  validate: Validator<PushBody>,
): BatchItem {
  const checked = validate(item, []);
  if (!checked.ok) {
    const detail = sentenceFor(checked.faults);
    const erased = sentenceFor(checked.faults, OUR_NAMES);
    return {
      kind: 'invalid',
      error: new ApiError('common.validation_failed', detail),
      erasedDetail: erased === detail ? null : erased,
    };
  }
  const request = pushRequest(checked.value);
  if (request instanceof ApiError) return { kind: 'invalid', error: request, erasedDetail: null };
  return { kind: 'push', push: { ...push, request } };
}

/** The names that a stored detail can keep after an erasure: any other name is the caller's text. */
const OUR_NAMES = fieldNames(PushBody);

/** The validated body as the rules see it. A number that cannot be a person's is refused before anything is written. */
export function pushRequest(body: PushBody): PushRequest | ApiError {
  const phone = body.recipient_phone == null ? null : parsePhone(body.recipient_phone);
  if (body.recipient_phone != null && phone === null) return new ApiError('sms.phone_invalid');
  return {
    recipientEmail: body.recipient_email,
    subject: body.subject,
    body: body.body,
    phone,
    channels: body.channels ?? null,
    whatsappOptIn: body.whatsapp_opt_in ?? null,
    smsIfWhatsappFails: body.sms_if_whatsapp_fails,
    reference: body.reference ?? null,
    orderStatus: body.order_status ?? null,
    kind: body.kind,
    notify: body.notify ?? null,
    sendAt: body.send_at ?? null,
    escalateMinutes: body.escalate_if_unread_after_minutes ?? null,
    obsoletes: body.obsoletes,
    shipment: body.shipment == null ? null : shipmentFrom(body.shipment.tracking_number, body.shipment),
    milestone: null,
    language: body.language ?? null,
  };
}

import { IDEMPOTENCY_KEY_MAX } from '../../config/limits.ts';
import {
  DeliveriesQueryParams,
  DeliveryList,
  ReplayBody,
  ReplayResult,
  RotateBody,
  RotatedEndpoint,
} from '../../contract/deliveries.ts';
import { EndpointParams } from '../../contract/endpoints.ts';
import type { Pool } from '../../db/pool.ts';
import { answerOnce, type KeyClaim } from '../../idempotency/idempotency.ts';
import type { Clock } from '../../kit/clock.ts';
import { ApiError, invalid } from '../../kit/errors.ts';
import { isObject } from '../../kit/json.ts';
import type { Hasher, Sealer } from '../../kit/seal.ts';
import { deliveryCursors, listEndpointDeliveries } from '../../webhooks/deliveryLog.ts';
import { replayOnce } from '../../webhooks/replayOnce.ts';
import { rotateEndpointSecret } from '../../webhooks/rotate.ts';
import { keyedFingerprint, requestFingerprint } from '../fingerprint.ts';
import { type AnyOperation, type Call, json, operation } from '../operation.ts';
import { cursorFormat } from '../validation/cursor.ts';
import { endpointExample, endpointView, ofEndpoints } from './endpoints.ts';

interface DeliveryOperationDeps {
  pool: Pool;
  clock: Clock;
  hash: Hasher;
  sealer: Sealer;
  onEvents: () => void;
}

/** The operations on what was sent to an endpoint, and on the secret that signs it. */
export function deliveryOperations({
  pool,
  clock,
  hash,
  sealer,
  onEvents,
}: DeliveryOperationDeps): AnyOperation[] {
  const claimOf = (
    scope: KeyClaim['scope'],
    { caller, params, raw, idempotencyKey }: Call<{ public_id: string }, unknown, unknown>,
  ): KeyClaim => ({
    businessId: caller.businessId,
    scope,
    key: idempotencyKey,
    fingerprint: keyedFingerprint(hash, requestFingerprint(raw, params)),
    now: clock.now(),
  });

  return [
    operation({
      ...ofEndpoints,
      id: 'listWebhookDeliveries',
      method: 'GET',
      path: '/api/v1/webhook-endpoints/{public_id}/deliveries',
      access: ['read'],
      summary: 'List what was sent to a webhook endpoint',
      description:
        'Newest event first, each once, with every attempt. Test pings are not listed. The deliveries of a deleted endpoint ' +
        'can be read for as long as its events are kept.',
      params: EndpointParams,
      query: DeliveriesQueryParams,
      formats: { cursor: cursorFormat(deliveryCursors.idIn) },
      success: { status: 200, shape: DeliveryList, description: 'A page of deliveries.' },
      errors: ['webhook.endpoint_not_found'],
      examples: { response: { items: [delivery], next_cursor: null } },
      handle: async ({ caller, params, query }) => {
        const { status = null, limit = null, cursor: before = null } = query;
        const endpoint = { businessId: caller.businessId, endpointId: params.public_id };
        return json(200, await listEndpointDeliveries(pool, endpoint, { status, limit, before }));
      },
    }),

    operation({
      ...ofEndpoints,
      id: 'replayWebhookDeliveries',
      method: 'POST',
      path: '/api/v1/webhook-endpoints/{public_id}/replay',
      access: [],
      summary: 'Send the events of a time window to a webhook endpoint again',
      description:
        'Queues the stored events of the window in order of occurrence, with the same ids. What still waits is not queued twice.',
      params: EndpointParams,
      body: ReplayBody,
      idempotencyKeyMax: IDEMPOTENCY_KEY_MAX,
      success: { status: 202, shape: ReplayResult, description: 'How much was queued.' },
      errors: ['webhook.endpoint_not_found', 'webhook.endpoint_disabled', 'request.conflict'],
      examples: {
        request: { since: '2026-08-20T00:00:00Z', until: '2026-08-20T09:00:00Z' },
        response: { queued: 42 },
      },
      handle: async (call) => {
        const { caller, params, body } = call;
        const { since, types = null, only } = body;
        const claim = claimOf('replay', call);
        const until = body.until ?? null;
        if ((until ?? claim.now) <= since) throw notAfterSince(call.raw);
        const { businessId, keyId } = caller;
        const request = { businessId, keyId, endpointId: params.public_id, since, until, types, only };
        const answer = await replayOnce({ pool, clock }, claim, request);
        if (!answer.replayed && answer.done.queued > 0) onEvents();
        return answer;
      },
    }),

    operation({
      ...ofEndpoints,
      id: 'rotateWebhookSecret',
      method: 'POST',
      path: '/api/v1/webhook-endpoints/{public_id}/rotate-secret',
      access: [],
      summary: 'Give a webhook endpoint a new signing secret',
      description:
        'The new secret is in this response only; a replay of it shows the secret masked. Deliveries are signed with the old ' +
        'secret until `secret_switches_at` and with the new one afterwards. A new rotation replaces a pending one.',
      params: EndpointParams,
      body: RotateBody,
      bodyOptional: true,
      idempotencyKeyMax: IDEMPOTENCY_KEY_MAX,
      success: { status: 200, shape: RotatedEndpoint, description: 'The endpoint, with its new secret.' },
      errors: ['webhook.endpoint_not_found', 'request.conflict'],
      examples: {
        request: { switch_after_minutes: 60 },
        response: {
          ...endpointExample,
          secret: 'whsec_9p2d7f4h1j6k8l3z5x0c7v2b4n9m1q6w8e3r5t0y',
          secret_switches_at: '2026-08-20T10:15:00.000Z',
        },
      },
      handle: async (call) => {
        const { caller, params, body } = call;
        const claim = claimOf('rotate_secret', call);
        const answer = await answerOnce(pool, claim, async (tx) => {
          const { businessId, keyId } = caller;
          const switchAfterMinutes = body.switch_after_minutes;
          const request = { businessId, keyId, endpointId: params.public_id, switchAfterMinutes };
          const rotated = await rotateEndpointSecret(tx, sealer, request, claim.now);
          if (rotated === null) throw new ApiError('webhook.endpoint_not_found');
          const { endpoint, secret, switchesAt } = rotated;
          const masked = { ...endpointView(endpoint), secret_switches_at: switchesAt.toISOString() };
          const whole = JSON.stringify({ ...masked, secret });
          return { status: 200, body: JSON.stringify(masked), recipientId: null, whole };
        });
        return answer.replayed ? answer : { status: answer.status, body: answer.done.whole };
      },
    }),
  ];
}

const notAfterSince = (raw: unknown): ApiError =>
  invalid({
    type: 'value_error',
    loc: ['body', 'until'],
    msg: 'Value error, must be after since',
    input: isObject(raw) ? (raw.until ?? null) : null,
  });

const delivery = {
  event_id: 'mh0q9c1s00a4e8r2t6y0u3i7',
  type: 'message.delivered',
  status: 'delivered',
  created_at: '2026-08-20T09:15:02.000Z',
  next_attempt_at: null,
  attempts: [
    {
      at: '2026-08-20T09:15:02.031Z',
      status_code: 503,
      error: 'The endpoint answered 503.',
      duration_ms: 38,
    },
    { at: '2026-08-20T09:15:07.412Z', status_code: 204, error: null, duration_ms: 21 },
  ],
};

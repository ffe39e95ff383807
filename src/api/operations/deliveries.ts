import { IDEMPOTENCY_KEY_MAX } from '../../config/limits.ts';
import {
  DeliveriesQueryParams,
  DeliveryList,
  ReplayBody,
  ReplayResult,
  RotateBody,
  RotatedEndpoint,
} from '../../contract/endpoints.ts';
import { answerOnce } from '../../idempotency/idempotency.ts';
import { invalid } from '../../kit/errors.ts';
import { at } from '../../kit/json.ts';
import type { Sealer } from '../../kit/seal.ts';
import { deliveryCursors, listEndpointDeliveries } from '../../webhooks/deliveryLog.ts';
import { rotateEndpointSecret } from '../../webhooks/endpoints.ts';
import { replayOnce } from '../../webhooks/replay.ts';
import { type Call, found, json, type OperationDeps, operation } from '../operation.ts';
import { faultAt, wrong } from '../validation/faults.ts';
import { cursorFormat } from '../validation/strings.ts';
import { endpointExample, OF_ENDPOINT } from './endpoints.ts';
import { claimOf } from './onceOnMessage.ts';

/** The operations on what was sent to an endpoint, and on the secret that signs it. */
export const deliveryOperations = (deps: OperationDeps & { sealer: Sealer }) => [
  list(deps),
  replay(deps),
  rotate(deps),
];

const list = ({ pool }: OperationDeps) =>
  operation({
    ...OF_ENDPOINT,
    id: 'listWebhookDeliveries',
    method: 'GET',
    path: '/api/v1/webhook-endpoints/{public_id}/deliveries',
    access: ['read'],
    summary: 'List what was sent to a webhook endpoint',
    description:
      'Newest event first, each once, with every attempt. Test pings are not listed. The deliveries of a deleted endpoint ' +
      'can be read for as long as its events are kept.',
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
  });

const replay = (deps: OperationDeps) =>
  operation({
    ...OF_ENDPOINT,
    id: 'replayWebhookDeliveries',
    method: 'POST',
    path: '/api/v1/webhook-endpoints/{public_id}/replay',
    summary: 'Send the events of a time window to a webhook endpoint again',
    description:
      'Queues the stored events of the window in order of occurrence, with the same ids. What still waits is not queued twice.',
    body: ReplayBody,
    idempotencyKeyMax: IDEMPOTENCY_KEY_MAX,
    success: { status: 202, shape: ReplayResult, description: 'How much was queued.' },
    errors: ['webhook.endpoint_not_found', 'webhook.endpoint_disabled', 'request.conflict'],
    examples: {
      request: { since: '2026-08-20T00:00:00Z', until: '2026-08-20T09:00:00Z' },
      response: { queued: 42 },
    },
    handle: async (call) => {
      const { since, until = null, types = null, only } = call.body;
      const claim = claimOf(deps, 'replay', call, call.raw);
      if ((until ?? claim.now) <= since)
        throw invalid(
          faultAt(['body', 'until'], wrong.value('must be after since'), at(call.raw, 'until') ?? null),
        );
      const answer = await replayOnce(deps, claim, { ...endpointOf(call), since, until, types, only });
      if (!answer.replayed && answer.done.queued > 0) deps.onEvents();
      return answer;
    },
  });

const rotate = (deps: OperationDeps & { sealer: Sealer }) =>
  operation({
    ...OF_ENDPOINT,
    id: 'rotateWebhookSecret',
    method: 'POST',
    path: '/api/v1/webhook-endpoints/{public_id}/rotate-secret',
    summary: 'Give a webhook endpoint a new signing secret',
    description:
      'The new secret is in this response only; a replay of it shows the secret masked. Deliveries are signed with the old ' +
      'secret until `secret_switches_at` and with the new one afterwards. A new rotation replaces a pending one.',
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
      const claim = claimOf(deps, 'rotate_secret', call, call.raw);
      const request = { ...endpointOf(call), switchAfterMinutes: call.body.switch_after_minutes };
      const answer = await answerOnce(deps.pool, claim, async (tx) => {
        const rotated = await rotateEndpointSecret(tx, deps.sealer, request, claim.now);
        const { endpoint, secret, switchesAt } = found(rotated, 'webhook.endpoint_not_found');
        const masked = { ...endpoint, secret_switches_at: switchesAt };
        const whole = JSON.stringify({ ...masked, secret });
        return { status: 200, body: JSON.stringify(masked), recipientId: null, whole };
      });
      return answer.replayed ? answer : { status: answer.status, body: answer.done.whole };
    },
  });

const endpointOf = ({ caller, params }: Call<{ public_id: string }, unknown, unknown>) => ({
  businessId: caller.businessId,
  keyId: caller.keyId,
  endpointId: params.public_id,
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

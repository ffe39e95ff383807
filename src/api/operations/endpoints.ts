import { REQUEST_BODY_MAX } from '../../config/limits.ts';
import {
  CreateEndpointBody,
  EndpointList,
  EndpointParams,
  EndpointView,
  TestResult,
} from '../../contract/endpoints.ts';
import { createEndpoint, deleteEndpoint, type EndpointDeps } from '../../webhooks/endpoints.ts';
import { type Endpoint, listLiveEndpoints } from '../../webhooks/endpointsSql.ts';
import { parseEndpointUrl } from '../../webhooks/endpointUrl.ts';
import { type PingDeps, pingEndpoint } from '../../webhooks/ping.ts';
import { type AnyOperation, json, noContent, operation } from '../operation.ts';
import type { Format } from '../validation/strings.ts';

export const endpointExample = {
  id: 'mh0q2z4k00x7c1v9b3n5m8l2',
  url: 'https://shop.example/hooks/waypost',
  description: 'Shop backend',
  secret: 'whsec_…8l2x',
  event_types: [],
  disabled: false,
  consecutive_failures: 0,
  created_at: '2026-08-20T09:15:00.000Z',
  last_success_at: null,
  last_error: null,
};

export const ofEndpoints = { tag: 'Webhook endpoints', bodyLimit: REQUEST_BODY_MAX } as const;

type EndpointOperationDeps = EndpointDeps & PingDeps;

export function endpointOperations(deps: EndpointOperationDeps): AnyOperation[] {
  const { pool, clock, hosts } = deps;
  const readUrl = (text: string): ReturnType<Format> => {
    const parsed = parseEndpointUrl(text, hosts);
    return parsed.ok ? { ok: true, value: text } : parsed;
  };
  return [
    operation({
      ...ofEndpoints,
      id: 'listWebhookEndpoints',
      method: 'GET',
      path: '/api/v1/webhook-endpoints',
      access: ['read'],
      summary: 'List webhook endpoints',
      description: 'Newest first, with the secret masked.',
      success: { status: 200, shape: EndpointList, description: 'The endpoints.' },
      errors: [],
      examples: { response: { items: [endpointExample] } },
      handle: async ({ caller }) =>
        json(200, { items: (await listLiveEndpoints(pool, caller.businessId)).map(endpointView) }),
    }),

    operation({
      ...ofEndpoints,
      id: 'createWebhookEndpoint',
      method: 'POST',
      path: '/api/v1/webhook-endpoints',
      access: [],
      summary: 'Create a webhook endpoint',
      description:
        'The signing secret is in this response only. A business has at most 10 endpoints, each URL once.',
      body: CreateEndpointBody,
      formats: { uri: readUrl },
      success: { status: 201, shape: EndpointView, description: 'The endpoint, with its secret.' },
      errors: ['webhook.endpoint_exists', 'webhook.endpoint_limit_reached'],
      examples: {
        request: { url: endpointExample.url, description: endpointExample.description },
        response: { ...endpointExample, secret: 'whsec_4k8s1q9z7x2c5v0b3n6m8l1p4o7i9u2y5t8r1e6w' },
      },
      handle: async ({ caller, body }) => {
        const created = await createEndpoint(deps, {
          businessId: caller.businessId,
          keyId: caller.keyId,
          url: body.url,
          eventTypes: body.event_types,
          description: body.description ?? '',
        });
        return json(201, endpointView(created));
      },
    }),

    operation({
      ...ofEndpoints,
      id: 'deleteWebhookEndpoint',
      method: 'DELETE',
      path: '/api/v1/webhook-endpoints/{public_id}',
      access: [],
      summary: 'Delete a webhook endpoint',
      description: 'What is queued for it stops.',
      params: EndpointParams,
      success: { status: 204, shape: null, description: 'Deleted.' },
      errors: ['webhook.endpoint_not_found'],
      examples: {},
      handle: async ({ caller, params }) => {
        const { businessId, keyId } = caller;
        await deleteEndpoint(pool, clock, { businessId, keyId, endpointId: params.public_id });
        return noContent;
      },
    }),

    operation({
      ...ofEndpoints,
      id: 'testWebhookEndpoint',
      method: 'POST',
      path: '/api/v1/webhook-endpoints/{public_id}/test',
      access: [],
      summary: 'Send a ping to a webhook endpoint',
      description:
        'Answers 200 whatever the endpoint answers; `delivered` says whether the ping arrived. Health is not touched.',
      params: EndpointParams,
      success: { status: 200, shape: TestResult, description: 'What the endpoint answered.' },
      errors: ['webhook.endpoint_not_found', 'webhook.test_rate_limited'],
      examples: { response: { delivered: true, status_code: 204, error: null, duration_ms: 42 } },
      handle: async ({ caller: { businessId }, params: { public_id: endpointId }, span }) =>
        json(200, await pingEndpoint(deps, { businessId, endpointId, span })),
    }),
  ];
}

/** An endpoint as answers show it. */
export const endpointView = ({ created_at, last_success_at, last_error, ...endpoint }: Endpoint) => ({
  ...endpoint,
  created_at: created_at.toISOString(),
  last_success_at: last_success_at?.toISOString() ?? null,
  last_error,
});

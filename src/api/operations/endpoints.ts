import {
  ChangeEndpointBody,
  CreateEndpointBody,
  EndpointList,
  EndpointParams,
  EndpointView,
  TestResult,
} from '../../contract/endpoints.ts';
import { changeEndpoint, deleteEndpoint } from '../../webhooks/changeEndpoint.ts';
import { createEndpoint, type EndpointDeps } from '../../webhooks/endpoints.ts';
import { listLiveEndpoints } from '../../webhooks/endpointsSql.ts';
import { parseEndpointUrl } from '../../webhooks/endpointUrl.ts';
import { type PingDeps, pingEndpoint } from '../../webhooks/ping.ts';
import { json, noContent, operation } from '../operation.ts';
import type { Formats } from '../validation/strings.ts';

type EndpointOperationDeps = EndpointDeps & PingDeps;

export const endpointOperations = (deps: EndpointOperationDeps) => [
  list(deps),
  create(deps),
  change(deps),
  remove(deps),
  ping(deps),
];

export const OF_ENDPOINT = { tag: 'Webhook endpoints', params: EndpointParams } as const;

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

const list = ({ pool }: EndpointOperationDeps) =>
  operation({
    id: 'listWebhookEndpoints',
    method: 'GET',
    path: '/api/v1/webhook-endpoints',
    tag: 'Webhook endpoints',
    access: ['read'],
    summary: 'List webhook endpoints',
    description: 'Newest first, with the secret masked.',
    success: { status: 200, shape: EndpointList, description: 'The endpoints.' },
    examples: { response: { items: [endpointExample] } },
    handle: async ({ caller }) => json(200, { items: await listLiveEndpoints(pool, caller.businessId) }),
  });

const create = (deps: EndpointOperationDeps) =>
  operation({
    id: 'createWebhookEndpoint',
    method: 'POST',
    path: '/api/v1/webhook-endpoints',
    tag: 'Webhook endpoints',
    summary: 'Create a webhook endpoint',
    description:
      'The signing secret is in this response only. A business has at most 10 endpoints, each URL once.',
    body: CreateEndpointBody,
    formats: urlFormat(deps),
    success: { status: 201, shape: EndpointView, description: 'The endpoint, with its secret.' },
    errors: ['webhook.endpoint_exists', 'webhook.endpoint_limit_reached'],
    examples: {
      request: { url: endpointExample.url, description: endpointExample.description },
      response: { ...endpointExample, secret: 'whsec_4k8s1q9z7x2c5v0b3n6m8l1p4o7i9u2y5t8r1e6w' },
    },
    handle: async ({ caller: { businessId, keyId }, body }) => {
      const { url, event_types: eventTypes } = body;
      const description = body.description ?? '';
      return json(201, await createEndpoint(deps, { businessId, keyId, url, eventTypes, description }));
    },
  });

const change = (deps: EndpointOperationDeps) =>
  operation({
    ...OF_ENDPOINT,
    id: 'changeWebhookEndpoint',
    method: 'PATCH',
    path: '/api/v1/webhook-endpoints/{public_id}',
    summary: 'Change a webhook endpoint',
    description:
      'Its URL, what it takes, or whether it is enabled: all that is named, or nothing. Its secret stays. With another URL, or ' +
      'enabled again, its health begins anew.',
    body: ChangeEndpointBody,
    formats: urlFormat(deps),
    success: { status: 200, shape: EndpointView, description: 'The endpoint as it is now.' },
    errors: ['webhook.endpoint_not_found', 'webhook.endpoint_exists'],
    examples: { request: { enabled: true }, response: endpointExample },
    handle: async ({ caller: { businessId, keyId }, params: { public_id: endpointId }, body }) => {
      const { endpoint } = await changeEndpoint(deps, { businessId, keyId, endpointId }, body);
      return json(200, endpoint);
    },
  });

const remove = ({ pool, clock }: EndpointOperationDeps) =>
  operation({
    ...OF_ENDPOINT,
    id: 'deleteWebhookEndpoint',
    method: 'DELETE',
    path: '/api/v1/webhook-endpoints/{public_id}',
    summary: 'Delete a webhook endpoint',
    description: 'What is queued for it stops.',
    success: { status: 204, shape: null, description: 'Deleted.' },
    errors: ['webhook.endpoint_not_found'],
    handle: async ({ caller: { businessId, keyId }, params }) => {
      await deleteEndpoint(pool, clock, { businessId, keyId, endpointId: params.public_id });
      return noContent;
    },
  });

const ping = (deps: EndpointOperationDeps) =>
  operation({
    ...OF_ENDPOINT,
    id: 'testWebhookEndpoint',
    method: 'POST',
    path: '/api/v1/webhook-endpoints/{public_id}/test',
    summary: 'Send a ping to a webhook endpoint',
    description:
      'Answers 200 whatever the endpoint answers; `delivered` says whether the ping arrived. Health is not touched.',
    success: { status: 200, shape: TestResult, description: 'What the endpoint answered.' },
    errors: ['webhook.endpoint_not_found', 'webhook.test_rate_limited'],
    examples: { response: { delivered: true, status_code: 204, error: null, duration_ms: 42 } },
    handle: async ({ caller: { businessId }, params: { public_id: endpointId }, span }) =>
      json(200, await pingEndpoint(deps, { businessId, endpointId, span })),
  });

const urlFormat = ({ hosts }: EndpointOperationDeps): Formats => ({
  uri: (text) => {
    const parsed = parseEndpointUrl(text, hosts);
    return parsed.ok ? { ok: true, value: text } : parsed;
  },
});

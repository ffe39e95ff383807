import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventTypes } from '../../src/contract/eventTypes.ts';
import { catalogue } from '../../src/kit/errors.ts';
import { schemaViolationsIn } from '../support/conformance.ts';
import { type OpenApi, openApiOf } from '../support/openApi.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';

let service: TestService;
let shop: Shop;
let document: OpenApi;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
  shop = await service.business({ credits: 5 });
  document = await openApiOf(service.url);
});
afterAll(() => service.close());

describe('the document', () => {
  /** The operations of the interface in its order; IK: with an Idempotency-Key. */
  const INTERFACE = [
    'POST /api/v1/messages IK',
    'GET /api/v1/messages',
    'POST /api/v1/messages/batch IK',
    'POST /api/v1/messages/{public_id}/sms IK',
    'POST /api/v1/messages/{public_id}/whatsapp IK',
    'POST /api/v1/messages/{public_id}/retract IK',
    'GET /api/v1/messages/{public_id}',
    'GET /api/v1/keys',
    'POST /api/v1/keys',
    'DELETE /api/v1/keys/{key_id}',
    'GET /api/v1/credits',
    'GET /api/v1/recipients/{email}/sms',
    'PUT /api/v1/recipients/{email}/phone',
    'DELETE /api/v1/recipients/{email}/phone',
    'POST /api/v1/recipients/{email}/whatsapp/erase IK',
    'POST /api/v1/recipients/{email}/erase IK',
    'GET /api/v1/webhook-endpoints',
    'POST /api/v1/webhook-endpoints',
    'DELETE /api/v1/webhook-endpoints/{public_id}',
    'POST /api/v1/webhook-endpoints/{public_id}/test',
  ];
  /** What we add beside them. */
  const EXTENSIONS = [
    'POST /api/v1/messages/preview',
    'GET /api/v1/events',
    'GET /api/v1/messages/{public_id}/timeline',
    'GET /api/v1/usage',
    'GET /api/v1/recipients/{email}',
    'GET /api/v1/recipients/{email}/export',
    'PATCH /api/v1/webhook-endpoints/{public_id}',
    'GET /api/v1/webhook-endpoints/{public_id}/deliveries',
    'POST /api/v1/webhook-endpoints/{public_id}/replay IK',
    'POST /api/v1/webhook-endpoints/{public_id}/rotate-secret IK',
    'GET /api/v1/texts',
    'PUT /api/v1/texts/{order_status}/{language}',
    'DELETE /api/v1/texts/{order_status}/{language}',
    'GET /api/v1/orders',
    'GET /api/v1/orders/{reference}',
    'PUT /api/v1/orders/{reference}/shipments/{tracking_number}',
    'POST /api/v1/orders/{reference}/tracking IK',
  ];

  test('describes each event that an endpoint gets', async () => {
    const raw = JSON.parse(await fetch(`${service.url}/openapi.json`).then((response) => response.text()));
    expect(Object.keys(raw.webhooks)).toEqual([...eventTypes]);
    expect(raw.webhooks['message.opened'].post.requestBody.content['application/json'].schema).toMatchObject({
      required: ['id', 'type', 'occurred_at', 'data'],
      properties: {
        type: { enum: ['message.opened'] },
        data: { $ref: '#/components/schemas/MessageEventData' },
      },
    });
  });

  test('has the 20 operations of the interface and our extensions, and an Idempotency-Key exactly where they do', () => {
    const described = document.operations.map(({ method, path, parameters }) => {
      const keyed = parameters.some(({ name, required }) => name === 'Idempotency-Key' && required);
      return `${method} ${path}${keyed ? ' IK' : ''}`;
    });
    expect(described.sort()).toEqual([...INTERFACE, ...EXTENSIONS].sort());
  });

  test('names only errors of the catalogue, each under its status', () => {
    const statuses = new Map<string, number>(
      Object.entries(catalogue).map(([code, [status]]) => [code, status]),
    );
    const { operations } = document;
    for (const { id, responses } of operations) {
      for (const [status, { codes }] of responses)
        for (const code of codes) expect([id, code, statuses.get(code)]).toEqual([id, code, status]);
    }
  });

  test('holds together as OpenAPI 3.1: names are unique, references and parameters are there', async () => {
    const whole: unknown = await (await fetch(`${service.url}/openapi.json`)).json();
    const { tags, security, components, paths }: Whole = Object(whole);
    const found = (path: string) =>
      path.split('/').reduce((at: unknown, name) => Object(at)[name], whole) !== undefined;
    const references = [...JSON.stringify(whole).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, path = '']) => path,
    );
    expect(references.filter((path) => !found(path))).toEqual([]);
    expect(Object.keys(security[0] ?? {})).toEqual(Object.keys(components.securitySchemes));

    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.values(methods).map((operation) => ({ path, ...operation })),
    );
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(
      INTERFACE.length + EXTENSIONS.length,
    );
    for (const { path, operationId, parameters, tags: used, responses } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = parameters.filter((one) => one.in === 'path' && one.required).map(({ name }) => name);
      expect([operationId, declared]).toEqual([operationId, inPath]);
      expect(tags.map(({ name }) => name)).toEqual(expect.arrayContaining(used));
      for (const [status, { description }] of Object.entries(responses)) {
        expect(status).toMatch(/^[2-5]\d\d$/);
        expect(description).not.toBe('');
      }
    }
  });

  test('is asked for without a key', async () => {
    expect((await fetch(`${service.url}/openapi.json`)).status).toBe(200);
  });

  test('shows answers that it describes itself', () => {
    for (const { id, method, path, responses } of document.operations) {
      for (const [status, { examples }] of responses) {
        for (const body of examples) {
          const header = (name: string) => HEADERS[name] ?? null;
          const wrong = schemaViolationsIn(
            document,
            { method, path },
            { status, header, text: JSON.stringify(body) },
          );
          expect([id, status, ...wrong]).toEqual([id, status]);
        }
      }
    }
  });

  test('shows requests that are answered as it shows', async () => {
    for (const { id, method, path, body, parameters, responses } of document.operations) {
      if (body?.example === undefined || path.startsWith('/api/v1/webhook-endpoints')) continue;
      const [status = 0] = responses.keys();
      const needsKey = parameters.some(({ name }) => name === 'Idempotency-Key');
      const called = path
        .replace('{email}', 'ann@example.com')
        .replace('{reference}', '%231001')
        .replace('{order_status}/{language}', 'shipped/en')
        .replace('{tracking_number}', 'CC123456789EE');
      const answer = await shop.call(method, called, {
        body: body.example,
        ...(needsKey && { idempotencyKey: id }),
      });
      expect([id, answer.status]).toEqual([id, status]);
      expect(texts(answer.body)).toEqual(texts(responses.get(status)?.examples[0]));
    }
  });
});

/** As much of the document as is looked at here. */
interface Whole {
  tags: { name: string }[];
  security: Record<string, unknown>[];
  components: { securitySchemes: Record<string, unknown> };
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        tags: string[];
        parameters: { name: string; in: string; required: boolean }[];
        responses: Record<string, { description: string }>;
      }
    >
  >;
}

const HEADERS: Record<string, string> = {
  'x-request-id': 'example',
  'content-type': 'application/json; charset=utf-8',
  'retry-after': '1',
};

/** An answer without what differs from call to call: ids, keys and moments. */
const texts = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, member: unknown) =>
      ['id', 'message_id', 'key', 'masked', 'minted_by'].includes(name) ||
      name.endsWith('_at') ||
      name === 'created'
        ? '…'
        : member,
    ),
  );

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { catalogue } from '../../src/kit/errors.ts';
import { openApiOf } from '../helpers/openApi.ts';
import { startService, type TestService } from '../helpers/service.ts';
import type { Shop } from '../helpers/shop.ts';
import { WHOLE } from './blocks.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
  shop = await service.business({ credits: 5 });
});
afterAll(() => service.close());

describe('9. versioning', () => {
  test('9.1 all operations live under /api/v1', async () => {
    const { operations } = await openApiOf(service.url);
    expect(operations.map(({ path }) => path).filter((path) => !path.startsWith('/api/v1/'))).toEqual([]);
  });

  test('9.2 the description carries the version 0.1.0, as JSON and as YAML', async () => {
    const [json, yaml] = await Promise.all(
      ['json', 'yaml'].map((form) => fetch(`${service.url}/openapi.${form}`)),
    );
    const document: unknown = await json?.json();
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '0.1.0' } });
    expect(parse((await yaml?.text()) ?? '')).toEqual(document);
  });

  test('9.3 an unrecognised order_status is treated as no status', async () => {
    const pushed = await shop.pushed({ ...WHOLE, order_status: 'in_transit', channels: ['whatsapp'] });
    expect(pushed.whatsapp).toMatchObject({ queued: false, skipped_reason: 'template_not_sendable' });
  });

  test('9.4 the result echoes order_status as a plain string', async () => {
    expect((await shop.pushed({ order_status: 'in_transit' })).order_status).toBe('in_transit');
    const { operations } = await openApiOf(service.url);
    const result = operations.find(({ id }) => id === 'pushMessage')?.responses.get(201)?.schema;
    expect(result?.properties?.order_status).toMatchObject({ anyOf: [{ type: 'string' }, { type: 'null' }] });
    expect(JSON.stringify(result?.properties?.order_status)).not.toContain('enum');
  });

  test('9.5 a response recorded before recipient_email existed replays it as null', async () => {
    const pushed = await shop.pushed({ recipient_email: 'old@example.com' }, 'old');
    const response = JSON.stringify({ ...pushed, recipient_email: null });
    await service.pool.query(
      `update idempotency_records set response = $2 where business_id = $1 and key = 'old'`,
      [shop.businessId, response],
    );
    const replay = await shop.push({ recipient_email: 'old@example.com' }, 'old');
    expect([replay.status, replay.text]).toEqual([201, response]);
  });
});

describe('the document', () => {
  const METHODS = [
    'POST /api/v1/messages',
    'GET /api/v1/messages',
    'POST /api/v1/messages/batch',
    'POST /api/v1/messages/{public_id}/sms',
    'POST /api/v1/messages/{public_id}/whatsapp',
    'POST /api/v1/messages/{public_id}/retract',
    'GET /api/v1/messages/{public_id}',
    'GET /api/v1/keys',
    'POST /api/v1/keys',
    'DELETE /api/v1/keys/{key_id}',
    'GET /api/v1/credits',
    'GET /api/v1/recipients/{email}/sms',
    'PUT /api/v1/recipients/{email}/phone',
    'DELETE /api/v1/recipients/{email}/phone',
    'GET /api/v1/webhook-endpoints',
    'POST /api/v1/webhook-endpoints',
    'DELETE /api/v1/webhook-endpoints/{public_id}',
    'POST /api/v1/webhook-endpoints/{public_id}/test',
  ];

  test('has every operation of the interface', async () => {
    const { operations } = await openApiOf(service.url);
    const described = operations.map(({ method, path }) => `${method} ${path}`);
    expect(described).toEqual(expect.arrayContaining(METHODS));
  });

  test('requires an Idempotency-Key exactly where the interface does', async () => {
    const { operations } = await openApiOf(service.url);
    const keyed = operations.filter(({ parameters }) =>
      parameters.some(({ name }) => name === 'Idempotency-Key'),
    );
    const expected = ['/messages', '/batch', '/sms', '/whatsapp', '/retract', '/erase'];
    for (const { method, path } of keyed)
      expect([path, method === 'POST' && expected.some((end) => path.endsWith(end))]).toEqual([path, true]);
    expect(keyed.map(({ path }) => path)).toEqual(
      expect.arrayContaining(
        METHODS.slice(0, 6)
          .filter((one) => one.startsWith('POST'))
          .map((one) => one.slice(5)),
      ),
    );
  });

  test('names only errors of the catalogue, each under its status', async () => {
    const statuses = new Map<string, number>(
      Object.entries(catalogue).map(([code, [status]]) => [code, status]),
    );
    const { operations } = await openApiOf(service.url);
    for (const { id, responses } of operations) {
      for (const [status, { codes }] of responses)
        for (const code of codes) expect([id, code, statuses.get(code)]).toEqual([id, code, status]);
    }
  });

  test('is asked for without a key', async () => {
    expect((await fetch(`${service.url}/openapi.json`)).status).toBe(200);
  });
});

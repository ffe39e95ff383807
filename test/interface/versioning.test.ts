import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openApiOf } from '../support/openApi.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { FULL_PUSH } from './channelOutcomes.ts';

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
    const pushed = await shop.pushed({ ...FULL_PUSH, order_status: 'in_transit', channels: ['whatsapp'] });
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

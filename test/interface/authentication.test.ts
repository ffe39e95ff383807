import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openApiOf } from '../support/openApi.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Shop, statusAndCode } from '../support/shop.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
  shop = await service.business();
});
afterAll(() => service.close());

const authorized = (authorization: string) =>
  shop.call('GET', '/api/v1/credits', { key: null, headers: { authorization } });

describe('5. authentication', () => {
  describe('401', () => {
    test('every operation is refused without a key', async () => {
      const { operations } = await openApiOf(service.url);
      for (const { method, path } of operations) {
        const answer = await shop.call(method, path.replace(/\{\w+\}/g, 'ann@example.com'), { key: null });
        expect([method, path, statusAndCode(answer)]).toEqual([method, path, '401 business.invalid_api_key']);
      }
    });

    test.each([
      ['no scheme', () => shop.apiKey],
      ['another scheme', () => `Basic ${shop.apiKey}`],
      ['a scheme alone', () => 'Bearer'],
      ['two keys', () => `Bearer ${shop.apiKey} ${shop.apiKey}`],
      ['a key cut short', () => `Bearer ${shop.apiKey.slice(0, -1)}`],
      ['a key with something after it', () => `Bearer ${shop.apiKey}x`],
      ['a key in capitals', () => `Bearer ${shop.apiKey.toUpperCase()}`],
      ['a key in quotes', () => `Bearer "${shop.apiKey}"`],
      ['a key far too long', () => `Bearer ${'x'.repeat(5_000)}`],
      ['letters that no key has', () => 'Bearer schlüssel'],
      ['the masked form', () => `Bearer way_live_...${shop.apiKey.slice(-4)}`],
    ])('%s', async (_, header) => {
      expect(statusAndCode(await authorized(header()))).toBe('401 business.invalid_api_key');
    });

    test('a revoked key is refused on the very next call', async () => {
      const created = await shop.call('POST', '/api/v1/keys');
      const { id, key }: { id: string; key: string } = JSON.parse(created.text);
      const other = shop.with(key);
      expect((await other.get('/api/v1/credits')).status).toBe(200);
      expect((await shop.delete(`/api/v1/keys/${id}`)).status).toBe(204);
      expect(statusAndCode(await other.get('/api/v1/credits'))).toBe('401 business.invalid_api_key');
    });

    test('spends no idempotency key', async () => {
      const refused = await shop.call('POST', '/api/v1/messages', {
        body: {},
        key: 'wrong',
        idempotencyKey: 'k401',
      });
      expect(refused.status).toBe(401);
      expect((await shop.push({}, 'k401')).status).toBe(201);
    });
  });

  test('the scheme is Bearer in any case, with any number of spaces', async () => {
    expect((await authorized(`bearer ${shop.apiKey}`)).status).toBe(200);
    expect((await authorized(`BEARER   ${shop.apiKey}`)).status).toBe(200);
  });

  describe('403', () => {
    test('a business that is no longer active is refused everywhere, and let in again when it is', async () => {
      const closed = await service.business();
      await service.change(closed, { active: false });
      const { operations } = await openApiOf(service.url);
      for (const { method, path } of operations) {
        const answer = await closed.call(method, path.replace(/\{\w+\}/g, 'ann@example.com'));
        expect([method, path, statusAndCode(answer)]).toEqual([method, path, '403 business.inactive']);
      }
      await service.change(closed, { active: true });
      expect((await closed.get('/api/v1/credits')).status).toBe(200);
    });

    test('spends no idempotency key', async () => {
      const closed = await service.business();
      await service.change(closed, { active: false });
      expect((await closed.push({}, 'k403')).status).toBe(403);
      await service.change(closed, { active: true });
      expect((await closed.push({ subject: 'Another' }, 'k403')).status).toBe(201);
    });
  });
});

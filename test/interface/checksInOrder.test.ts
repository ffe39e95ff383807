import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { type CallOptions, type Shop, statusAndCode } from '../support/shop.ts';

const MiB = 1024 * 1024;
const TOO_MUCH = ' '.repeat(2 * MiB + 1);
/** A request with every fault there is; each test takes away the ones that would be noticed first. */
const ALL_WRONG: CallOptions = { raw: TOO_MUCH, key: null, headers: { 'content-type': 'text/plain' } };
const NOT_TOO_MUCH: CallOptions = { ...ALL_WRONG, raw: '{' };

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
  shop = await service.business();
});
afterAll(() => service.close());

describe('one fault hides those that are looked for later', () => {
  test('404: no such route comes before everything', async () => {
    expect(statusAndCode(await shop.call('POST', '/api/v1/nothing', ALL_WRONG))).toBe('404 common.not_found');
    expect(statusAndCode(await shop.call('POST', '/api/v2/messages', ALL_WRONG))).toBe(
      '404 common.not_found',
    );
  });

  test('405: a method that the route does not take comes before the size', async () => {
    const answer = await shop.call('PUT', '/api/v1/messages', ALL_WRONG);
    expect(statusAndCode(answer)).toBe('405 common.method_not_allowed');
    expect(answer.headers.get('allow')).toBe('HEAD, POST, GET');
  });

  test('413: the size comes before the key', async () => {
    expect(statusAndCode(await shop.call('POST', '/api/v1/messages', ALL_WRONG))).toBe(
      '413 request.too_large',
    );
  });

  test('401: the key comes before the media type', async () => {
    expect(statusAndCode(await shop.call('POST', '/api/v1/messages', NOT_TOO_MUCH))).toBe(
      '401 business.invalid_api_key',
    );
  });

  test('403: a deactivated business comes before the media type', async () => {
    const closed = await service.business();
    await service.change(closed, { active: false });
    const answer = await closed.call('POST', '/api/v1/messages', { ...NOT_TOO_MUCH, key: closed.apiKey });
    expect(statusAndCode(answer)).toBe('403 business.inactive');
  });

  test('415: the media type comes before the content', async () => {
    const answer = await shop.call('POST', '/api/v1/messages', { ...NOT_TOO_MUCH, key: shop.apiKey });
    expect(statusAndCode(answer)).toBe('415 common.unsupported_media_type');
  });

  test('422: validity comes before the idempotency key, also for a key that is spent', async () => {
    await shop.pushed({}, 'spent');
    expect(statusAndCode(await shop.push({ subject: 7 }, 'spent'))).toBe('422 common.validation_failed');
    expect(statusAndCode(await shop.push({ recipient_phone: '12' }, 'spent'))).toBe('422 sms.phone_invalid');
    expect(statusAndCode(await shop.push({ subject: 'Another' }, 'spent'))).toBe(
      '409 idempotency.key_reused',
    );
  });

  test('422: a malformed id or address comes before the search for it', async () => {
    expect(statusAndCode(await shop.get('/api/v1/messages/%00'))).toBe('422 common.validation_failed');
    expect(statusAndCode(await shop.get('/api/v1/recipients/nobody/sms'))).toBe(
      '422 common.validation_failed',
    );
  });

  test('PUT phone: the number comes before the recipient', async () => {
    const phone = '/api/v1/recipients/nobody@example.com/phone';
    expect(statusAndCode(await shop.put(phone, { phone: '12' }))).toBe('422 sms.phone_invalid');
    expect(statusAndCode(await shop.put(phone, { phone: '+37255550134' }))).toBe('404 recipient.not_found');
  });

  test('create key: validity, then the plan, then the limit', async () => {
    const lapsed = await service.business();
    for (let count = 1; count < 25; count += 1)
      expect((await lapsed.call('POST', '/api/v1/keys')).status).toBe(201);
    expect(statusAndCode(await lapsed.call('POST', '/api/v1/keys'))).toBe('409 key.limit_reached');
    await service.change(lapsed, { plan: 'lapsed' });
    expect(statusAndCode(await lapsed.call('POST', '/api/v1/keys'))).toBe('403 plan.read_only');
    expect(statusAndCode(await lapsed.call('POST', '/api/v1/keys', { body: { name: 7 } }))).toBe(
      '422 common.validation_failed',
    );
  });
});

describe('where calls are limited', () => {
  test('429 comes after 413, 401 and 403 and before 415 and 422', async () => {
    const limited = await startService({
      ROLES: 'api',
      RATE_LIMIT_PER_SECOND: '1',
      RATE_LIMIT_BURST: '1',
    });
    try {
      const busy = await limited.business();
      const push = async (options: CallOptions) =>
        statusAndCode(await busy.call('POST', '/api/v1/messages', options));
      // More at once than the bucket holds: whatever is not refused for the rate is refused for what comes after it.
      const burst = (options: CallOptions) => Promise.all(Array.from({ length: 6 }, () => push(options)));
      expect(await burst({ ...NOT_TOO_MUCH, key: busy.apiKey })).toContain('429 common.rate_limited');
      expect(await burst({ raw: '{' })).toContain('429 common.rate_limited');
      expect(await push(ALL_WRONG)).toBe('413 request.too_large');
      expect(new Set(await burst(NOT_TOO_MUCH))).toEqual(new Set(['401 business.invalid_api_key']));
      await limited.change(busy, { active: false });
      expect(new Set(await burst({ raw: '{' }))).toEqual(new Set(['403 business.inactive']));
    } finally {
      await limited.close();
    }
  });
});

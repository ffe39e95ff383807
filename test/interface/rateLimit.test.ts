import { afterEach, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { type ApiResponse, statusAndCode } from '../support/shop.ts';

let service: TestService;
afterEach(() => service.close());

const rates = ({ headers }: ApiResponse) =>
  ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'].map((name) => headers.get(name));

describe('429', () => {
  test('a key may spend its burst at once; the next call says when to come back', async () => {
    service = await startService({ ROLES: 'api', RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '5' });
    const shop = await service.business();
    const answers = await Promise.all(Array.from({ length: 30 }, () => shop.get('/api/v1/credits')));
    const refused = answers.filter(({ status }) => status === 429);
    const answered = answers.filter(({ status }) => status === 200);
    expect(answered.length).toBeGreaterThanOrEqual(5);
    expect(refused.length).toBeGreaterThan(0);
    expect(answered.length + refused.length).toBe(30);
    for (const answer of refused) {
      expect(statusAndCode(answer)).toBe('429 common.rate_limited');
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    }
  });

  test('after what Retry-After says the call is answered', async () => {
    service = await startService({ ROLES: 'api', RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '1' });
    const shop = await service.business();
    const answers = await Promise.all(Array.from({ length: 10 }, () => shop.get('/api/v1/credits')));
    const seconds = Number(answers.find(({ status }) => status === 429)?.headers.get('retry-after'));
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    expect((await shop.get('/api/v1/credits')).status).toBe(200);
  });

  test('each key has calls of its own, also within one business', async () => {
    service = await startService({ ROLES: 'api', RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '2' });
    const shop = await service.business();
    const created = await shop.call('POST', '/api/v1/keys');
    const { key }: { key: string } = JSON.parse(created.text);
    await Promise.all(Array.from({ length: 10 }, () => shop.get('/api/v1/credits')));
    expect((await shop.with(key).get('/api/v1/credits')).status).toBe(200);
    expect((await (await service.business()).get('/api/v1/credits')).status).toBe(200);
  });

  test('the keys of one business together have twice the burst of one, and another business has its own', async () => {
    service = await startService({ ROLES: 'api', RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '4' });
    const shop = await service.business();
    const keys = [shop.apiKey];
    for (let n = 0; n < 3; n += 1) {
      const created = await shop.call('POST', '/api/v1/keys');
      const { key }: { key: string } = JSON.parse(created.text);
      keys.push(key);
    }
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, n) => shop.with(keys[n % keys.length] ?? '').get('/api/v1/credits')),
    );
    // Three of the eight were spent on the keys; the bucket fills by one a second meanwhile.
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThan(13);
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(8);
    expect((await (await service.business()).get('/api/v1/credits')).status).toBe(200);
  });

  test('a batch counts as one call', async () => {
    service = await startService({ ROLES: 'api', RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '100' });
    const shop = await service.business();
    const before = await shop.get('/api/v1/credits');
    const after = await shop.batch(
      Array.from({ length: 50 }, (_, n) => ({ recipient_email: `p${n}@example.com` })),
    );
    expect(after.status).toBe(200);
    const [left, leftAfter] = [before, after].map(({ headers }) =>
      Number(headers.get('ratelimit-remaining')),
    );
    // The bucket fills meanwhile, by one a second.
    expect(leftAfter).toBeGreaterThanOrEqual((left ?? 0) - 1);
  });

  test('a refused call spends no idempotency key', async () => {
    service = await startService({ ROLES: 'api', RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '1' });
    const shop = await service.business();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => shop.push({ subject: `S${n}` }, `k${n}`)),
    );
    const refused = answers.findIndex(({ status }) => status === 429);
    expect(refused).not.toBe(-1);
    await expect
      .poll(async () => statusAndCode(await shop.push({ subject: 'Another' }, `k${refused}`)), {
        timeout: 20_000,
        interval: 1_000,
      })
      .toBe('201');
  });
});

describe('the RateLimit headers', () => {
  test('are on every answer to a call with a key, whatever it is', async () => {
    service = await startService({ ROLES: 'api', RATE_LIMIT_PER_SECOND: '10', RATE_LIMIT_BURST: '50' });
    const shop = await service.business();
    const answers = [
      await shop.get('/api/v1/credits'),
      await shop.push(),
      await shop.get('/api/v1/messages/unknown'),
      await shop.call('POST', '/api/v1/messages', { body: {} }),
      await shop.call('POST', '/api/v1/messages', { raw: 'x', headers: { 'content-type': 'text/plain' } }),
      await shop.call('DELETE', '/api/v1/keys/unknown'),
      await shop.call('HEAD', '/api/v1/credits'),
    ];
    for (const answer of answers) {
      const [limit, remaining, reset] = rates(answer).map(Number);
      expect(limit).toBe(50);
      expect(remaining).toBeLessThan(50);
      expect(reset).toBeGreaterThan(0);
    }
  });

  test('say the same in the words of the draft for a standard', async () => {
    service = await startService({ ROLES: 'api', RATE_LIMIT_PER_SECOND: '10', RATE_LIMIT_BURST: '50' });
    const shop = await service.business();
    const { headers } = await shop.get('/api/v1/credits');
    expect(headers.get('ratelimit-policy')).toBe('"key";q=50;w=5, "business";q=100;w=10');
    expect(headers.get('ratelimit')).toBe('"key";r=49;t=1');
  });

  test('are not on answers to calls without one', async () => {
    service = await startService({ ROLES: 'api', RATE_LIMIT_PER_SECOND: '10', RATE_LIMIT_BURST: '50' });
    const shop = await service.business();
    expect(rates(await shop.call('GET', '/api/v1/credits', { key: null }))).toEqual([null, null, null]);
    expect(rates(await shop.get('/api/v1/nothing'))).toEqual([null, null, null]);
  });

  test('are not there where no limit is on', async () => {
    service = await startService({ ROLES: 'api', RATE_LIMIT_PER_SECOND: '0' });
    const shop = await service.business();
    expect(rates(await shop.get('/api/v1/credits'))).toEqual([null, null, null]);
  });

  test('by default 2,000 calls at once, 200 a second', async () => {
    service = await startService({ ROLES: 'api', RATE_LIMIT_PER_SECOND: undefined });
    const shop = await service.business();
    expect(rates(await shop.get('/api/v1/credits'))).toEqual(['2000', '1999', '1']);
  });
});

import type { PoolClient } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startService, type TestService } from '../helpers/service.ts';
import { ORDER_UPDATE, type Shop } from '../helpers/shop.ts';

let service: TestService;
let shop: Shop;
/** What each finished transaction sent to the store, one entry a round trip. */
const transactions: string[][] = [];

beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
  const known = new WeakSet<PoolClient>();
  service.pool.on('acquire', (client) => {
    if (!known.has(client)) listen(client);
    known.add(client);
  });
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business({ credits: 1_000 });
  transactions.length = 0;
});

function listen(client: PoolClient): void {
  let sent: string[] | null = null;
  const query = new Proxy(client.query, {
    apply(target, self, args: [string | { text: string }, ...unknown[]]) {
      const [first] = args;
      const text = typeof first === 'string' ? first : first.text;
      if (text.startsWith('begin')) sent = [];
      sent?.push(text);
      if (text === 'commit' && sent) transactions.push(sent);
      return Reflect.apply(target, self, args);
    },
  });
  Object.defineProperty(client, 'query', { value: query });
}

/** Everything that a push can ask for at once, so that nothing is left out of the count. */
const item = (n: number) => ({
  ...ORDER_UPDATE,
  recipient_email: `p${n}@example.com`,
  recipient_phone: `+3725555${1000 + n}`,
  whatsapp_opt_in: { source: 'checkout' },
  channels: ['sms', 'whatsapp'],
  reference: '#1001',
  order_status: 'shipped',
  kind: n % 2 ? 'updateable' : 'one_off',
  obsoletes: ['unknown'],
});
const items = (count: number) => Array.from({ length: count }, (_, n) => item(n));
const ROUND_TRIPS_MAX = 5;

test('a push takes at most five round trips and one commit', async () => {
  await shop.pushed(item(0));
  expect(transactions).toHaveLength(1);
  expect(transactions[0]?.filter((text) => text !== 'commit').length).toBeLessThanOrEqual(ROUND_TRIPS_MAX);
});

test.each([1, 10, 100])('a batch of %i takes as many', async (count) => {
  expect((await shop.batch(items(count))).body).toMatchObject({ succeeded: count });
  expect(transactions).toHaveLength(1);
  expect(transactions[0]?.filter((text) => text !== 'commit')).toHaveLength(ROUND_TRIPS_MAX);
});

test('pushes that arrive together share their round trips and their commit', async () => {
  const answers = await Promise.all(
    items(100).map((payload, n) =>
      service.app.inject({
        method: 'POST',
        url: '/api/v1/messages',
        headers: {
          authorization: `Bearer ${shop.apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': `k${n}`,
        },
        payload,
      }),
    ),
  );
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(100).fill(201));
  expect(transactions.length).toBeLessThan(50);
  for (const sent of transactions) expect(sent.length).toBeLessThanOrEqual(ROUND_TRIPS_MAX + 1);
});

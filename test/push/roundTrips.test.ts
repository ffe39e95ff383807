import type { PoolClient } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { ORDER_UPDATE, type Shop } from '../support/shop.ts';

let service: TestService;
let shop: Shop;
/** What each finished transaction sent to the store, by round trip: what leaves while an answer is awaited leaves with it. */
const transactions: string[][][] = [];
/** What was asked outside of a transaction. */
const questions: string[] = [];

beforeAll(async () => {
  service = await startService({ ROLES: 'api' }, {}, async (url) => url);
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
  questions.length = 0;
});

function listen(client: PoolClient): void {
  let trips: string[][] | null = null;
  let awaited = 0;
  const query = new Proxy(client.query, {
    apply(target, self, args: [string | { text: string }, ...unknown[]]) {
      const [first] = args;
      const text = typeof first === 'string' ? first : first.text;
      const answer: unknown = Reflect.apply(target, self, args);
      if (text.startsWith('begin')) trips = [];
      if (trips === null) questions.push(text);
      if (trips === null || !(answer instanceof Promise)) return answer;
      if (awaited === 0) trips.push([]);
      trips.at(-1)?.push(text);
      awaited += 1;
      const onAnswer = () => {
        awaited -= 1;
      };
      answer.then(onAnswer, onAnswer);
      if (text === 'commit') transactions.push(trips);
      if (text === 'commit') trips = null;
      return answer;
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
  language: n % 3 ? 'fi' : 'et',
  kind: n % 2 ? 'updateable' : 'one_off',
  obsoletes: ['unknown'],
});
const items = (count: number) => Array.from({ length: count }, (_, n) => item(n));
const ROUND_TRIPS_MAX = 5;
const commits = (trips: string[][]) => trips.flat().filter((text) => text === 'commit').length;

test('a push takes at most five round trips and one commit', async () => {
  await shop.pushed(item(0));
  expect(transactions.map(commits)).toEqual([1]);
  expect(transactions[0]?.length).toBeLessThanOrEqual(ROUND_TRIPS_MAX);
});

test.each([1, 10, 100])('a batch of %i takes no more', async (count) => {
  expect((await shop.batch(items(count))).body).toMatchObject({ succeeded: count });
  expect(transactions.map(commits)).toEqual([1]);
  expect(transactions[0]?.length).toBeLessThanOrEqual(ROUND_TRIPS_MAX);
});

test('plain pushes, which are most, take two: one to read, one to write', async () => {
  await shop.pushed();
  await shop.batch([ORDER_UPDATE, { ...ORDER_UPDATE, recipient_email: 'bob@example.com' }]);
  expect(transactions.map((trips) => trips.length)).toEqual([2, 2]);
});

test('a language, new or changed, takes no round trip of its own', async () => {
  await shop.pushed({ language: 'et' });
  await shop.pushed({ language: 'et' });
  await shop.pushed({ language: 'fi' });
  await shop.pushed({ language: 'fi', recipient_email: 'eve@example.com' });
  expect(transactions.map((trips) => trips.length)).toEqual([2, 2, 2, 2]);
});

test('whether a key still counts is asked with the rest, once it is known whose it is', async () => {
  // Noting that the key was used, once a minute, is not among them: no push waits for it.
  const keys = () =>
    questions.filter((text) => text.includes('api_keys') && !text.includes('last_used_at')).length;
  await shop.pushed();
  expect(keys()).toBe(1);
  await shop.pushed();
  await shop.pushed(item(1));
  await shop.batch([ORDER_UPDATE]);
  expect(keys()).toBe(1);
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
  for (const trips of transactions) expect(trips.length).toBeLessThanOrEqual(ROUND_TRIPS_MAX);
});

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { shortOrLong } from '../support/shortOrLong.ts';
import { clientOf } from './clientOf.ts';
import { type DrivenCall, type Driver, startDriver } from './driver.ts';
import { type FaultyServer, type ServerFault, serverFaults, startFaultyServer } from './faultyServer.ts';
import { drivenClients } from './languages.ts';

/** The real service behind a proxy that fails in every way: nothing is doubled, and nothing is given up. */
let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const push = (name: string) => ({
  recipient_email: `${name}@example.com`,
  subject: `Order of ${name}`,
  body: 'It has shipped.',
});
const anyFault = (): ServerFault => serverFaults[Math.floor(Math.random() * serverFaults.length)] ?? '503';

for (const { language, kind, title } of drivenClients())
  describe.skipIf(!language.isThere)(`through ${title}`, () => {
    let driver: Driver;
    beforeAll(() => {
      driver = startDriver(language, { pauses: 50 });
    });
    afterAll(() => driver.close());

    async function behindFaults(
      nextFault: () => ServerFault | null,
    ): Promise<{ shop: Shop; faulty: FaultyServer; given: (call: Partial<DrivenCall>) => DrivenCall }> {
      const shop = await service.business();
      const faulty = await startFaultyServer({ target: service.url, nextFault });
      onTestFinished(() => faulty.close());
      const options = { attempt_seconds: 1.5 };
      const client = { kind, base_url: faulty.url, api_key: shop.apiKey };
      return { shop, faulty, given: (call) => ({ ...client, options, ...call }) };
    }
    /** The recipients of everything stored, through a client without faults. */
    async function stored(shop: Shop): Promise<string[]> {
      const found: string[] = [];
      for await (const { recipient_email } of clientOf(shop).messages.list({ limit: 100 }))
        found.push(recipient_email);
      return found.sort();
    }

    test.each(serverFaults)('%s four times in a row: one message, and its one result', async (fault) => {
      let left = 4;
      const { shop, faulty, given } = await behindFaults(() => (left-- > 0 ? fault : null));
      const result = await driver.call(given({ method: 'messages.push', args: [push('ann')] }));
      expect(result).toMatchObject({ created: true, nudged: true, recipient_email: 'ann@example.com' });
      expect(faulty.requests.length).toBeGreaterThanOrEqual(5);
      expect(new Set(faulty.requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
      expect(await stored(shop)).toEqual(['ann@example.com']);
    });

    test('many pushes at once through faults of every kind: each message once', async () => {
      const { shop, given } = await behindFaults(() => (Math.random() < 0.6 ? anyFault() : null));
      const names = Array.from({ length: shortOrLong(20, 100) }, (_, index) => `person${index}`);
      const calls = names.map((name) => given({ method: 'messages.push', args: [push(name)] }));
      const results = await Promise.all(calls.map((call) => driver.call(call)));
      const expected = names.map((name) => `${name}@example.com`);
      expect(results).toMatchObject(expected.map((recipient_email) => ({ recipient_email })));
      expect(await stored(shop)).toEqual([...expected].sort());
    });

    test('a batch that fails for good says what was stored, and goes on from there with its key', async () => {
      let calls = 0;
      const { shop, given } = await behindFaults(() => {
        calls += 1;
        return calls === 1 ? null : '503';
      });
      const pushes = Array.from({ length: 150 }, (_, index) => ({ ...push(`half${index}`), notify: false }));
      const options = { deadline_seconds: 3 };
      const batch = given({ method: 'messages.push_batch', args: [pushes], options });
      const { error } = await driver.run(batch);
      expect(error).toMatchObject({ name: 'BatchError', code: 'common.unavailable', status: 503 });
      expect(error?.results?.map(({ index, ok }) => ok && index)).toEqual([...Array(100).keys()]);
      expect(await stored(shop)).toHaveLength(100);
      const kwargs = { idempotency_key: error?.idempotency_key };
      const whole: { items?: unknown[] } = Object(
        await driver.call({ ...batch, base_url: shop.url, kwargs }),
      );
      expect(whole.items?.slice(0, 100)).toEqual(error?.results);
      expect(await stored(shop)).toHaveLength(150);
    });

    test('a follower outlives a server that fails, and sees every event once, in order', async () => {
      const { shop, given } = await behindFaults(() => (Math.random() < 0.5 ? anyFault() : null));
      for (const name of ['ann', 'bob', 'cec']) await shop.pushed({ recipient_email: `${name}@example.com` });
      await service.advance({ seconds: 5 });
      const { items } = await clientOf(shop).events.page({ limit: 1_000 });
      const kwargs = { limit: 1, wait_seconds: 1 };
      const call = given({ method: 'events.follow', kwargs, take: items.length });
      expect(await driver.call(call)).toMatchObject({ items });
    });
  });

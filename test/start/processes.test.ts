import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { migrate } from '../../src/db/migrate.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { buildProgram, killAllPrograms, startProgram } from '../support/program.ts';
import { Shop } from '../support/shop.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';

let database: TestDatabase;
beforeAll(buildProgram);
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(async () => {
  await killAllPrograms();
  await database.drop();
});
afterAll(killAllPrograms);

vi.setConfig({ testTimeout: 180_000 });

test('two API processes and two workers on one database: the path works through any of them', async () => {
  await migrate(database.url);
  const env = { DATABASE_URL: database.url, SECRET_KEY: '4b7e19c05ad83f62e1079bd4c8a2563f' };
  const roles = ['api', 'api', 'worker', 'worker'];
  const [first, second] = await Promise.all(roles.map((role) => startProgram({ ...env, ROLES: role })));
  if (!first || !second) throw new Error('the programs did not start');
  const { businessId, apiKey } = await createBusiness(database.pool, systemClock, { name: 'Acme Books' });
  const shops = [first, second].map(({ url }) => new Shop(url, businessId, apiKey));

  const pushed = await Promise.all(
    Array.from({ length: 40 }, (_, n) => shops[n % 2]?.push({ recipient_email: `p${n}@example.com` })),
  );
  expect(pushed.map((answer) => answer?.status)).toEqual(pushed.map(() => 201));
  await eventually(async () => expect(await capturedMessages(first.url)).toHaveLength(40));
  await eventually(async () => {
    const { body } = await new Shop(second.url, businessId, apiKey).get('/api/v1/messages?limit=100');
    const { items } = Object(body);
    expect(
      items.filter((item: { delivery: { delivered: boolean } }) => item.delivery.delivered),
    ).toHaveLength(40);
  });
  const messages = (await capturedMessages(second.url)).map(({ message_id }) => message_id);
  expect(new Set(messages).size).toBe(40);
});

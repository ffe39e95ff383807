import { afterAll, beforeAll, expect, test } from 'vitest';
import { MINUTE, SECOND } from '../../src/kit/clock.ts';
import { type DeliveryWorld, deliveryWorld } from '../helpers/deliveryWorld.ts';
import { business, message, recipient, send } from '../helpers/rows.ts';

let world: DeliveryWorld;
beforeAll(async () => {
  world = await deliveryWorld();
});
afterAll(() => world.close());

test('an email goes out and is reported delivered', async () => {
  const shop = await business(world.pool, world.now());
  const ann = await recipient(world.pool, world.now(), shop);
  const email = await send(world.pool, world.now(), await message(world.pool, world.now(), ann), 'email');
  await world.pass(SECOND);
  const row = await world.sendRow(email);
  expect(row.state).toBe('delivered');
  expect((await world.sandbox({ to: ann.email })).map(({ outcome }) => outcome)).toEqual(['accepted']);
  expect((await world.events(shop.id)).map(({ type }) => type)).toEqual(['message.delivered']);
});

test.each([
  ['down', 'rejected', 'retries_exhausted', 5],
  ['refuse', 'rejected', 'esp_refused', 1],
  ['unknown', 'failed', 'outcome_unknown', 1],
  ['flaky', 'delivered', null, 3],
  ['bounce', 'failed', 'bounced', 1],
])('%s', async (name, state, reason, attempts) => {
  const shop = await business(world.pool, world.now());
  const person = await recipient(world.pool, world.now(), shop, { email: `${name}@example.com` });
  const email = await send(world.pool, world.now(), await message(world.pool, world.now(), person), 'email');
  await world.pass(40 * MINUTE);
  expect(await world.sendRow(email)).toMatchObject({ state, reason, attempts });
});

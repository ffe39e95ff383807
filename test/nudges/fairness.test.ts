import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { monotonicMs } from '../../src/kit/clock.ts';
import { type OutboxHarness, startOutboxHarness } from '../support/outboxHarness.ts';

let world: OutboxHarness;
beforeAll(async () => {
  world = await startOutboxHarness();
});
afterAll(() => world.close());

const MANY = 20_000;

/** As many messages with an email each as one merchant may push at once. */
async function queueMany(businessId: string): Promise<void> {
  const person = `lpad(n::text, 24, 'r')`;
  const key = `lpad(n::text, 24, 's')`;
  await world.pool.query(
    `insert into recipients (business_id, id, email, created_at)
     select $1, ${person}, 'person' || n || '@example.com', $2 from generate_series(1, ${MANY}) n`,
    [businessId, world.now()],
  );
  await world.pool.query(
    `insert into messages (business_id, id, recipient_id, subject, body, kind, status, created_at, updated_at)
     select $1, ${key}, ${person}, 'Subject', 'Body', 'one_off', 'active', $2, $2 from generate_series(1, ${MANY}) n`,
    [businessId, world.now()],
  );
  await world.pool.query(
    `insert into sends (business_id, id, message_id, recipient_id, channel, purpose, state, due_at, created_at)
     select $1, ${key}, ${key}, ${person}, 'email', 'nudge', 'queued', $2, $2 from generate_series(1, ${MANY}) n`,
    [businessId, world.now()],
  );
}

test('one merchant’s 20,000 nudges do not delay another’s next one by more than a second', async () => {
  const busy = await world.business();
  const quiet = await world.business();
  const person = await world.recipient(quiet);
  await queueMany(busy.id);
  world.outbox.wake();
  const remaining = async () =>
    (
      await world.pool.query<{ n: number }>(
        `select count(*)::int as n from sends where business_id = $1 and state = 'queued'`,
        [busy.id],
      )
    ).rows[0]?.n ?? 0;
  while ((await remaining()) > MANY - 500) await sleep(10);

  const took: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    const { email } = await world.push(person);
    const began = monotonicMs();
    world.outbox.wake();
    while ((await world.sendRow(email)).submitted_at === null) await sleep(5);
    took.push(monotonicMs() - began);
  }
  expect(await remaining()).toBeGreaterThan(1_000);
  // The middle one: the machine may have had something else to do for a moment.
  expect(took.sort((a, b) => a - b)[1]).toBeLessThan(1_000);
}, 120_000);

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createNotifier, listen } from '../../src/db/wake.ts';
import type { Log } from '../../src/kit/log.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const logOf = (lines: string[]): Log => {
  const keep = (_: unknown, message: string) => void lines.push(message);
  return { debug: keep, info: keep, warn: keep, error: keep };
};

/** Counts the wakes of a listener that is up. */
async function listening(channel: 'waypost_outbox' | 'waypost_webhooks', lines: string[] = []) {
  let wakes = 0;
  const count = () => {
    wakes += 1;
  };
  const listener = listen(database.pool, channel, () => count(), logOf(lines));
  onTestFinished(() => listener.stop());
  // Being connected counts as being woken: what was said before is unknown.
  await expect.poll(() => wakes).toBe(1);
  return { wakes: () => wakes - 1, listener };
}

test('a notification wakes the listeners of its channel and no others', async () => {
  const webhooks = await listening('waypost_webhooks');
  const outbox = await listening('waypost_outbox');
  createNotifier(database.pool, 'waypost_webhooks', logOf([]))();
  await expect.poll(() => webhooks.wakes()).toBe(1);
  expect(outbox.wakes()).toBe(0);
});

test('the listeners of a process share one connection, which closes with the last of them', async () => {
  const connections = async () =>
    (
      await database.pool.query(
        `select from pg_stat_activity where datname = current_database() and application_name = 'waypost listen'`,
      )
    ).rows.length;
  await expect.poll(connections).toBe(0);
  const webhooks = await listening('waypost_webhooks');
  const outbox = await listening('waypost_outbox');
  expect(await connections()).toBe(1);
  await webhooks.listener.stop();
  createNotifier(database.pool, 'waypost_outbox', logOf([]))();
  await expect.poll(() => outbox.wakes()).toBe(1);
  await outbox.listener.stop();
  await expect.poll(connections).toBe(0);
});

test('a thousand wake calls in a moment become a handful of notifications', async () => {
  const { wakes } = await listening('waypost_webhooks');
  const notify = createNotifier(database.pool, 'waypost_webhooks', logOf([]));
  for (let call = 0; call < 1_000; call += 1) notify();
  await expect.poll(() => wakes()).toBe(1);
  await sleep(300);
  expect(wakes()).toBe(1);
  notify();
  await expect.poll(() => wakes()).toBe(2);
});

test('a listener reconnects after losing its connection, and is woken then', async () => {
  const lines: string[] = [];
  const { wakes } = await listening('waypost_webhooks', lines);
  await database.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'listen %'`,
  );
  await expect.poll(() => wakes(), { timeout: 5_000 }).toBe(1);
  createNotifier(database.pool, 'waypost_webhooks', logOf([]))();
  await expect.poll(() => wakes()).toBe(2);
  expect(lines).toEqual(['listen connection lost']);
});

test('a stopped listener is not woken', async () => {
  const { wakes, listener } = await listening('waypost_webhooks');
  await listener.stop();
  createNotifier(database.pool, 'waypost_webhooks', logOf([]))();
  await sleep(200);
  expect(wakes()).toBe(0);
});

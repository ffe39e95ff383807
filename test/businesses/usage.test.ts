import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { USAGE_SLOTS } from '../../src/businesses/billingSql.ts';
import type { Settings } from '../../src/businesses/settings.ts';
import { changeSettings } from '../../src/businesses/settingsChange.ts';
import { readAccount, readSettings } from '../../src/businesses/sql.ts';
import { lockedUsage } from '../../src/businesses/usage.ts';
import { CLAIMED_SENDS_MAX } from '../../src/config/limits.ts';
import { GROUP_TRANSACTION, TransactionEnd, transaction } from '../../src/db/transaction.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { insertTestBusiness } from '../support/rows.ts';
import { seededRandom } from '../support/seededRandom.ts';

/* Permits of one business count at the same time, and still pass no limit. */

const now = new Date('2026-08-20T12:00:00.000Z');
/** What permits in other slots may add unseen. */
const UNSEEN = USAGE_SLOTS * CLAIMED_SENDS_MAX;
const random = seededRandom(20).next;

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

async function business(columns: Record<string, unknown>): Promise<Settings> {
  const { id } = await insertTestBusiness(database.pool, now, columns);
  const [settings] = await readSettings(database.pool, [id]);
  if (!settings) throw new Error('the business was not created');
  return settings;
}

interface Counting {
  counted: number;
  exceeded: number;
}

/** A permit that counts as many emails as it wants and may, and takes a while to commit. */
const permitOf = (settings: Settings, wanted: number, at = now): Promise<Counting> =>
  transaction(
    database.pool,
    async (tx) => {
      const usage = await lockedUsage(tx, [settings.id], at);
      const counted = Math.max(0, Math.min(wanted, usage.emailsLeft(settings) ?? wanted));
      for (let n = 0; n < counted; n += 1) usage.countEmail(settings);
      await sleep(random() * 5);
      return TransactionEnd.finalWrites((send) => {
        usage.write(send);
        return () => ({ counted, exceeded: usage.exceeded.length });
      });
    },
    { ...GROUP_TRANSACTION, attempts: 20 },
  );

/** Permits of random size, ten at a time. */
const manyPermits = (settings: Settings, count: number): Promise<Counting[]> =>
  Promise.all(
    Array.from({ length: count }, () => permitOf(settings, 1 + Math.floor(random() * CLAIMED_SENDS_MAX))),
  );

const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);

describe('limits under permits that run at the same time', () => {
  test('a daily cap is reached exactly and never passed', async () => {
    const cap = UNSEEN + 900;
    const settings = await business({ daily_email_cap: cap });
    const permits = await manyPermits(settings, 80);
    expect(sum(permits.map(({ counted }) => counted))).toBe(cap);
    const [account] = await readAccount(database.pool, settings.id);
    expect(account).toMatchObject({ day: '2026-08-20', emailsToday: cap, emailsInPeriod: cap });
  });

  test('passing the allowance is reported once', async () => {
    const settings = await business({ email_allowance: UNSEEN + 500 });
    const permits = await manyPermits(settings, 60);
    expect(sum(permits.map(({ exceeded }) => exceeded))).toBe(1);
    const total = sum(permits.map(({ counted }) => counted));
    expect(total).toBeGreaterThan(UNSEEN + 500);
    expect(await readAccount(database.pool, settings.id)).toMatchObject([{ emailsInPeriod: total }]);
  });

  test('a new day, in UTC, begins with the whole cap', async () => {
    const settings = await business({ daily_email_cap: 10 });
    expect(await permitOf(settings, 20)).toMatchObject({ counted: 10 });
    expect(await permitOf(settings, 20)).toMatchObject({ counted: 0 });
    const midnight = new Date('2026-08-21T00:00:00.000Z');
    expect(await permitOf(settings, 20, midnight)).toMatchObject({ counted: 10 });
    const [account] = await readAccount(database.pool, settings.id);
    expect(account).toMatchObject({ day: '2026-08-21', emailsToday: 10, emailsInPeriod: 20 });
  });
});

describe('who waits for whom', () => {
  /** A transaction in each of as many slots as there are connections, all open at the same time. */
  async function openPermits(settings: Settings, open: () => Promise<void>): Promise<number> {
    const clients = await Promise.all(Array.from({ length: 8 }, () => database.pool.connect()));
    const slots = new Set<number>();
    try {
      for (const client of clients) {
        const { rows } = await client.query<{ slot: number }>(
          `select pg_backend_pid() % ${USAGE_SLOTS} as slot`,
        );
        if (slots.has(rows[0]?.slot ?? 0)) continue;
        slots.add(rows[0]?.slot ?? 0);
        await client.query('begin');
        await lockedUsage(client, [settings.id], now);
      }
      await open();
    } finally {
      for (const client of clients) {
        await client.query('rollback');
        client.release();
      }
    }
    return slots.size;
  }

  test('far from a limit permits of one business do not wait for each other', async () => {
    const settings = await business({ daily_email_cap: 100 * UNSEEN, email_allowance: 100 * UNSEEN });
    expect(await openPermits(settings, async () => {})).toBeGreaterThan(1);
  });

  test('a change of settings waits for every permit that has begun', async () => {
    const settings = await business({});
    let changed = false;
    let changing: Promise<unknown> = Promise.resolve();
    await openPermits(settings, async () => {
      changing = transaction(database.pool, (tx) =>
        changeSettings(tx, now, settings.id, { paused: true }, 'operator'),
      ).then(() => {
        changed = true;
      });
      await sleep(100);
      expect(changed).toBe(false);
    });
    await changing;
    expect(await readSettings(database.pool, [settings.id])).toMatchObject([{ paused: true }]);
  });
});

import type { Pool } from '../../src/db/pool.ts';
import { later } from '../../src/kit/clock.ts';
import type { Log } from '../../src/kit/log.ts';
import type { Loop } from '../../src/kit/loop.ts';
import { createHasher, createSealer, type Sealer } from '../../src/kit/seal.ts';
import { type Outbox, startOutbox } from '../../src/outbox/outbox.ts';
import type { Send } from '../../src/outbox/send.ts';
import type { Providers } from '../../src/providers/provider.ts';
import { type Captured, captured, createCapture } from '../../src/sandbox/capture.ts';
import { type MovableClock, stepThrough } from '../../src/sandbox/clock.ts';
import { startSandboxReports } from '../../src/sandbox/reports.ts';
import { sandboxProviders } from '../../src/sandbox/sandboxProviders.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import * as rows from './rows.ts';

/** The delivery side on a real Postgres, with the sandbox's providers and a clock that stands still until it is moved. */
export interface OutboxHarness {
  db: TestDatabase;
  pool: Pool;
  clock: MovableClock;
  hash: ReturnType<typeof createHasher>;
  sealer: Sealer;
  outbox: Outbox;
  reports: Loop;
  now(): Date;
  /** Puts the clock forward and lets happen what is due on the way. */
  advance(milliseconds: number): Promise<void>;
  captured(filter?: { channel?: string; to?: string }): Promise<Captured[]>;
  sendRow(id: string): Promise<Send>;
  events(businessId: string): Promise<{ type: string; data: Record<string, unknown> }[]>;
  /** The types of the events a business was told of, oldest first. */
  eventTypes(businessId: string): Promise<string[]>;
  /** What is left, what is set aside, and what the ledger adds up to. */
  credits(businessId: string): Promise<{ balance: number; reserved: number; ledger: number }>;
  business(columns?: Parameters<typeof rows.insertTestBusiness>[2]): Promise<rows.TestBusiness>;
  recipient(
    of: rows.TestBusiness,
    columns?: Parameters<typeof rows.insertRecipient>[3],
  ): Promise<rows.TestRecipient>;
  push(to: rows.TestRecipient, ask?: rows.PushToInsert): Promise<rows.InsertedPush>;
  close(): Promise<void>;
}

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Remembers what went wrong; nothing may, unless the test says so. */
const problemLog = (problems: string[]): Log => ({
  ...silentLog,
  error: (fields, text) => problems.push(`${text}: ${String(fields.error)}`),
});

export function manualClock(start = new Date('2026-08-20T09:00:00.000Z')): MovableClock {
  let at = start;
  return {
    now: () => at,
    moveTo: async (moment) => {
      // Several may move it at once; it never goes back.
      if (moment > at) at = moment;
    },
  };
}

export async function startOutboxHarness(
  options: { providers?: Partial<Providers>; log?: Log } = {},
): Promise<OutboxHarness> {
  const db = await testDatabase();
  const { pool } = db;
  const clock = manualClock();
  const hash = createHasher(Buffer.alloc(32, 7));
  const sealer = createSealer(['a secret key for these tests']);
  const problems: string[] = [];
  const log = options.log ?? problemLog(problems);
  const wakes = { reports: () => {}, sends: () => {} };
  const capture = createCapture(pool, clock, () => wakes.reports());
  const outbox = startOutbox({
    pool,
    clock,
    log,
    providers: { ...sandboxProviders(capture), ...options.providers },
    publicUrl: 'http://waypost.test',
    hash,
    sealer,
    unsubscribeLink: (businessId, recipientId) =>
      `http://waypost.test/unsubscribe/${businessId}-${recipientId}`,
    replyLink: (businessId, replyId) => `http://waypost.test/replies/${businessId}-${replyId}`,
    onEvents: () => {},
    random: () => 0,
  });
  const reports = startSandboxReports({
    pool,
    clock,
    hash,
    log,
    onEvents: () => {},
    onSends: () => wakes.sends(),
  });
  wakes.reports = () => reports.wake();
  wakes.sends = () => outbox.wake();
  const works = [outbox, reports];
  const events = async (businessId: string) => {
    const found = await pool.query<{ type: string; data: Record<string, unknown> }>(
      'select type, data from events where business_id = $1 order by id',
      [businessId],
    );
    return found.rows;
  };
  return {
    db,
    pool,
    clock,
    hash,
    sealer,
    outbox,
    reports,
    now: () => clock.now(),
    advance: (milliseconds) => stepThrough(clock, works, later(clock.now(), milliseconds)),
    captured: (filter = {}) => captured(pool, filter),
    async sendRow(id) {
      const [row] = (await pool.query<Send>('select * from sends where id = $1', [id])).rows;
      if (!row) throw new Error('there is no such send');
      return row;
    },
    events,
    async eventTypes(businessId) {
      return (await events(businessId)).map(({ type }) => type);
    },
    async credits(businessId) {
      const found = await pool.query<{ balance: number; reserved: number; ledger: number }>(
        `select balance, reserved, (select coalesce(sum(amount), 0)::int from credit_ledger l
           where l.business_id = a.business_id) as ledger
         from credit_accounts a where business_id = $1`,
        [businessId],
      );
      const [account] = found.rows;
      if (!account) throw new Error('there is no such account');
      return account;
    },
    business: (columns) => rows.insertTestBusiness(pool, clock.now(), columns),
    recipient: (of, columns) => rows.insertRecipient(pool, clock.now(), of, columns),
    push: (to, ask) => rows.insertPush(pool, clock.now(), to, ask),
    async close() {
      await outbox.stop();
      await reports.stop();
      await db.drop();
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
  };
}

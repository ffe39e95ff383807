import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selectCall, selectCalls, selectCallsOfOrder } from '../../src/connections/callLogSql.ts';
import { claimRead, dueReads, failRead } from '../../src/connections/catchUpSql.ts';
import { readReceiving, storeCalls, storeCallsAndHear } from '../../src/connections/receiveSql.ts';
import {
  changedOrders,
  dueConnections,
  dueRegistrations,
  insertRegistrations,
  nextDueConnection,
  recordRegistration,
} from '../../src/connections/registerSql.ts';
import { findShipmentByNumber } from '../../src/connections/trackingCallsSql.ts';
import { startConnectionWorker } from '../../src/connections/worker.ts';
import {
  anyCallDue,
  deleteOrphans,
  dueCalls,
  finishCalls,
  readKnownOrders,
  takeCall,
  takeDueCalls,
  takeNextOfOrders,
  writeKnownOrders,
} from '../../src/connections/workerSql.ts';
import { openPool, type Pool } from '../../src/db/pool.ts';
import type { Queryable } from '../../src/db/statement.ts';
import { HOUR, later, MINUTE, monotonicMs, SECOND, systemClock } from '../../src/kit/clock.ts';
import { AFTER_EVERY_ID, newId } from '../../src/kit/ids.ts';
import { createHasher } from '../../src/kit/seal.ts';
import { leaseStamp, leaseUntil } from '../../src/webhooks/lease.ts';
import { runStatements } from '../support/cluster.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { PLAN_MODES, pagesTouched } from '../support/pagesTouched.ts';
import { recordingLog } from '../support/recordingLog.ts';

/* What connections ask of the database touches some pages for each row that is wanted, whatever is stored beside them. */

const CALLS = 200_000;
const ORDERS = 100_000;
const DUE = 5_000;
const OF_ONE_ORDER = 300;
const NOW = new Date();
const LATE = later(NOW, MINUTE);

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await testDatabase();
  pool = openPool(database.url, { max: 1, name: 'test', onError: () => {} });
  // Not by the service's pool: its limit for a statement has ended this on a busy machine.
  await runStatements(
    database.url,
    `insert into businesses (id, name, created_at) select 'b' || n, 'Shop', now() from generate_series(0, 19) n`,
    `insert into connections (id, business_id, kind, name, status, created_at, next_read_at)
      select 'c' || n, 'b' || n % 20, case when n % 2 = 0 then 'woocommerce' else 'aftership' end, 'Store', 'live', now(),
        case when n < 40 then now() end
      from generate_series(0, 1999) n`,
    // The store c0 is busy: it has calls of many orders in its backlog, and c1 has those of one order.
    `insert into connection_calls (business_id, connection_id, id, call_key, topic, store_order, order_number, headers, body,
        received_at, is_watched, due_at)
      select 'b' || c.n % 20, 'c' || c.n, lpad(i::text, 24, '0'), 'k' || i, 'order.updated',
        case when c.n = 1 then 'hot' else 'o' || i end, 'n' || i / 2, '{}', '{}', now(), false,
        case when c.n = 0 and i < ${DUE} * 2 or c.n = 1 and i < ${OF_ONE_ORDER} * 2 then now() - interval '1 hour' end
      from generate_series(0, ${CALLS - 1}) i cross join lateral (
        select case when i < ${DUE} * 2 then i % 2 else i % 2000 end as n) c`,
    `insert into connection_orders (business_id, connection_id, store_order, order_number, known, revision, updated_at)
      select 'b' || i % 20, 'c' || i % 20, 'o' || i, 'n' || i, '{}', 'r', now() from generate_series(0, ${ORDERS - 1}) i`,
    `insert into tracking_registrations (business_id, connection_id, tracking_number, created_at, due_at)
      select 'b1', 'c1', 'T' || i, now(), case when i < 100 then now() end from generate_series(0, 49999) i`,
    `insert into shipments (business_id, reference, tracking_number, id, updated_at)
      select 'b' || i % 20, 'n' || i, 'T' || i, lpad(i::text, 24, '0'), now() from generate_series(0, ${ORDERS - 1}) i`,
    `insert into orders (business_id, reference, change_id, updated_at)
      select 'b' || i % 20, 'n' || i, lpad(i::text, 24, '0'), now()
      from generate_series(0, ${ORDERS - 1}) i`,
    'vacuum analyze',
  );
}, 5 * MINUTE);
afterAll(async () => {
  await pool.end();
  await database.drop();
});

type Ask = (db: Queryable) => Promise<unknown>;

let calls = 0;
const newCall = () => {
  calls += 1;
  const headers = ['{}'];
  return [
    ['b2'],
    ['c2'],
    [newId(NOW, calls)],
    [`new ${calls}`],
    ['order.updated'],
    ['o1'],
    headers,
    [Buffer.from('{}')],
    [false],
    [false],
    LATE,
  ] as const;
};
const handled = (id: string) => ({
  business_id: 'b2',
  connection_id: 'c2',
  id,
  due_at: null,
  outcome: 'nothing_to_tell',
  order_number: 'n1',
});
const known = { business_id: 'b2', connection_id: 'c2', store_order: 'o2', order_number: 'n2', known: {} };
const revised = { ...known, revision: 'r2', read_revision: 'r' };
const registration = { business_id: 'b1', connection_id: 'c1', tracking_number: 'T7' };
const idOf = (n: number): string => String(n).padStart(24, '0');
const LEASE = leaseUntil(later(LATE, MINUTE), 'test');
const claim = [LATE, leaseStamp(LATE), LEASE] as const;

/** What is asked, and the pages that it may touch. */
const CASES: [name: string, ask: Ask, pages: number][] = [
  ['a call finds its connection', (db) => readReceiving(db, ['c7']), 6],
  ['a call is stored', (db) => storeCalls(db, ...newCall()), 200],
  ['a call is stored, and its store noted', (db) => storeCallsAndHear(db, ...newCall(), ['c2']), 120],
  ['the log', (db) => selectCalls(db, 'b3', 'c3', AFTER_EVERY_ID, null, 20), 40],
  ['the log of an order', (db) => selectCallsOfOrder(db, 'b3', 'c3', AFTER_EVERY_ID, null, 20, 'n5001'), 20],
  ['a call of the log', (db) => selectCall(db, 'b3', 'c3', idOf(10003)), 10],
  ['the queues of due calls', (db) => find(db), 40],
  ['when the next call is due', (db) => dueCalls.next(db, LATE), 40],
  ['whether a call is due', (db) => anyCallDue(db, LATE), 40],
  ['50 of 5,000 due calls are claimed', (db) => takeDueCalls(db, ['b0'], ['c0'], [50], ...claim), 2_500],
  [
    'the next call of an order is claimed',
    (db) => takeNextOfOrders(db, ['b1'], ['c1'], ['hot'], ...claim),
    60,
  ],
  ['a call is run again', (db) => takeCall(db, 'b3', 'c3', idOf(12003), claim[1], LEASE, LATE), 60],
  ['what is known of an order', (db) => readKnownOrders(db, ['b2'], ['c2'], ['o2']), 10],
  ['what is known of an order is written', (db) => writeKnownOrders(db, JSON.stringify([revised]), LATE), 40],
  ['a call is finished', (db) => finishCalls(db, JSON.stringify([handled(idOf(10002))]), null), 60],
  ['a call without a connection is deleted', (db) => deleteOrphans(db, ['b4'], ['c4'], [idOf(10004)]), 40],
  ['the stores to read', (db) => dueReads(db, LATE, 8), 60],
  ['a store is read', (db) => claimRead(db, 'c2', LATE, later(LATE, HOUR)), 30],
  ['a store cannot be read', (db) => failRead(db, 'c2', LATE, LATE, 'The store answered 500.'), 30],
  ['the services to call', (db) => dueConnections(db, ['aftership'], LATE, 4), 60],
  ['when a service is to be called', (db) => nextDueConnection(db, ['aftership'], NOW), 60],
  ['the orders that changed', (db) => changedOrders(db, 'b1', idOf(0), 'c1', idOf(0), 50), 600],
  ['shipments to register', (db) => insertRegistrations(db, JSON.stringify([registration]), LATE), 20],
  ['the registrations that are due', (db) => dueRegistrations(db, 'b1', 'c1', LATE, 20), 60],
  ['a registration', (db) => recordRegistration(db, 'b1', 'c1', 'T7', 1, null, LATE, null), 40],
  ['the order of a tracking number', (db) => findShipmentByNumber(db, 'b7', 'T7007'), 20],
];

const find = (db: Queryable) => dueCalls.find(db, { after: null, floor: new Date(0), now: LATE, max: 200 });

describe.each(PLAN_MODES)('with plans by %s', (mode) => {
  test.each(CASES)('%s', async (_, ask, pages) => {
    const touched = await pagesTouched(pool, mode, ask);
    expect(touched).toBeGreaterThan(0);
    expect(touched).toBeLessThanOrEqual(pages);
  });
});

test(
  'hundreds of calls about one order are handled in seconds, one after another',
  async () => {
    const workerPool = openPool(database.url, { max: 4, name: 'test', onError: () => {} });
    const log = recordingLog([]);
    const unused = async (): Promise<never> => {
      throw new Error('nothing is told');
    };
    await runStatements(
      database.url,
      `update connection_calls set lease = null, due_at = case when connection_id = 'c1' then now() end where due_at is not null`,
    );
    const began = monotonicMs();
    const worker = startConnectionWorker({
      pool: workerPool,
      clock: systemClock,
      hash: createHasher(Buffer.alloc(32)),
      pushes: { push: unused },
      previews: { preview: unused },
      tracking: { report: unused },
      log,
    });
    await worker.drain();
    await worker.stop();
    const { rows } = await workerPool.query(
      'select count(*)::int as due from connection_calls where due_at is not null',
    );
    await workerPool.end();
    expect(rows).toEqual([{ due: 0 }]);
    expect(monotonicMs() - began).toBeLessThan(45 * SECOND);
  },
  2 * MINUTE,
);

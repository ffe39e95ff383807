import { expect, onTestFinished, test } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { addConnection, type Connection, changeConnection } from '../../src/connections/connections.ts';
import type { ConnectionKind } from '../../src/connections/kinds/kind.ts';
import { kindOf } from '../../src/connections/kinds.ts';
import { handlerFor } from '../../src/connections/run.ts';
import { storeCall } from '../../src/connections/storeCall.ts';
import { handleClaimed, handleDue } from '../../src/connections/worker.ts';
import { takeCall } from '../../src/connections/workerSql.ts';
import { type Clock, later, SECOND, systemClock } from '../../src/kit/clock.ts';
import { createHasher, createSealer } from '../../src/kit/seal.ts';
import { leaseStamp, leaseUntil } from '../../src/webhooks/lease.ts';
import { testDatabase } from '../support/database.ts';
import { recordingLog } from '../support/recordingLog.ts';
import { SECRET_KEY } from '../support/secretKey.ts';
import { rawCall } from '../support/trackingKinds.ts';
import { wooOrder } from './connectedStore.ts';

test('what a worker finishes after the person was erased is not kept', async () => {
  const shop = await openShop();
  const store = await shop.connect('woocommerce');
  await shop.hear(store, NEW_ORDER);
  const slow = await shop.claim('slow');
  shop.advance(31 * SECOND);
  await shop.work();
  expect(await shop.told()).toEqual(['confirmed']);
  await shop.pool.query('delete from connection_orders');
  await shop.pool.query('delete from connection_calls');
  await handleClaimed(shop.deps, slow.calls, slow);
  expect(await shop.known()).toEqual([]);
  expect(await shop.told()).toEqual(['confirmed']);
});

test('of two workers with calls of one order the later one starts anew', async () => {
  const shop = await openShop();
  const store = await shop.connect('woocommerce');
  await shop.hear(store, NEW_ORDER);
  const first = await shop.claim('first');
  await shop.hear(store, SHIPPED_ORDER);
  const second = await shop.claim('second');
  const { pushes } = shop.deps;
  let isOvertaken = false;
  const overtaken: typeof pushes = {
    push: async (push) => {
      if (!isOvertaken) {
        isOvertaken = true;
        await handleClaimed(shop.deps, second.calls, second);
      }
      return pushes.push(push);
    },
  };
  await handleClaimed({ ...shop.deps, pushes: overtaken }, first.calls, first);
  expect(await shop.known()).toEqual([['completed', ['shipped']]]);
  shop.advance(SECOND);
  await shop.work();
  expect(await shop.known()).toEqual([['completed', ['shipped']]]);
  expect(await shop.waiting()).toBe(0);
});

test('of a history that a tracking service sends only the last step nudges', async () => {
  const shop = await openShop();
  const store = await shop.connect('woocommerce');
  await shop.hear(store, SHIPPED_ORDER);
  await shop.work();
  const carrier = await shop.connect('karrio');
  await shop.hear(carrier, {
    event: 'tracker_updated',
    data: {
      tracking_number: 'JD0001',
      status: 'delivered',
      events: [
        { status: 'delivered', timestamp: '2026-08-20T09:10:00Z' },
        { status: 'out_for_delivery', timestamp: '2026-08-20T08:00:00Z' },
      ],
    },
  });
  await shop.work();
  expect(await shop.told()).toEqual(['shipped', 'delivered']);
  const { rows } = await shop.pool.query('select status from tracking_events order by at');
  expect(rows).toEqual([{ status: 'out_for_delivery' }, { status: 'delivered' }]);
});

test('a call is found behind hundreds of connections whose calls wait for their shipments', async () => {
  const shop = await openShop();
  const store = await shop.connect('woocommerce');
  await shop.hear(store, NEW_ORDER);
  await shop.pool.query(`
    insert into connection_calls (business_id, connection_id, id, call_key, topic, headers, body, received_at, is_watched, due_at)
    select business_id, '0' || n, id || n, n, topic, headers, body, received_at, is_watched, due_at + interval '1 hour'
    from connection_calls cross join generate_series(1, 450) n`);
  await shop.work();
  expect(await shop.told()).toEqual(['confirmed']);
});

const NEW_ORDER = wooOrder();
const SHIPPED_ORDER = wooOrder({
  status: 'completed',
  date_modified_gmt: '2026-08-20T09:10:00',
  meta_data: [
    {
      key: '_wc_shipment_tracking_items',
      value: [{ tracking_provider: 'dpd', tracking_number: 'JD0001' }],
    },
  ],
});

/** A shop on a database of its own, whose workers work when the test says so. */
async function openShop() {
  const database = await testDatabase();
  onTestFinished(() => database.drop());
  const { pool } = database;
  let now = new Date('2026-08-20T09:15:00.000Z');
  const clock: Clock = { now: () => now };
  const hash = createHasher(Buffer.alloc(32));
  const sealer = createSealer([SECRET_KEY]);
  const deps = {
    ...handlerFor({ pool, clock, hash, publicUrl: 'https://waypost.example' }),
    log: recordingLog([]),
  };
  const { businessId } = await createBusiness(pool, systemClock, { name: 'Acme Books' });
  return {
    pool,
    deps,
    advance(milliseconds: number): void {
      now = later(now, milliseconds);
    },
    async connect(kind: ConnectionKind): Promise<Connection> {
      const of = { businessId, kind, name: null, secret: 's', storeUrl: null, credentials: null };
      const { connection } = await addConnection({ pool, clock, sealer }, { ...of, actor: 'operator' });
      return changeConnection({ pool, clock, sealer }, connection, { status: 'live' }, 'operator');
    },
    async hear(connection: Connection, content: unknown): Promise<void> {
      const raw = rawCall({ body: JSON.stringify(content) });
      const description = kindOf(connection.kind).describe(raw);
      await storeCall(pool, clock, connection, { description, headers: {}, body: raw.body, isPing: false });
      now = later(now, 1);
    },
    /** The calls that nobody holds, as a worker of this name takes them. */
    async claim(worker: string) {
      const lease = leaseUntil(later(now, 30 * SECOND), worker);
      const { rows } = await pool.query(
        'select connection_id, id from connection_calls where lease is null order by id',
      );
      const calls = [];
      for (const { connection_id, id } of rows)
        calls.push(...(await takeCall(pool, businessId, connection_id, id, leaseStamp(now), lease, now)));
      return { calls, lease, isAgain: false };
    },
    work: () => handleDue(deps, 'worker'),
    told: async () =>
      (await pool.query('select order_status from messages order by id')).rows.map(
        ({ order_status }) => order_status,
      ),
    /** Of each order its status and what of it was told. */
    known: async () =>
      (await pool.query('select known from connection_orders')).rows.map(({ known }) => [
        known.order.statuses[0].status,
        Object.keys(known.told),
      ]),
    waiting: async () =>
      (await pool.query('select count(*)::int as waiting from connection_calls where due_at is not null'))
        .rows[0]?.waiting,
  };
}

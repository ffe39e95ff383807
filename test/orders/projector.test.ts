import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { lockNumber } from '../../src/kit/ids.ts';
import { applyNext, catchUp } from '../../src/orders/projector.ts';
import { carrierReports } from '../support/carrier.ts';
import { countLockWaits } from '../support/databaseLocks.ts';
import { seededRandom } from '../support/seededRandom.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { shortOrLong } from '../support/shortOrLong.ts';
import { eventually } from '../support/waiting.ts';

/** Without a worker, so that nothing applies changes but what a test starts. */
let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business();
});

const rows = async <Row>(text: string): Promise<Row[]> =>
  (await service.database.pool.query(text, [shop.businessId])).rows;
const waiting = async (): Promise<number> =>
  (await rows('select from order_changes where business_id = $1')).length;
const told = () =>
  rows<{ status: string; tracking: string | null }>(`
    select data ->> 'status' as status, data ->> 'tracking_number' as tracking from events
    where business_id = $1 and type = 'order.updated' order by id`);

/** As a projector does, until nothing waits. */
async function applyAll(): Promise<void> {
  while ((await waiting()) > 0) await applyNext(service, shop.businessId);
}

test('changes wait for a projector, and nobody sees an order without them', async () => {
  await shop.pushed({ reference: 'R1', order_status: 'shipped' });
  expect(await waiting()).toBe(1);
  expect(expectStatus(200, await shop.get('/api/v1/orders'))).toMatchObject({ items: [{ reference: 'R1' }] });
  expect(await waiting()).toBe(0);
});

test('a worker applies them by itself', async () => {
  const working = await startService();
  try {
    const other = await working.business();
    await other.pushed({ reference: 'R1', order_status: 'shipped', notify: false });
    await eventually(async () => {
      const { rows } = await working.pool.query('select status from orders where business_id = $1', [
        other.businessId,
      ]);
      expect(rows).toEqual([{ status: 'shipped' }]);
    });
  } finally {
    await working.close();
  }
});

test('each change is applied and told once, whichever projectors run at the same moment', async () => {
  const statuses = ['confirmed', 'shipped', 'in_transit', 'delivered'];
  for (const order_status of statuses) {
    const pushes = Array.from({ length: 10 }, (_, n) =>
      shop.pushed({ reference: `O${n}`, order_status, notify: false }),
    );
    await Promise.all([
      ...pushes,
      ...Array.from({ length: 4 }, () => applyNext(service, shop.businessId)),
      catchUp(service, shop.businessId),
    ]);
  }
  await applyAll();
  const counted = (await told()).map(({ status }) => status);
  for (const status of statuses) expect(counted.filter((one) => one === status)).toHaveLength(10);
  expect(counted).toHaveLength(40);
});

test('a projector that dies has changed and told nothing; the next one does all of it', async () => {
  await shop.pushed({ reference: 'R1', order_status: 'confirmed', notify: false });
  await applyAll();
  await shop.pushed({ reference: 'R1', order_status: 'shipped', notify: false });
  await carrierReports(service, shop, 'R1', { status: 'picked_up', at: service.clock.now() });
  const client = await service.database.pool.connect();
  try {
    // It has the changes, and is about to write the order.
    await client.query('begin');
    await client.query('select from orders where business_id = $1 for update', [shop.businessId]);
    const dying = applyNext(service, shop.businessId).catch((error: unknown) => error);
    await eventually(async () => expect(await countLockWaits(service.database.pool)).toBe(1));
    await client.query(`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`);
    expect(await dying).toBeInstanceOf(Error);
  } finally {
    await client.query('rollback').finally(() => client.release());
  }
  expect(await waiting()).toBe(2);
  expect(await told()).toEqual([{ status: 'confirmed', tracking: null }]);
  await applyAll();
  expect(await told()).toEqual([
    { status: 'confirmed', tracking: null },
    { status: 'shipped', tracking: null },
    { status: 'picked_up', tracking: 'CC123' },
  ]);
});

test('a read waits without a connection for another transaction that applies changes, and not for ever', async () => {
  await shop.pushed({ reference: 'W1', order_status: 'confirmed', notify: false });
  const client = await service.database.pool.connect();
  try {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [lockNumber('orders', shop.businessId)]);
    const reads = Promise.all(Array.from({ length: 30 }, () => catchUp(service, shop.businessId)));
    await Promise.race([reads, pause(300)]);
    expect(await countLockWaits(service.database.pool)).toBe(0);
    await reads;
    expect(await waiting()).toBe(1);
  } finally {
    await client.query('rollback').finally(() => client.release());
  }
  await catchUp(service, shop.businessId);
  expect(await waiting()).toBe(0);
});

test('a read applies more than one batch', async () => {
  for (let batch = 0; batch < 6; batch += 1) {
    const items = Array.from({ length: 100 }, (_, n) => ({
      reference: `B${batch}-${n}`,
      order_status: 'confirmed',
      notify: false,
    }));
    expectStatus(200, await shop.batch(items));
  }
  expect(await waiting()).toBe(600);
  await catchUp(service, shop.businessId);
  expect(await waiting()).toBe(0);
  expect(await rows('select from orders where business_id = $1')).toHaveLength(600);
});

/** What the messages and the tracking events say, looked up anew. */
const recount = () =>
  rows<{ reference: string; status: string | null; status_at: Date | null; people: string[] }>(`
    select r.reference, latest.status, latest.at as status_at, array(
      select distinct email from (
        select p.email from messages m join recipients p on p.business_id = m.business_id and p.id = m.recipient_id
        where m.business_id = $1 and m.reference = r.reference) named order by 1) as people
    from (
      select reference from messages where business_id = $1 and reference is not null
      union select reference from shipments where business_id = $1) r
    left join lateral (
      select * from (
        select order_status as status, coalesce(order_status_at, created_at) as at, 0 as rank, id from messages
        where business_id = $1 and reference = r.reference and status <> 'retracted' and order_status <> 'own_word'
        union all
        select status, at, 1, id from tracking_events where business_id = $1 and reference = r.reference) words
      order by at desc, rank desc, id desc limit 1) latest on true
    order by 1`);

test.each(Array.from({ length: shortOrLong(5, 40) }, (_, n) => n))(
  'after anything, applied in any batches, orders are what their sources say: seed %i',
  async (seed) => {
    const random = seededRandom(seed);
    const pick = <T>(...list: T[]): T | null => random.oneOf(list);
    const ids: string[] = [];
    for (let step = 0; step < 40; step += 1) {
      const reference = pick('X', 'Y', 'Z') ?? 'X';
      const act = pick('push', 'push', 'rewrite', 'rewrite', 'retract', 'event', 'apply');
      const recipient_email = pick('ann@example.com', 'bob@example.com');
      const order_status = pick('confirmed', 'shipped', 'delivered', 'own_word', null);
      const push = { reference, order_status, recipient_email, notify: false };
      if (act === 'push') ids.push((await shop.pushed(push)).id);
      if (act === 'rewrite') {
        const subject = pick('One', 'Two');
        ids.push((await shop.pushed({ ...push, subject, kind: 'updateable' })).id);
      }
      if (act === 'retract' && ids.length > 0)
        expectStatus(200, await shop.post(`/api/v1/messages/${random.oneOf(ids)}/retract`));
      if (act === 'event') {
        const at = new Date(service.clock.now().getTime() - Math.floor(300 * random.next()));
        await carrierReports(service, shop, reference, {
          status: random.happens(0.5) ? 'picked_up' : 'returned',
          at,
        });
      }
      if (act === 'apply') await applyNext(service, shop.businessId);
    }
    await applyAll();
    const orders = await rows(`
      select o.reference, o.status, o.status_at, array(
        select n.email from order_recipients n where n.business_id = $1 and n.reference = o.reference order by 1) as people
      from orders o where o.business_id = $1 order by 1`);
    expect(orders).toEqual(await recount());
  },
);

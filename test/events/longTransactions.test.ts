import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFeedReader } from '../../src/events/page.ts';
import { earlier, HOUR, systemClock } from '../../src/kit/clock.ts';
import { idBoundAt, newId } from '../../src/kit/ids.ts';
import { type IndexReads, openIndexReads } from '../support/indexReads.ts';
import { insertTestBusiness } from '../support/rows.ts';

const ASSIGNED = 3_000;

let reads: IndexReads;
beforeAll(async () => {
  reads = await openIndexReads('events_unassigned');
});
afterAll(() => reads.close());

test('reads do not step over events that have a position again, even while an open transaction keeps vacuum from removing them', async () => {
  const { pool, old, entriesRead } = reads;
  const now = systemClock.now();
  const { id: businessId } = await insertTestBusiness(pool, now);
  const insert = (id: string) =>
    pool.query(
      `insert into events (business_id, id, type, occurred_at, data) values ($1, $2, 'message.opened', now(), '{}')`,
      [businessId, id],
    );
  await old.query('begin isolation level repeatable read');
  await old.query('select 1 from events');
  await pool.query(
    `insert into events (business_id, id, type, occurred_at, data)
      select $1, $2 || lpad(n::text, 16, '0'), 'message.opened', now(), '{}' from generate_series(1, $3) n`,
    [businessId, idBoundAt(earlier(now, HOUR)), ASSIGNED],
  );
  const reader = createFeedReader({ pool, clock: systemClock });
  const end = await reader.end(businessId);
  expect(end.position).toBe(ASSIGNED);

  const before = await entriesRead();
  const query = { businessId, types: null, messageId: null, limit: 10, after: end };
  const id = newId(systemClock.now());
  await insert(id);
  expect((await reader.page(query)).events.map((event) => event.id)).toEqual([id]);
  expect(await reader.businessesWithNewEvents([{ businessId, position: end.position + 1 }])).toEqual([]);
  expect((await entriesRead()) - before).toBeLessThan(ASSIGNED / 10);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Queryable } from '../../src/db/statement.ts';
import * as sql from '../../src/events/sql.ts';
import { deleteOldEvents } from '../../src/retention/sql.ts';
import { runStatements } from '../support/cluster.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

/* Every read of a feed is a range of an index: with plans that were made for empty tables, and at any size. */

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

type Ask = (db: Queryable) => Promise<unknown>;

/** What is asked, the parameters of its plan, and the indexes that it uses. */
const CASES: [name: string, ask: Ask, parameters: string, indexes: string[]][] = [
  [
    'a page',
    (db) => sql.readFeed(db, '', 0, 0, ''),
    `'b1', 1500, 11, '00'`,
    ['events_by_position', 'events_unassigned', 'event_feeds_pkey'],
  ],
  [
    'a page of types',
    (db) => sql.readFeedOfTypes(db, '', 0, 0, '', []),
    `'b1', 1500, 11, '00', '{b,c}'`,
    ['events_by_type', 'events_unassigned'],
  ],
  [
    'a page of a message',
    (db) => sql.readFeedOfMessage(db, '', 0, 0, '', '', null),
    `'b1', 0, 11, '00', 'm7', '{a}'`,
    ['events_by_message', 'events_unassigned'],
  ],
  [
    'giving positions',
    (db) => sql.assignPositions(db, '', 0, ''),
    `'b1', 10, ''`,
    ['events_unassigned', 'Tid Scan on events'],
  ],
  [
    'a scan for events of a kind without a position',
    (db) => sql.hasUnassigned(db, '', null, null),
    `'b1', '{a}', null`,
    ['events_unassigned'],
  ],
  [
    'the check of all waiting calls',
    (db) => sql.findFeedsWithNewEvents(db, [], [], []),
    `'{b1,b2}', '{5,6}', '{00,00}'`,
    ['events_unassigned', 'event_feeds_pkey'],
  ],
];

/** The plan that a statement keeps, under the settings that it runs with. */
async function planOf(ask: Ask, parameters: string, options = ''): Promise<string> {
  const texts: string[] = [];
  const query = new Proxy(database.pool.query, {
    apply: (_target, _self, [first]: [{ text: string }]) => {
      texts.push(first.text);
      return Promise.resolve({ rows: [] });
    },
  });
  await ask({ query });
  const client = await database.pool.connect();
  try {
    await client.query(
      `begin; set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off;
        set local plan_cache_mode = force_generic_plan; set local jit = off`,
    );
    await client.query(`prepare asked as ${texts.join()}`);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain ${options} execute asked (${parameters})`,
    );
    await client.query('deallocate asked');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    await client.query('rollback');
    client.release();
  }
}

const expectIndexes = async (_name: string, ask: Ask, parameters: string, indexes: string[]) => {
  const plan = await planOf(ask, parameters);
  for (const index of indexes) expect(plan).toContain(index);
  expect(plan).not.toMatch(/Seq Scan|Bitmap Index Scan on (?!events_unassigned)|events_by_(?:age|recipient)/);
};

describe('with empty tables', () => {
  test.each(CASES)('%s is by index', expectIndexes);
});

describe('with 60,000 events of 20 businesses', () => {
  beforeAll(async () => {
    // Not by the service's pool: its limit for a statement has ended this on a busy machine.
    await runStatements(
      database.url,
      `insert into businesses (id, name, created_at) select 'b' || n, 'Shop', now() from generate_series(0, 19) n`,
      `insert into event_feeds (business_id, last_position) select 'b' || n, 2950 from generate_series(0, 19) n`,
      `insert into events (business_id, id, type, occurred_at, message_id, data, position)
        select 'b' || n % 20, lpad(n::text, 24, '0'), case when n % 6000 < 20 then 'b' else 'a' end, now(),
          'm' || n / 60, '{}', case when n < 59000 then n / 20 + 1 end
        from generate_series(0, 59999) n`,
      'analyze',
    );
  });

  test.each(CASES)('%s is by index', expectIndexes);

  test.each(CASES)(
    '%s touches a page of the disk or two per event that it shows',
    async (_name, ask, parameters) => {
      const plan = await planOf(ask, parameters, '(analyze, buffers, costs off, timing off)');
      const [, hit = '0', , read = '0'] = /shared hit=(\d+)( read=(\d+))?/.exec(plan) ?? [];
      expect(Number(hit) + Number(read)).toBeGreaterThan(0);
      // Giving ten events a position rewrites ten rows and their entries in six indexes.
      expect(Number(hit) + Number(read)).toBeLessThan(plan.includes('Update on events') ? 600 : 60);
    },
  );

  test('retention finds feeds by their keys', async () => {
    const plan = await planOf((db) => deleteOldEvents.remove(db, new Date(), 0, []), `now(), 100`);
    expect(plan).toContain('event_feeds_pkey');
    expect(plan).not.toMatch(/Seq Scan on (?:events|event_feeds)/);
  });
});

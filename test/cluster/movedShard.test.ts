import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockAccounts } from '../../src/businesses/billingSql.ts';
import { lockSettings } from '../../src/businesses/sql.ts';
import type { Client } from '../../src/db/pool.ts';
import { transaction } from '../../src/db/transaction.ts';
import { CITUS_URL } from '../support/citus.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { insertTestBusiness } from '../support/rows.ts';

const now = new Date('2026-08-20T09:00:00.000Z');

describe.skipIf(!CITUS_URL)('a shard is moved to another worker', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());

  test.each<[lock: string, (tx: Client, businessId: string) => Promise<unknown>]>([
    ['a row of a business', lockSettings],
    ['rows of several', (tx, businessId) => lockAccounts(tx, [businessId])],
  ])('only after a transaction that has locked %s: its locks would stay behind', async (_, lock) => {
    const { pool } = database;
    const { id } = await insertTestBusiness(pool, now);
    const moving = await transaction(pool, async (tx) => {
      await lock(tx, id);
      const moved = pool.query(
        `select citus_move_shard_placement(s.shardid, s.nodename, s.nodeport, n.nodename, n.nodeport, 'block_writes')
         from citus_shards s join pg_dist_node n on n.groupid <> 0 and n.nodeport <> s.nodeport
         where s.shardid = get_shard_id_for_distribution_column('businesses', $1::text) limit 1`,
        [id],
      );
      await expect
        .poll(
          async () =>
            (await pool.query(`select wait_event from pg_stat_activity where query ~ '^select citus_move'`))
              .rows,
        )
        .toContainEqual({ wait_event: 'advisory' });
      return { moved };
    });
    await moving.moved;
  });
});

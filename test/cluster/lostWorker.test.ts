import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAuthentication } from '../../src/api/auth.ts';
import { createKey, findCallers, keyHash } from '../../src/businesses/keys.ts';
import { shardsOf } from '../../src/db/pool.ts';
import { later, SECOND } from '../../src/kit/clock.ts';
import { Claimer } from '../../src/outbox/claim.ts';
import { claimDeliveries } from '../../src/webhooks/claim.ts';
import { CITUS_URL } from '../support/citus.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { insertPush, insertRecipient, insertRow, insertTestBusiness } from '../support/rows.ts';

const SHOPS = 12;
const NOBODY_LISTENS_HERE = 1;
/** Looks at each shard by itself are further apart than that. */
const NEXT_LOOK_MS = 600;
const now = new Date('2026-08-20T09:00:00.000Z');

describe.skipIf(!CITUS_URL)('while one worker of a cluster cannot be reached', () => {
  let database: TestDatabase;
  let lost: { nodeid: number; nodeport: number };
  /** By whether their worker can be reached. */
  const shops = { reachable: [] as string[], lost: [] as string[] };

  beforeAll(async () => {
    database = await testDatabase();
    const { pool } = database;
    const { rows } = await pool.query(
      'select nodeid, nodeport from pg_dist_node where groupid <> 0 order by 1',
    );
    [lost] = rows;
    for (let n = 0; n < SHOPS; n += 1) {
      const { id } = await insertTestBusiness(pool, now);
      await insertPush(pool, now, await insertRecipient(pool, now, { id }));
      await insertRow(pool, 'webhook_endpoints', {
        business_id: id,
        id: 'e',
        url: 'https://example.com',
        secret_sealed: Buffer.alloc(0),
        secret_masked: '',
        created_at: now,
      });
      const event = { business_id: id, id: 'v', type: 'message.delivered', occurred_at: now, data: {} };
      await insertRow(pool, 'events', event);
      const delivery = { business_id: id, endpoint_id: 'e', event_id: 'v', due_at: now, created_at: now };
      await insertRow(pool, 'webhook_deliveries', delivery);
      const placed = await pool.query(
        `select nodeport from citus_shards where shardid = get_shard_id_for_distribution_column('businesses', $1::text)`,
        [id],
      );
      shops[placed.rows[0].nodeport === lost.nodeport ? 'lost' : 'reachable'].push(id);
    }
    expect(shops.lost.length * shops.reachable.length).toBeGreaterThan(0);
  });
  afterAll(() => database.drop());

  const connectWorkerTo = (port: number) =>
    database.pool.query('update pg_dist_node set nodeport = $2 where nodeid = $1', [lost.nodeid, port]);
  const bringBack = async (): Promise<void> => {
    await connectWorkerTo(lost.nodeport);
    await sleep(NEXT_LOOK_MS);
    await expect.poll(() => shardsOf(database.pool).silent.size).toBe(0);
  };
  beforeEach(async () => {
    await connectWorkerTo(NOBODY_LISTENS_HERE);
    await sleep(NEXT_LOOK_MS);
  });

  test('the sends of shops on the others are claimed, and the rest when it is back', async () => {
    // Time stands still for it, so that it does not look from the beginning by itself.
    const claimer = new Claimer(database.pool, () => 0);
    const claim = async (at: Date): Promise<{ shops: string[]; complete: boolean }> => {
      const capacity = { channels: ['email' as const], limit: 100, full: [] };
      const { sends, complete } = await claimer.claim(capacity, at);
      return { shops: sends.map(({ business_id }) => business_id).sort(), complete };
    };
    expect(await claim(now)).toEqual({ shops: shops.reachable.toSorted(), complete: false });
    await sleep(NEXT_LOOK_MS);
    expect(await claim(later(now, 5 * SECOND))).toEqual({ shops: [], complete: false });
    await bringBack();
    expect(await claim(later(now, 6 * SECOND))).toEqual({ shops: shops.lost.toSorted(), complete: true });
  });

  test('their keys are recognised, by a process that never saw them too; nothing is said of any other key', async () => {
    const { pool } = database;
    const keyOf = async (businessId: string): Promise<string> => {
      const request = { businessId, mintedBy: null, name: null, detach: false };
      return (await createKey(pool, { now: () => now }, request)).key;
    };
    await bringBack();
    const [near, far] = [await keyOf(shops.reachable[0] ?? ''), await keyOf(shops.lost[0] ?? '')];
    await connectWorkerTo(NOBODY_LISTENS_HERE);
    const callers = await findCallers(pool, [near, far, 'way_live_unknown'].map(keyHash));
    expect(callers).toMatchObject([{ businessId: shops.reachable[0] }, undefined, undefined]);
    const { authenticate } = createAuthentication(pool);
    await expect(authenticate(`Bearer ${near}`)).resolves.toMatchObject({ businessId: shops.reachable[0] });
    await expect(authenticate(`Bearer ${far}`)).rejects.toThrow('part of the database does not answer');
    await bringBack();
    expect((await findCallers(pool, [keyHash(far)]))[0]?.businessId).toBe(shops.lost[0]);
  });

  test('so are their deliveries', async () => {
    const claim = async (): Promise<string[]> => {
      const limits = { limit: 100, perEndpoint: 10, held: [] };
      const times = { floor: new Date(0), now };
      const { claimed } = await claimDeliveries(database.pool, 'thisworker00', null, limits, times);
      return claimed.map(({ businessId }) => businessId).sort();
    };
    expect(await claim()).toEqual(shops.reachable.toSorted());
    await bringBack();
    expect(await claim()).toEqual(shops.lost.toSorted());
  });
});

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CITUS_URL, dropCitusDatabase, makeDistributedDatabase } from '../support/citus.ts';
import { type ClusterStatement, clusterStatements, placementOf } from './explain.ts';

/**
 * Statements that are meant to reach all shards, and why. Everything else names one business. They only read and take no
 * locks, but for the two that say so.
 */
const ACROSS: readonly { why: string; of: RegExp }[] = [
  {
    why: 'a token, key or number names no business',
    of: /^select requested\.position|findLink$|findSession$|findOwner|findEndpoint$|firstShopOf$|lastUsedShopOf$/,
  },
  {
    why: 'a number belongs to several businesses',
    of: /findHolders$|findMessagingBusinesses|findBusinessesOfSender/,
  },
  {
    why: 'a START by text lifts the stops of all businesses of a sender, and deletes',
    of: /deleteTextedStops/,
  },
  { why: 'plans lapse by the clock, a few times a day, and it writes', of: /lapseOverdue|nextLapse/ },
  {
    why: 'finds what is due, without locks',
    of: /^select q\.\*, floor|^select min\((q\.)?due_at\)|anyUnsettled|anyDue/,
  },
  { why: 'finds whose orders have changed, without locks', of: /^select business_id from order_changes/ },
  { why: 'finds whose rows have expired, without locks', of: /^select distinct business_id from / },
  { why: 'the next businesses to look at', of: /^select id from businesses where id > / },
  { why: 'counts for the operator', of: /countSends|countDeliveries|countEndedByRestore|findEndedByRestore/ },
  {
    why: 'lists for the operator',
    of: /listSettings|listShops|findShopsByWords|listAllShops|audit\/sql\.ts (?:auditOfAll|endOfAll)|^select min\(id\) as id from businesses|^select id, name from businesses|^select (?:id from businesses where (?:not )?active|distinct w\.business_id|a\.business_id as id) |^select ms\.member_id/,
  },
  { why: 'the pages of the sandbox show all shops', of: /^(?:pages\/)?sandbox\// },
];

/** Not a query, so that it has no plan. */
const SETTINGS = /^\s*set /;

describe.skipIf(!CITUS_URL)('on a cluster', () => {
  const name = 'waypost_plans';
  let client: pg.Client;
  let statements: ClusterStatement[] = [];

  beforeAll(async () => {
    // Before the database is made, which makes statements of its own.
    statements = (await clusterStatements()).filter(({ text }) => !SETTINGS.test(text));
    await dropCitusDatabase(CITUS_URL ?? '', name);
    client = new pg.Client({ connectionString: await makeDistributedDatabase(CITUS_URL ?? '', name) });
    await client.connect();
  });

  afterAll(async () => {
    await client.end();
    await dropCitusDatabase(CITUS_URL ?? '', name);
  });

  test('every statement runs, and reaches one shard unless it is meant to reach all', async () => {
    expect(statements.length).toBeGreaterThan(350);
    const failed: string[] = [];
    const across: string[] = [];
    for (const statement of statements) {
      const placement = await placementOf(client, statement).catch((error: unknown) => String(error));
      if (placement === 'all shards') across.push(statement.name);
      else if (!['one shard', 'steps on one shard', 'no shard'].includes(placement))
        failed.push(`${statement.name}: ${placement}`);
    }
    expect(failed).toEqual([]);
    expect(across.filter((one) => !ACROSS.some(({ of }) => of.test(one)))).toEqual([]);
    expect(ACROSS.filter(({ of }) => !across.some((one) => of.test(one)))).toEqual([]);
  });
});

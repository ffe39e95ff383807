import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COORDINATOR_TABLES, DISTRIBUTED_TABLES, FIRST_DISTRIBUTED, REFERENCE_TABLES } from './tables.ts';

const schema = readFileSync(new URL('../../../migrations/schema.sql', import.meta.url), 'utf8');
const definitions = new Map(
  [...schema.matchAll(/create table (\w+) \((.*?)\n\)/gs)].map(([, table, columns]) => [
    table ?? '',
    columns ?? '',
  ]),
);

test('every table of the schema has one place on a cluster', () => {
  // The runner's own table is not in the schema's description.
  const coordinator = COORDINATOR_TABLES.filter((table) => table !== 'schema_migrations');
  const placed = [FIRST_DISTRIBUTED.table, ...DISTRIBUTED_TABLES, ...REFERENCE_TABLES, ...coordinator];
  expect([...placed].sort()).toEqual([...definitions.keys()].sort());
});

/** A store's call names only its connection, so no node could tell on which shard to look. */
const ON_EVERY_NODE = ['connections'];

test('exactly the tables with a business are sharded by it', () => {
  const ofBusinesses = [...definitions].flatMap(([table, columns]) =>
    /^\s*business_id /m.test(columns) && !ON_EVERY_NODE.includes(table) ? [table] : [],
  );
  expect([...DISTRIBUTED_TABLES].sort()).toEqual(ofBusinesses.sort());
});

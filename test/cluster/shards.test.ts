import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashOfText } from '../../src/db/cluster/shards.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test('a business has the hash that Postgres gives it, by which Citus chooses its shard', async () => {
  const texts = fc
    .sample(fc.string({ unit: 'grapheme', maxLength: 60 }), 500)
    .filter((text) => !text.includes('\0'));
  const { rows } = await database.pool.query<{ hash: number }>(
    'select hashtext(t) as hash from unnest($1::text[]) with ordinality u (t, n) order by n',
    [texts],
  );
  expect(texts.map(hashOfText)).toEqual(rows.map(({ hash }) => hash));
});

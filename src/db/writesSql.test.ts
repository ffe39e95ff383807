import { expect, test } from 'vitest';
import { atOnce, inSteps, type Writes } from './writesSql.ts';

const ORDER: Writes = {
  reads: { item: 'select * from json_to_recordset($1)' },
  writes: {
    moved: 'update places set item = null',
    placed: { after: ['moved'], write: 'insert into places select id from item' },
    noted: 'insert into notes select id from item',
  },
};

test('on one Postgres they are one statement, whose parts wait where they must', () => {
  expect(atOnce(ORDER)).toBe(
    'with item as materialized (select * from json_to_recordset($1)), moved as (update places set item = null returning 1), ' +
      'placed as (insert into places select id from item where (select count(*) from moved) >= 0) insert into notes select id from item',
  );
});

test('the rows of a part can be counted', () => {
  expect(atOnce({ ...ORDER, counted: 'noted' })).toMatch(
    /noted as \(insert into notes select id from item returning 1\) select count\(\*\)::int as counted from noted$/,
  );
});

test('as steps they keep their order, and each brings what it reads', () => {
  expect(inSteps(ORDER)).toEqual([
    { name: 'moved', text: 'update places set item = null' },
    {
      name: 'placed',
      text: 'with item as (select * from json_to_recordset($1)) insert into places select id from item',
    },
    {
      name: 'noted',
      text: 'with item as (select * from json_to_recordset($1)) insert into notes select id from item',
    },
  ]);
});

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY } from '../../src/kit/clock.ts';
import { rules } from '../../src/retention/sql.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

/** docs/privacy.md says what is stored about people. What it says is held against the schema and the code here. */
let database: TestDatabase;
let schema: string[] = [];
beforeAll(async () => {
  database = await testDatabase();
  const { rows } = await database.pool.query<{ name: string }>(`
    select c.relname || '.' || a.attname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> 'schema_migrations'`);
  schema = rows.map(({ name }) => name);
});
afterAll(() => database.drop());

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = read('docs/privacy.md');

/** The cells of a section's table, row by row. */
function tableUnder(heading: string): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(heading)) ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const names = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

const columnsUnder = (heading: string): string[] =>
  tableUnder(heading).flatMap(([table, columns]) =>
    names(columns).map((column) => `${names(table)[0]}.${column}`),
  );

const PERSONAL = 'Personal data';
const POINTING = 'What points to a person';
const OTHER = 'Not about people';
const MEMBERS = 'People of a shop';

test('every column of the schema is classified, and once', () => {
  const classified = [PERSONAL, POINTING, OTHER, MEMBERS].flatMap(columnsUnder);
  expect(
    schema.filter((column) => !classified.includes(column)),
    'to be classified in docs/privacy.md',
  ).toEqual([]);
  expect(
    classified.filter((column) => !schema.includes(column)),
    'classified, but not in the schema',
  ).toEqual([]);
  expect(
    classified.filter((column, index) => classified.indexOf(column) !== index),
    'classified twice',
  ).toEqual([]);
});

test('what is personal says for how long it is kept and what an erasure does', () => {
  for (const row of [...tableUnder(PERSONAL), ...tableUnder(POINTING)]) {
    expect(row).toHaveLength(5);
    const [table, , , kept, erasure] = row;
    expect(kept, table).toMatch(
      /^(until erased|until it is processed|always|a day|\d+ days( after they end)?)$/,
    );
    expect(erasure, table).not.toBe('');
  }
});

const tablesUnder = (...headings: string[]): string[] => [
  ...new Set(headings.flatMap((heading) => tableUnder(heading).flatMap(([table]) => names(table)))),
];

test('an erasure knows every table that holds something personal, and so does an export', () => {
  const erasure = [
    read('src/erasure/sql.ts'),
    read('src/erasure/copiesSql.ts'),
    read('src/search/sql.ts'),
    read('src/orders/forgetSql.ts'),
    read('src/orders/projectorSql.ts'),
    // All writes of sends stand in one file; the erasure's are the last.
    read('src/outbox/sendsSql.ts').split('/* Erasure. */')[1],
  ].join('\n');
  const exported = read('src/erasure/exportSql.ts');
  // The words of subjects, which are exported as they are, and changes, which are applied before.
  const copies = ['subject_words', 'order_changes'];
  for (const table of tablesUnder(PERSONAL)) {
    expect(erasure, `an erasure does nothing with ${table}`).toMatch(
      new RegExp(`(delete from|update) ${table}\\b`),
    );
    if (copies.includes(table)) continue;
    expect(exported, `an export leaves out ${table}`).toMatch(new RegExp(`(from |'|join )${table}\\b`));
  }
});

test('whatever names a recipient is classified as personal or as pointing to one', async () => {
  const pointing = columnsUnder(POINTING);
  const naming = schema.filter((column) => /\.(recipient_id|email_hash|number_hash)$/.test(column));
  expect(naming.filter((column) => !pointing.includes(column))).toEqual([]);
});

test('what goes by itself goes when the page says', () => {
  const written = tableUnder('What goes by itself').map(([tables, days]) => ({
    tables: names(tables),
    days: Number(days),
  }));
  expect(written).toEqual(rules.map(({ tables, keptMs }) => ({ tables, days: keptMs / DAY })));
});

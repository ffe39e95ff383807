import { expect, test } from 'vitest';
import { limitToBusinesses } from './tables.ts';

const words = (text: string): string => text.replace(/\s+/g, ' ').trim();
const limited = (text: string): string => words(limitToBusinesses(text, '$9'));
const only = (table: string, column = 'business_id'): string =>
  `(select * from ${table} where ${table}.${column} = any ($9::text[]))`;

test.each([
  ['select id from sends where id = $1', `select id from ${only('sends')} sends where id = $1`],
  [
    'select from messages m join recipients r on r.id = m.recipient_id left join businesses b on b.id = m.business_id',
    `select from ${only('messages')} m join ${only('recipients')} r on r.id = m.recipient_id left join ${only('businesses', 'id')} b on b.id = m.business_id`,
  ],
  [
    'select from unnest($1::text[]) k (id) cross join lateral (select * from sends where id = k.id for update) s',
    `select from unnest($1::text[]) k (id) cross join lateral (select * from ${only('sends')} sends where id = k.id for update) s`,
  ],
])('a table that is read is limited where it stands: %s', (text, expected) => {
  expect(limited(text)).toBe(expected);
});

test.each([
  [
    "update sends set due_at = $1 where id = $2 or state = 'held' returning id",
    "update sends set due_at = $1 where sends.business_id = any ($9::text[]) and ( id = $2 or state = 'held' )returning id",
  ],
  [
    'with gone as (delete from links l where l.expires_at < $1) select 1',
    'with gone as (delete from links l where l.business_id = any ($9::text[]) and ( l.expires_at < $1)) select 1',
  ],
  [
    "update messages m set body = (select c.body where ')' <> '(') from json_to_record($1) c (id text) where m.id = c.id",
    "update messages m set body = (select c.body where ')' <> '(') from json_to_record($1) c (id text) where m.business_id = any ($9::text[]) and ( m.id = c.id)",
  ],
])('a table that is changed is limited in its condition, whatever else that says: %s', (text, expected) => {
  expect(limited(text)).toBe(expected);
});

test('tables without a business, inserts, and names that only look like tables stay as they are', () => {
  const text = `with event as (select * from jsonb_to_recordset($1) as e (id text))
    insert into events (id) select id from event join members m on true where extract(epoch from now()) > 0
    on conflict do update set id = excluded.id where events.id is null`;
  expect(limited(text)).toBe(words(text));
});

test('a row that is found again by its place keeps it', () => {
  expect(limited('select ctid from sends where due_at < $1')).toContain('select *, ctid from sends');
});

test('a change of all rows is refused', () => {
  expect(() => limited('update sends set lease = null')).toThrow('without saying which');
});

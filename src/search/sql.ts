import { statementOfBusinesses } from '../db/perBusiness.ts';
import { type Queryable, statement } from '../db/statement.ts';
import { LAST_CHARACTER } from '../kit/ids.ts';

type IndexRange = [settled: string, waited: string, segment: number];

const nextBusinesses = statement<[after: string, limit: number], { id: string }>(`
  select id from businesses where id > $1 order by id limit $2`);

const findDue = statementOfBusinesses<[businessIds: string[], ...IndexRange], { id: string }>(
  ['businesses', 'same', 'same', 'same'],
  `
  select b.id from unnest($1::text[]) b (id)
  left join subject_index p on p.business_id = b.id
  left join lateral (
    select m.id from messages m
    where m.business_id = b.id and m.id > coalesce(p.indexed_until, '') and m.id < $2
    order by m.id limit 1) oldest on true
  left join lateral (
    select m.id from messages m
    where m.business_id = b.id and m.id > coalesce(p.indexed_until, '') and m.id < $2
    order by m.id offset $4::int - 1 limit 1) full_segment on true
  where oldest.id < $3 or full_segment.id is not null`,
);

/**
 * The next businesses, and whether they have messages to index: a whole segment of them, or some that have waited. Only
 * messages before `settled` are looked at, since no transaction that writes older ones can still be running.
 */
export async function businessesToIndex(db: Queryable, after: string, limit: number, ...range: IndexRange) {
  const ids = (await nextBusinesses(db, after, limit)).map(({ id }) => id);
  const due = new Set((await findDue(db, ids, ...range)).map(({ id }) => id));
  return ids.map((id) => ({ id, due: due.has(id) }));
}

/** One process indexes a business at a time, and not while a person of it is erased. */
export const tryIndexLock = statement<[lock: bigint], { free: boolean }>(`
  select pg_try_advisory_xact_lock($1) as free`);

/** Waits for a segment that is being written, and keeps others from being written until the transaction ends. */
export const waitForIndexLock = statement<[lock: bigint]>(`select pg_advisory_xact_lock($1)`);

export interface SubjectRow {
  id: string;
  subject: string;
}

export const indexedUntil = statement<[businessId: string], { id: string }>(`
  select indexed_until as id from subject_index where business_id = $1`);

/** Messages between two ids, both exclusive. */
const subjectsBetween = (order: 'asc' | 'desc') =>
  statement<[businessId: string, after: string, before: string, limit: number], SubjectRow>(`
  select id, subject from messages where business_id = $1 and id > $2 and id < $3 order by id ${order} limit $4`);

export const oldestSubjects = subjectsBetween('asc');
export const newestSubjects = subjectsBetween('desc');

/** The rows as JSON. */
export const insertWords = statement<[rows: string]>(`
  insert into subject_words select * from json_populate_recordset(null::subject_words, $1::json)`);

export const setIndexedUntil = statement<[businessId: string, id: string]>(`
  insert into subject_index (business_id, indexed_until) values ($1, $2)
  on conflict (business_id) do update set indexed_until = excluded.indexed_until`);

/** How many segments, up to `limit`, have each word. */
export const countSegments = statement<
  [businessId: string, words: readonly string[], before: string, limit: number],
  { word: string; segments: number }
>(`
  select w.word, (select count(*)::int from (
    select from subject_words s where s.business_id = $1 and s.word = w.word and s.from_id < $3
    order by s.from_id desc limit $4) counted) as segments
  from unnest($2::text[]) w (word)`);

/** Of each beginning the first `limit` words that have it, one index entry read for each. */
export const wordsBeginning = statement<
  [businessId: string, beginnings: readonly string[], limit: number],
  { beginning: string; word: string }
>(`
  with recursive found as (
    select b.beginning, n.word, 1 as place from unnest($2::text[]) b (beginning) cross join lateral (
      select word from subject_words
      where business_id = $1 and word >= b.beginning and word < b.beginning || '${LAST_CHARACTER}' order by word limit 1) n
    union all
    select f.beginning, n.word, f.place + 1 from found f cross join lateral (
      select word from subject_words
      where business_id = $1 and word > f.word and word < f.beginning || '${LAST_CHARACTER}' order by word limit 1) n
    where f.place < $3
  )
  select beginning, word from found`);

/**
 * The newest segments that have one of the words `along`, and in each the newest ids before `before` that have a word of each of
 * the `groups` groups. `inGroups` says which group each of the words is in.
 */
export const segmentsWith = statement<
  [
    businessId: string,
    words: readonly string[],
    inGroups: readonly number[],
    groups: number,
    along: readonly string[],
    before: string,
    segments: number,
    idsOfEach: number,
  ],
  { from_id: string; ids: string[] }
>(`
  select s.from_id, array(
    select u.id from unnest($2::text[], $3::int[]) w (word, in_group) cross join lateral (
      select message_ids from subject_words
      where business_id = $1 and word = w.word and from_id = s.from_id offset 0) t
    cross join unnest(t.message_ids) u (id)
    where u.id < $6
    group by u.id having count(distinct w.in_group) = $4 order by u.id desc limit $8) as ids
  from (
    select distinct n.from_id from unnest($5::text[]) a (word) cross join lateral (
      select from_id from subject_words where business_id = $1 and word = a.word and from_id < $6
      order by from_id desc limit $7) n
    order by n.from_id desc limit $7) s
  order by s.from_id desc`);

export const subjectsOfPerson = statement<
  [businessId: string, recipientId: string, after: string, limit: number],
  SubjectRow
>(`
  select id, subject from messages where business_id = $1 and recipient_id = $2 and id > $3 order by id limit $4`);

/** Takes messages out of the rows of their words: of each word, the last row that does not begin after the message. */
export const forgetWords = statement<[businessId: string, words: readonly string[], ids: readonly string[]]>(`
  with found as materialized (
    select w.word, s.from_id, array_agg(w.id) as ids
    from unnest($2::text[], $3::text[]) w (word, id)
    cross join lateral (
      select from_id from subject_words
      where business_id = $1 and word = w.word and from_id <= w.id order by from_id desc limit 1) s
    group by w.word, s.from_id
  ), deleted as (
    delete from subject_words s using found f
    where s.business_id = $1 and s.word = f.word and s.from_id = f.from_id and s.message_ids <@ f.ids
  )
  update subject_words s set message_ids = array(
    select u.id from unnest(s.message_ids) with ordinality u (id, place) where u.id <> all (f.ids) order by u.place)
  from found f
  where s.business_id = $1 and s.word = f.word and s.from_id = f.from_id
    and s.message_ids && f.ids and not s.message_ids <@ f.ids`);

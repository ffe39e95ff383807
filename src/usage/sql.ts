import { statement } from '../db/statement.ts';
import type { SendWrite } from '../db/transaction.ts';
import { type Counter, counters, dayOf, type UsageFact } from './counters.ts';
import { combined, type Histogram, histogramFrom, histogramOf } from './histogram.ts';

/** The row of the writer's connection: two connections of one business rarely write the same. */
const SLOTS = 16;
const SLOT = `(pg_backend_pid() % ${SLOTS})::smallint`;

const toAdd = (columns: readonly string[]): string =>
  columns.map((column) => `${column} = u.${column} + excluded.${column}`).join(', ');

const ON_CONFLICT = 'on conflict (business_id, day, slot) do update set';

const ADD_HISTOGRAM = `open_minutes = case when excluded.open_minutes is null then u.open_minutes
      else array_to_string(array(select coalesce(h.a::int, 0) + coalesce(h.b::int, 0)
        from unnest(string_to_array(u.open_minutes, ','), string_to_array(excluded.open_minutes, ','))
          with ordinality h (a, b, i) order by h.i), ',') end`;

/**
 * Adds the counts of a JSON recordset, as part of the statement that changes what is counted. In order of business and day,
 * so that two writers do not wait for each other in a circle.
 */
export const addCounts = (json: string): string => `
  insert into usage_counters as u (business_id, day, slot, ${counters.join(', ')}, open_minutes)
    select c.business_id, c.day, ${SLOT}, ${counters.map((counter) => `coalesce(c.${counter}, 0)`).join(', ')}, c.open_minutes
    from json_populate_recordset(null::usage_counters, ${json}::json) c order by c.business_id, c.day
    ${ON_CONFLICT} ${toAdd(counters)}, ${ADD_HISTOGRAM}`;

/** Counts the rows of the relation `source` by business and by `day`, an SQL expression on its rows. */
export const countRows = (source: string, day: string, counter: Counter): string => `
    insert into usage_counters as u (business_id, day, slot, ${counter})
    select business_id, ${day}, ${SLOT}, count(*) from ${source} group by 1, 2 order by 1, 2
    ${ON_CONFLICT} ${toAdd([counter])}`;

/** Adds some counters of one day, given as arrays in order of business: quicker than JSON or a count in SQL. */
export const addCountsIn = (arrays: string, day: string, some: readonly Counter[]): string => `
    insert into usage_counters as u (business_id, day, slot, ${some.join(', ')})
    select business_id, ${day}, ${SLOT}, ${some.join(', ')} from unnest${arrays} c (business_id, ${some.join(', ')})
    ${ON_CONFLICT} ${toAdd(some)}`;

/** The day of a time as the counters have it. */
export const utcDay = (time: string): string => `(${time}::timestamptz at time zone 'UTC')::date`;

const insertCounts = statement<[counts: string]>(addCounts('$1'));

/** The facts as the JSON of `addCounts`, one row per business and day; null: nothing to count. */
export function countsJson(facts: readonly UsageFact[]): string | null {
  if (facts.length === 0) return null;
  const rows = new Map<string, Record<string, string | number>>();
  for (const { businessId, at, counter, amount, openedAfterMs } of facts) {
    const day = dayOf(at);
    const key = `${businessId} ${day}`;
    const row = rows.get(key) ?? { business_id: businessId, day };
    rows.set(key, row);
    row[counter] = Number(row[counter] ?? 0) + amount;
    if (openedAfterMs === undefined) continue;
    const openings = histogramFrom(String(row.open_minutes ?? ''));
    row.open_minutes = combined(openings, histogramOf(openedAfterMs)).join(',');
  }
  return JSON.stringify([...rows.values()]);
}

/** Counts facts that no other statement counts. */
export function sendCounts(send: SendWrite, facts: readonly UsageFact[]): () => void {
  const counts = countsJson(facts);
  if (counts !== null) send(insertCounts, counts);
  return () => {};
}

/** The counters of a day or of several: amounts in the order of `counters`. */
export interface Counts {
  amounts: readonly number[];
  openings: Histogram;
}

/** Writes whole days. */
export function sendDays(
  send: SendWrite,
  businessId: string,
  days: readonly (Counts & { day: string })[],
): () => void {
  const rows = days
    .filter(({ amounts }) => amounts.some((amount) => amount !== 0))
    .map(({ day, amounts, openings }) => ({
      business_id: businessId,
      day,
      ...Object.fromEntries(counters.map((counter, index) => [counter, amounts[index]])),
      open_minutes: openings.length === 0 ? undefined : openings.join(','),
    }));
  send(insertCounts, JSON.stringify(rows));
  return () => {};
}

export interface CountedPeriod {
  period: string;
  /** In the order of `counters`, between commas. */
  amounts: string;
  /** The histograms of the days, between semicolons. */
  openings: string | null;
}

/** As one text: for a year, a column each or JSON took three times as long. */
const SUMS = `concat_ws(',', ${counters.map((counter) => `sum(${counter})`).join(', ')})`;

const sumsBy = (period: string): string => `
  select ${period} as period, ${SUMS} as amounts, string_agg(open_minutes, ';') as openings
  from usage_counters where business_id = $1 and day between $2::date and $3::date
  group by 1`;

type Range = [businessId: string, from: string, to: string];

/** The sums of each day or month that has any. */
export const readDays = statement<Range, CountedPeriod>(sumsBy('day::text'));
export const readMonths = statement<Range, CountedPeriod>(sumsBy(`to_char(day, 'YYYY-MM')`));

/** Adds the rows of past days to slot 0 of their day. A writer that waits for a deleted row inserts a new one. */
export const foldCounts = statement<[before: string, limit: number], { folded: number }>(`
  with old as materialized (
    select ctid from usage_counters where slot <> 0 and day < $1::date order by day limit $2 for update skip locked
  ), gone as (
    delete from usage_counters where ctid = any (array(select ctid from old)) returning *
  ), folded as (
    insert into usage_counters as u (business_id, day, slot, ${counters.join(', ')}, open_minutes)
    select g.business_id, g.day, 0, ${counters.map((counter) => `sum(g.${counter})`).join(', ')},
      (select string_agg(h.n::text, ',' order by h.i) from (
        select t.i, sum(t.v::int) as n from gone o, unnest(string_to_array(o.open_minutes, ',')) with ordinality t (v, i)
        where o.business_id = g.business_id and o.day = g.day group by t.i) h)
    from gone g group by g.business_id, g.day order by g.business_id, g.day
    ${ON_CONFLICT} ${toAdd(counters)}, ${ADD_HISTOGRAM}
  )
  select count(*)::int as folded from gone`);

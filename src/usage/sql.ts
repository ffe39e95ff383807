import { statement } from '../db/statement.ts';
import type { SendWrite } from '../db/transaction.ts';
import { type Counter, counters, dayOf, type UsageFact } from './counters.ts';
import { combined, type Histogram, histogramOf } from './histogram.ts';

/** The row of the writer's connection: two connections of one business rarely write the same. */
const SLOTS = 16;
const SLOT = `(pg_backend_pid() % ${SLOTS})::smallint`;

const toAdd = (columns: readonly string[]): string =>
  columns.map((column) => `${column} = u.${column} + excluded.${column}`).join(', ');

const ON_CONFLICT = 'on conflict (business_id, day, slot) do update set';

const ADD_HISTOGRAM = `open_minutes = case when excluded.open_minutes is null then u.open_minutes
      else array(select coalesce(h.a, 0) + coalesce(h.b, 0)
        from unnest(u.open_minutes, excluded.open_minutes) with ordinality h (a, b, i) order by h.i) end`;

/**
 * Adds the counts of a JSON recordset, as part of the statement that changes what is counted. In order of business and day,
 * so that two writers do not wait for each other in a circle.
 */
export const addCounts = (json: string): string => `
  insert into usage_counters as u (business_id, day, slot, ${counters.join(', ')}, open_minutes)
    select c.business_id, c.day, ${SLOT}, ${counters.map((counter) => `coalesce(c.${counter}, 0)`).join(', ')}, c.open_minutes
    from json_populate_recordset(null::usage_counters, ${json}::json) c order by c.business_id, c.day
    ${ON_CONFLICT} ${toAdd(counters)}, ${ADD_HISTOGRAM}`;

/** Adds a few counters of the relation `source`, by its business; `day` is an SQL expression on its rows. */
export function addCountsOf(source: string, day: string, counts: Partial<Record<Counter, string>>): string {
  const columns = Object.keys(counts);
  return `
    insert into usage_counters as u (business_id, day, slot, ${columns.join(', ')})
    select business_id, ${day}, ${SLOT}, ${Object.values(counts).join(', ')}
    from ${source} group by 1, 2 order by 1, 2
    ${ON_CONFLICT} ${toAdd(columns)}`;
}

/** The day of a time as the counters have it. */
export const utcDay = (time: string): string => `(${time}::timestamptz at time zone 'UTC')::date`;

const insertCounts = statement<[counts: string]>(addCounts('$1'));

type CountsRow = Record<string, string | number | Histogram>;

/** The facts as the JSON of `addCounts`, one row per business and day; null: nothing to count. */
export function countsJson(facts: readonly UsageFact[]): string | null {
  if (facts.length === 0) return null;
  const rows = new Map<string, CountsRow>();
  for (const { businessId, at, counter, amount, openedAfterMs } of facts) {
    const day = dayOf(at);
    const key = `${businessId} ${day}`;
    const row = rows.get(key) ?? { business_id: businessId, day };
    rows.set(key, row);
    row[counter] = Number(row[counter] ?? 0) + amount;
    if (openedAfterMs !== undefined) row.open_minutes = combined(openingsIn(row), histogramOf(openedAfterMs));
  }
  return JSON.stringify([...rows.values()]);
}

const openingsIn = ({ open_minutes }: CountsRow): Histogram =>
  typeof open_minutes === 'object' ? open_minutes : [];

/** Counts facts that no other statement counts. */
export function sendCounts(send: SendWrite, facts: readonly UsageFact[]): () => void {
  const counts = countsJson(facts);
  if (counts !== null) send(insertCounts, counts);
  return () => {};
}

/** Writes whole days. */
export function sendCountedDays(
  send: SendWrite,
  businessId: string,
  days: readonly {
    day: string;
    counts: { counts: Readonly<Record<Counter, number>>; openings: Histogram };
  }[],
): () => void {
  const rows = days
    .filter(({ counts: { counts } }) => counters.some((counter) => counts[counter] !== 0))
    .map(({ day, counts: { counts, openings } }) => ({
      business_id: businessId,
      day,
      ...counts,
      open_minutes: openings.length === 0 ? undefined : openings,
    }));
  send(insertCounts, JSON.stringify(rows));
  return () => {};
}

export interface CountedPeriod {
  period: string;
  /** In the order of `counters`. */
  counts: number[];
  /** The histograms of the days as text, separated by semicolons. */
  opened: string | null;
}

const SUMS = `json_build_array(${counters.map((counter) => `sum(${counter})`).join(', ')})`;

/** The sums of each period that has any; `format` is `YYYY-MM-DD` or `YYYY-MM`. */
export const readCounts = statement<
  [businessId: string, from: string, to: string, format: string],
  CountedPeriod
>(`
  select to_char(day, $4) as period, ${SUMS} as counts, string_agg(array_to_string(open_minutes, ','), ';') as opened
  from usage_counters where business_id = $1 and day between $2::date and $3::date
  group by 1`);

/** Adds the rows of past days to slot 0 of their day. A writer that waits for a deleted row inserts a new one. */
export const foldCounts = statement<[before: string, limit: number], { folded: number }>(`
  with old as materialized (
    select ctid from usage_counters where slot <> 0 and day < $1::date order by day limit $2 for update skip locked
  ), gone as (
    delete from usage_counters where ctid = any (array(select ctid from old)) returning *
  ), folded as (
    insert into usage_counters as u (business_id, day, slot, ${counters.join(', ')}, open_minutes)
    select g.business_id, g.day, 0, ${counters.map((counter) => `sum(g.${counter})`).join(', ')},
      (select array_agg(h.n order by h.i) from (
        select t.i, sum(t.v)::int as n from gone o, unnest(o.open_minutes) with ordinality t (v, i)
        where o.business_id = g.business_id and o.day = g.day group by t.i) h)
    from gone g group by g.business_id, g.day order by g.business_id, g.day
    ${ON_CONFLICT} ${toAdd(counters)}, ${ADD_HISTOGRAM}
  )
  select count(*)::int as folded from gone`);

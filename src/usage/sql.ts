import { type Queryable, statement } from '../db/statement.ts';
import type { SendWrite } from '../db/transaction.ts';
import { type Counter, counters, dayOf, type UsageFact } from './counters.ts';
import { combined, type Histogram, histogramFrom, histogramOf } from './histogram.ts';

/** The row of the writer's connection: two connections of one business rarely write the same. */
export const SLOTS = 16;
const SLOT = `(1 + pg_backend_pid() % ${SLOTS})::smallint`;
/** A past day, once its slots are folded, and the sum of the folded days of a month, at its first day. */
export const FOLDED_DAY = 0;
export const FOLDED_MONTH = -1;

export const toAdd = (columns: readonly string[]): string =>
  columns.map((column) => `${column} = u.${column} + excluded.${column}`).join(', ');

export const ON_CONFLICT = 'on conflict (business_id, day, slot) do update set';

export const ADD_HISTOGRAM = `open_minutes = case when excluded.open_minutes is null then u.open_minutes
      else (select string_agg((coalesce(h.a::int, 0) + coalesce(h.b::int, 0))::text, ',' order by h.i)
        from unnest(string_to_array(u.open_minutes, ','), string_to_array(excluded.open_minutes, ','))
          with ordinality h (a, b, i)) end`;

/** Adds a JSON recordset, in the statement of the change that it counts. In order, so that two writers cannot deadlock. */
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

export async function writeDays(
  tx: Queryable,
  businessId: string,
  days: readonly (Counts & { day: string })[],
): Promise<void> {
  const rows = days
    .filter(({ amounts }) => amounts.some((amount) => amount !== 0))
    .map(({ day, amounts, openings }) => ({
      business_id: businessId,
      day,
      ...Object.fromEntries(counters.map((counter, index) => [counter, amounts[index]])),
      open_minutes: openings.length === 0 ? undefined : openings.join(','),
    }));
  await insertCounts(tx, JSON.stringify(rows));
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

const sumsBy = (period: string, slots: string): string => `
  select ${period} as period, ${SUMS} as amounts, string_agg(open_minutes, ';') as openings
  from usage_counters where business_id = $1 and day between $2::date and $3::date and ${slots}
  group by 1`;

type Range = [businessId: string, from: string, to: string];

/** The sums of each day that has any. */
export const readDays = statement<Range, CountedPeriod>(sumsBy('day::text', `slot >= ${FOLDED_DAY}`));

/**
 * The same by month. The months from `wholeFrom` up to `wholeUntil` are read from their own rows, the days at the edges from
 * theirs; what is not folded yet is in neither.
 */
export const readMonths = statement<[...Range, wholeFrom: string, wholeUntil: string], CountedPeriod>(
  sumsBy(
    `to_char(day, 'YYYY-MM')`,
    `(slot > ${FOLDED_DAY} or slot = case when day >= $4::date and day < $5::date then ${FOLDED_MONTH} else ${FOLDED_DAY} end)`,
  ),
);

/** Deletes days before they are written anew, and takes them out of their months. */
export const deleteDays = statement<Range>(`
  delete from usage_counters where business_id = $1
    and (slot >= ${FOLDED_DAY} and day between $2::date and $3::date or slot = ${FOLDED_MONTH} and day >= date_trunc('month', $2::date::timestamp)::date)`);

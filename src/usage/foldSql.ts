import pg from 'pg';
import { isOnCluster } from '../db/pool.ts';
import { type Queryable, statementOnCluster, statementOnOnePostgres } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import { DAY } from '../kit/clock.ts';
import { counters } from './counters.ts';
import { combined, histogramFrom } from './histogram.ts';
import { ADD_HISTOGRAM, FOLDED_DAY, FOLDED_MONTH, ON_CONFLICT, toAdd } from './sql.ts';

/* Counters are written in slots; later the slots of a day are added up to a row of the day and to one of the month. */

/** The sums of `source` by the day and slot in its columns `to_day` and `to_slot`. */
const sumsOf = (source: string): string => `
    select business_id, to_day, to_slot, ${counters.map((counter) => `sum(${counter})`).join(', ')},
      (select string_agg(h.n::text, ',' order by h.i) from (
        select t.i, sum(t.v::int) as n from ${source} o, unnest(string_to_array(o.open_minutes, ',')) with ordinality t (v, i)
        where o.business_id = g.business_id and o.to_day = g.to_day and o.to_slot = g.to_slot group by t.i) h)
    from ${source} g group by business_id, to_day, to_slot order by business_id, to_day, to_slot`;

/** Adds the slots of past days to the rows of their day and their month. A writer that waits for a deleted row inserts a new one. */
const foldAll = statementOnOnePostgres<[before: string, limit: number], { folded: number }>(`
  with old as materialized (
    select ctid from usage_counters where slot > ${FOLDED_DAY} and day < $1::date order by day limit $2 for update skip locked
  ), gone as (
    delete from usage_counters where ctid = any (array(select ctid from old)) returning *
  ), moved as materialized (
    select p.to_day, p.to_slot, g.* from gone g cross join lateral (
      values (g.day, ${FOLDED_DAY}), (date_trunc('month', g.day::timestamp)::date, ${FOLDED_MONTH})) p (to_day, to_slot)
  ), folded as (
    insert into usage_counters as u (business_id, day, slot, ${counters.join(', ')}, open_minutes) ${sumsOf('moved')}
    ${ON_CONFLICT} ${toAdd(counters)}, ${ADD_HISTOGRAM}
  )
  select count(*)::int as folded from gone`);

/** Sums the folded days up to months, after `deleteDays`. */
const sumUpAtOnce = statementOnOnePostgres<[businessId: string, from: string]>(`
  with moved as materialized (
    select date_trunc('month', day::timestamp)::date as to_day, ${FOLDED_MONTH} as to_slot, c.* from usage_counters c
    where business_id = $1 and slot = ${FOLDED_DAY} and day >= date_trunc('month', $2::date::timestamp)::date
  )
  insert into usage_counters (business_id, day, slot, ${counters.join(', ')}, open_minutes) ${sumsOf('moved')}`);

/*
 * The same on a cluster, where rows that one statement deletes cannot be inserted by the same statement: they are added up here
 * and written as JSON.
 */

type CounterRow = { business_id: string; day: string; open_minutes: string | null } & Record<string, unknown>;
/** The day as a number, since a statement that deletes on a shard may not return text made from a date. */
type StoredRow = Omit<CounterRow, 'day'> & { days: number; open_minutes: string | null; business_id: string };

const ROW = `business_id, day - '1970-01-01'::date as days, ${counters.join(', ')}, open_minutes`;

const businessesToFold = statementOnCluster<[before: string, limit: number], { business_id: string }>(`
  select distinct business_id from usage_counters where slot > ${FOLDED_DAY} and day < $1::date limit $2`);

const deleteSlots = statementOnCluster<[businessId: string, before: string], StoredRow>(`
  delete from usage_counters where business_id = $1 and slot > ${FOLDED_DAY} and day < $2::date returning ${ROW}`);

const readFoldedDays = statementOnCluster<[businessId: string, from: string], StoredRow>(`
  select ${ROW} from usage_counters
  where business_id = $1 and slot = ${FOLDED_DAY} and day >= date_trunc('month', $2::date::timestamp)::date`);

const addFolded = statementOnCluster<[rows: string]>(`
  insert into usage_counters as u (business_id, day, slot, ${counters.join(', ')}, open_minutes)
  select c.business_id, c.day, c.slot, ${counters.map((counter) => `coalesce(c.${counter}, 0)`).join(', ')}, c.open_minutes
  from json_populate_recordset(null::usage_counters, $1::json) c order by c.business_id, c.day, c.slot
  ${ON_CONFLICT} ${toAdd(counters)}, ${ADD_HISTOGRAM}`);

const dayAt = (days: number): string => new Date(days * DAY).toISOString().slice(0, 10);
const firstOfMonth = (day: string): string => `${day.slice(0, 7)}-01`;

/** One row per day, each the sum of its rows. */
function addedUp(rows: readonly StoredRow[], slot: number, dayOf: (day: string) => string): CounterRow[] {
  const sums = new Map<string, CounterRow>();
  for (const row of rows) {
    const day = dayOf(dayAt(row.days));
    const sum: CounterRow = sums.get(day) ?? { business_id: row.business_id, day, slot, open_minutes: null };
    for (const counter of counters) sum[counter] = Number(sum[counter] ?? 0) + Number(row[counter] ?? 0);
    if (row.open_minutes !== null)
      sum.open_minutes = combined(
        histogramFrom(sum.open_minutes ?? ''),
        histogramFrom(row.open_minutes),
      ).join(',');
    sums.set(day, sum);
  }
  return [...sums.values()];
}

const foldBusiness = async (tx: Queryable, businessId: string, before: string): Promise<number> => {
  const slots = await deleteSlots(tx, businessId, before);
  const rows = [...addedUp(slots, FOLDED_DAY, (day) => day), ...addedUp(slots, FOLDED_MONTH, firstOfMonth)];
  if (rows.length > 0) await addFolded(tx, JSON.stringify(rows));
  return slots.length;
};

/** Adds the slots of past days up; on a cluster business by business. */
export async function foldCounts(
  db: Queryable,
  before: string,
  limit: number,
): Promise<{ folded: number }[]> {
  if (!isOnCluster(db)) return foldAll(db, before, limit);
  let folded = 0;
  for (const { business_id } of await businessesToFold(db, before, limit)) {
    const fold = (tx: Queryable): Promise<number> => foldBusiness(tx, business_id, before);
    folded += db instanceof pg.Pool ? await transaction(db, fold) : await fold(db);
    if (folded >= limit) break;
  }
  return [{ folded }];
}

/** Sums the folded days up to months, after `deleteDays`. */
export async function sumUpMonths(tx: Queryable, businessId: string, from: string): Promise<void> {
  if (!isOnCluster(tx)) {
    await sumUpAtOnce(tx, businessId, from);
    return;
  }
  const days = await readFoldedDays(tx, businessId, from);
  const months = addedUp(days, FOLDED_MONTH, firstOfMonth);
  if (months.length > 0) await addFolded(tx, JSON.stringify(months));
}

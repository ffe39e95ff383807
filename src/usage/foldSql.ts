import { eachShard } from '../db/eachShard.ts';
import { statementOfBusinesses } from '../db/perBusiness.ts';
import type { Pool } from '../db/pool.ts';
import { type Queryable, statement } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import { DAY } from '../kit/clock.ts';
import { counters, dayOf, firstOfMonth } from './counters.ts';
import { combined, histogramFrom } from './histogram.ts';
import { ADD_HISTOGRAM, FOLDED_DAY, FOLDED_MONTH, ON_CONFLICT, toAdd } from './sql.ts';

/* Counters are written in slots; later the slots of a day are added up to a row of the day and to one of the month. */

type CounterRow = { business_id: string; day: string; open_minutes: string | null } & Record<string, unknown>;
/** The day as a number, since a statement that deletes on a shard may not return text made from a date. */
type StoredRow = Omit<CounterRow, 'day'> & { days: number; open_minutes: string | null; business_id: string };

const ROW = `business_id, day - '1970-01-01'::date as days, ${counters.join(', ')}, open_minutes`;
const UNFOLDED = `slot > ${FOLDED_DAY} and day < $1::date`;

const businessesToFold = statement<[before: string, limit: number], { business_id: string }>(`
  select distinct business_id from (
    select business_id from usage_counters where ${UNFOLDED} order by day limit $2) oldest`);

/** A writer that waits for a deleted row inserts a new one. */
const deleteSlots = statementOfBusinesses<[before: string, limit: number, businessIds: string[]], StoredRow>(
  ['same', 'same', 'businesses'],
  `
  with old as materialized (
    select ctid from usage_counters where ${UNFOLDED} order by day limit $2 for update skip locked
  )
  delete from usage_counters where ctid = any (array(select ctid from old)) returning ${ROW}`,
);

const readFoldedDays = statement<[businessId: string, from: string], StoredRow>(`
  select ${ROW} from usage_counters
  where business_id = $1 and slot = ${FOLDED_DAY} and day >= date_trunc('month', $2::date::timestamp)::date`);

const addFolded = statement<[rows: string]>(`
  insert into usage_counters as u (business_id, day, slot, ${counters.join(', ')}, open_minutes)
  select c.business_id, c.day, c.slot, ${counters.map((counter) => `coalesce(c.${counter}, 0)`).join(', ')}, c.open_minutes
  from json_populate_recordset(null::usage_counters, $1::json) c order by c.business_id, c.day, c.slot
  ${ON_CONFLICT} ${toAdd(counters)}, ${ADD_HISTOGRAM}`);

/** One row per business and day, each the sum of its rows. */
function addedUp(rows: readonly StoredRow[], slot: number, periodOf: (day: string) => string): CounterRow[] {
  const sums = new Map<string, CounterRow>();
  for (const row of rows) {
    const day = periodOf(dayOf(new Date(row.days * DAY)));
    const { business_id } = row;
    const key = `${business_id} ${day}`;
    const sum: CounterRow = sums.get(key) ?? { business_id, day, slot, open_minutes: null };
    for (const counter of counters) sum[counter] = Number(sum[counter] ?? 0) + Number(row[counter] ?? 0);
    if (row.open_minutes !== null)
      sum.open_minutes = combined(
        histogramFrom(sum.open_minutes ?? ''),
        histogramFrom(row.open_minutes),
      ).join(',');
    sums.set(key, sum);
  }
  return [...sums.values()];
}

/** Adds slots of past days to the rows of their day and their month. Answers how many there were. */
export async function foldCounts(pool: Pool, before: string, limit: number): Promise<number> {
  const businesses = await businessesToFold(pool, before, limit);
  const folded = await eachShard(
    pool,
    businesses,
    ({ business_id }) => business_id,
    (some) =>
      transaction(pool, async (tx) => {
        const ids = some.map(({ business_id }) => business_id);
        const slots = await deleteSlots(tx, before, limit, ids);
        const rows = [
          ...addedUp(slots, FOLDED_DAY, (day) => day),
          ...addedUp(slots, FOLDED_MONTH, firstOfMonth),
        ];
        if (rows.length > 0) await addFolded(tx, JSON.stringify(rows));
        return slots.length;
      }),
  );
  return folded.reduce((sum, count) => sum + count, 0);
}

/** Sums the folded days up to months, after `deleteDays`. */
export async function sumUpMonths(tx: Queryable, businessId: string, from: string): Promise<void> {
  const months = addedUp(await readFoldedDays(tx, businessId, from), FOLDED_MONTH, firstOfMonth);
  if (months.length > 0) await addFolded(tx, JSON.stringify(months));
}

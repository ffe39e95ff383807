import type { Client } from '../db/pool.ts';
import { allowLongStatements, type Queryable } from '../db/statement.ts';
import { MINUTE, SECOND } from '../kit/clock.ts';
import { counters, dayOf } from './counters.ts';
import { sumUpMonths } from './foldSql.ts';
import { combined, type Histogram } from './histogram.ts';
import { countsByDay, dayAfter, NOTHING } from './read.ts';
import { lockSlots, makeSlots, type RecountRow, recountDays, recountRange } from './recountSql.ts';
import { type Counts, deleteDays, writeDays } from './sql.ts';

/** The same counters as `countsByDay`, counted anew from the tables. */
export async function recountByDay(db: Queryable, businessId: string, from: string, to: string) {
  const rows = await recountDays(db, businessId, from, to);
  return new Map(rows.map((row) => [row.day, countsFrom(row)]));
}

const countsFrom = ({ counts, opened }: RecountRow): Counts => ({
  amounts: counters.map((counter) => counts[counter] ?? 0),
  openings: histogramByBucket(opened ?? {}),
});

function histogramByBucket(byBucket: Record<string, number>): Histogram {
  const last = Math.max(-1, ...Object.keys(byBucket).map(Number));
  return Array.from({ length: last + 1 }, (_, bucket) => byBucket[bucket] ?? 0);
}

export interface Rebuilt {
  /** Null: there is nothing to count. */
  from: string | null;
  to: string | null;
  /** Days from here on were counted anew; earlier ones were only raised. */
  exact_from: string | null;
  changed: string[];
}

/**
 * Counts a business anew, in the caller's transaction. What an erasure deleted cannot be counted, so up to the day of the
 * last erasure a counter is only raised, never lowered. The business's commits wait meanwhile; those of others do not.
 */
export async function rebuildUsage(tx: Client, businessId: string, now: Date): Promise<Rebuilt> {
  await allowLongStatements(tx, { statementMs: 10 * MINUTE, lockMs: 30 * SECOND });
  const [range] = await recountRange(tx, businessId);
  if (!range?.first_at) return { from: null, to: null, exact_from: null, changed: [] };
  const [from, to] = [dayOf(range.first_at), dayOf(now)];
  const erasedOn = range.erased_at === null ? null : dayOf(range.erased_at);
  await makeSlots(tx, businessId, from, to);
  await lockSlots(tx, businessId, from, to);
  const before = await countsByDay(tx, businessId, from, to);
  const recount = await recountByDay(tx, businessId, from, to);
  const days = [...new Set([...before.keys(), ...recount.keys()])].sort();
  const after = days.map((day) => {
    const [counted, anew] = [before.get(day) ?? NOTHING, recount.get(day) ?? NOTHING];
    return { day, ...(erasedOn !== null && day <= erasedOn ? raised(counted, anew) : anew) };
  });
  await deleteDays(tx, businessId, from, to);
  await sumUpMonths(tx, businessId, from);
  await writeDays(tx, businessId, after);
  const changed = after.filter(({ day, ...counts }) => !isEqual(counts, before.get(day) ?? NOTHING));
  return {
    from,
    to,
    exact_from: erasedOn === null ? from : dayAfter(erasedOn, 1),
    changed: changed.map(({ day }) => day),
  };
}

const raised = (a: Counts, b: Counts): Counts => ({
  amounts: counters.map((_, index) => Math.max(a.amounts[index] ?? 0, b.amounts[index] ?? 0)),
  openings: combined(a.openings, b.openings, Math.max),
});

const isEqual = (a: Counts, b: Counts): boolean =>
  `${a.amounts} ${a.openings}` === `${b.amounts} ${b.openings}`;

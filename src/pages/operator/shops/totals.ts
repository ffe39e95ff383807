import { setTimeout as delay } from 'node:timers/promises';
import type { Queryable } from '../../../db/statement.ts';
import { type Clock, earlier, MINUTE, SECOND } from '../../../kit/clock.ts';
import type { Log } from '../../../kit/log.ts';
import { dayOf } from '../../../usage/counters.ts';
import { dayAfter } from '../../../usage/read.ts';
import { RATE_DAYS } from '../../dashboard/credits/reads.ts';
import { countDaysTogether, type DayOfAllShops, shopsAfter, sumGrants } from './totalsSql.ts';

/** Thirty days of ten thousand shops are half a million counters: a second's work, done at most this often. */
const TOTALS_KEPT_MS = 5 * MINUTE;
/** So that no statement is long, however many shops there are. */
const SHOPS_AT_ONCE = 500;
/** A page does not wait longer for the first count; it then says that the counting goes on. */
const TOTALS_WAITED_MS = SECOND;

export interface ShopTotals {
  at: Date;
  /** The last 30 days, oldest first. */
  days: DayOfAllShops[];
  /** Their sum. */
  total: Omit<DayOfAllShops, 'day'>;
  /** The credits that were added to shops meanwhile. */
  sold: number;
}

/** What all shops did in the last 30 days, as counted in this process some minutes ago; null: it is being counted. */
export function openShopTotals({ pool, clock, log }: { pool: Queryable; clock: Clock; log: Log }) {
  let kept: ShopTotals | null = null;
  let counting: Promise<void> | null = null;

  const count = async (): Promise<void> => {
    try {
      kept = await countTotals(pool, clock.now());
    } catch (error) {
      log.warn({ error }, 'count of all shops failed');
    } finally {
      counting = null;
    }
  };

  return async (): Promise<ShopTotals | null> => {
    if (kept === null || kept.at <= earlier(clock.now(), TOTALS_KEPT_MS)) counting ??= count();
    if (kept === null && counting !== null)
      await Promise.race([counting, delay(TOTALS_WAITED_MS, undefined, { ref: false })]);
    return kept;
  };
}

/** Counts the shops in batches: each statement is short, and three are enough for the first 500. */
export async function countTotals(db: Queryable, now: Date): Promise<ShopTotals> {
  const to = dayOf(now);
  const from = dayAfter(to, 1 - RATE_DAYS);
  const days = Array.from({ length: RATE_DAYS }, (_, index) => ({ ...NOTHING, day: dayAfter(from, index) }));
  const byDay = new Map(days.map((day) => [day.day, day]));
  let sold = 0;
  for (let after = ''; ; ) {
    const ids = (await shopsAfter(db, after, SHOPS_AT_ONCE)).map(({ id }) => id);
    const [all, grants] = await Promise.all([countDaysTogether(db, ids, from, to), sumGrants(db, ids, from)]);
    for (const counted of all) {
      const day = byDay.get(counted.day);
      if (day) add(day, counted);
    }
    // On a cluster there is a sum per shard.
    for (const { credits } of grants) sold += credits;
    const last = ids.at(-1);
    if (last === undefined || ids.length < SHOPS_AT_ONCE) break;
    after = last;
  }
  const total = { ...NOTHING };
  for (const day of days) add(total, day);
  return { at: now, days, total, sold };
}

const NOTHING: Readonly<ShopTotals['total']> = { messages: 0, emails: 0, delivered: 0, paid: 0, credits: 0 };

function add(sum: ShopTotals['total'], counted: ShopTotals['total']): void {
  sum.messages += counted.messages;
  sum.emails += counted.emails;
  sum.delivered += counted.delivered;
  sum.paid += counted.paid;
  sum.credits += counted.credits;
}

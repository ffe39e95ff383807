import type { Queryable } from '../../../db/statement.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../kit/clock.ts';
import { dueSends } from '../../../outbox/claimSql.ts';
import { type AgedSends, countDeliveriesByAge, countSendsByAge } from './sql.ts';

/** Ages since something became due; each is counted from its own on. */
const AGES = [
  { from: 0, label: 'Up to 10 seconds', tick: '10 s' },
  { from: 10 * SECOND, label: 'Up to a minute', tick: '1 min' },
  { from: MINUTE, label: 'Up to 5 minutes', tick: '5 min' },
  { from: 5 * MINUTE, label: 'Up to half an hour', tick: '30 min' },
  { from: 30 * MINUTE, label: 'Up to 2 hours', tick: '2 h' },
  { from: 2 * HOUR, label: 'Up to a day', tick: '1 day' },
  { from: DAY, label: 'Longer', tick: 'longer' },
] as const;
const THRESHOLDS = AGES.map(({ from }) => from / SECOND);

/** A longer queue is not counted to its end: the page must not add to what is wrong. */
const QUEUE_COUNTED_MAX = 100_000;

export type OutboxReport = Awaited<ReturnType<typeof readOutboxReport>>;
export type QueueReport = ReturnType<typeof queueReport>;

export async function readOutboxReport(db: Queryable, now: Date, countedMax = QUEUE_COUNTED_MAX) {
  const [sends, oldestSend, deliveries] = await Promise.all([
    countSendsByAge(db, now, THRESHOLDS, countedMax),
    dueSends.oldest(db, now),
    countDeliveriesByAge(db, now, THRESHOLDS, countedMax),
  ]);
  const firstDelivery = deliveries.map(({ oldest }) => oldest).sort((a, b) => a.getTime() - b.getTime())[0];
  return {
    sends: queueReport(sends, oldestSend, now),
    byState: sumByState(sends),
    deliveries: queueReport(deliveries, firstDelivery ?? null, now),
  };
}

function queueReport(counted: readonly { age: number; count: number }[], first: Date | null, now: Date) {
  const waiting = sum(counted);
  return {
    waiting,
    due: sum(counted.filter(({ age }) => age > 0)),
    /** When the longest-waiting one became due; null: nothing is due. */
    oldest: first !== null && first <= now ? first : null,
    /** How many are due, by how long. */
    ages: AGES.map(({ label, tick }, index) => ({
      label,
      tick,
      count: sum(counted.filter(({ age }) => age === index + 1)),
    })),
    /** There are more than were counted. */
    isCut: waiting >= QUEUE_COUNTED_MAX,
  };
}

function sumByState(counted: readonly AgedSends[]): Omit<AgedSends, 'age'>[] {
  const states = new Map<string, Omit<AgedSends, 'age'>>();
  for (const { channel, state, count } of counted) {
    const key = `${channel} ${state}`;
    states.set(key, { channel, state, count: count + (states.get(key)?.count ?? 0) });
  }
  return [...states.values()];
}

const sum = (counted: readonly { count: number }[]): number =>
  counted.reduce((total, { count }) => total + count, 0);

import type { QueryResultRow } from 'pg';
import {
  dueQueuesTexts,
  type LookParameter,
  nextDueTexts,
  oldestDueTexts,
  type QueueTable,
} from './dueQueuesSql.ts';
import { isUnavailable } from './errors.ts';
import { lookAtQueues, lookInTwoForms } from './perBusiness.ts';
import type { Queryable } from './statement.ts';

export interface QueueKey {
  business_id: string;
  /** Null: after all queues of the business. */
  queue: string | null;
}

export interface DueQueue {
  business_id: string;
  queue: string;
  /** The due time of its first row, in milliseconds. */
  earliest: number;
}

interface LookRange {
  /** The queue after which it starts; null: at the first one. */
  after: QueueKey | null;
  /** Nothing is due before it. */
  floor: Date;
  now: Date;
  /** The most queues that it visits. On one Postgres those that are not due yet count too. */
  max: number;
}

/** There may be anything on a shard that did not answer: the next look starts from the beginning. */
const UNKNOWN = new Date(0);

/** What the workers and the operator ask about a table whose rows come due. Nothing here takes a lock. */
export function dueQueues<
  Queue extends DueQueue & QueryResultRow,
  More extends readonly LookParameter[] = readonly [],
>(of: QueueTable) {
  const look = lookAtQueues<More, Queue>(of, dueQueuesTexts);
  const nextDue = lookInTwoForms<[now: Date], { due_at: Date | null }>(nextDueTexts(of));
  const oldestDue = lookInTwoForms<[now: Date], { due_at: Date | null }>(oldestDueTexts(of));

  return {
    /** The queues with due rows, in the order of their keys. */
    async find(db: Queryable, { after, floor, now, max }: LookRange, ...more: More) {
      const { business_id, queue } = after ?? { business_id: '', queue: '' };
      const { rows, complete } = await look(db, business_id, queue, floor, now, max, ...more);
      const queues = rows.filter(({ is_due }) => is_due);
      const last = rows.at(-1);
      return {
        queues,
        /** The queue after which the next look goes on; null: this one came to the end. */
        end: last?.is_cut ? last : null,
        /** The earliest due time that it passed. */
        earliest: complete ? earliestOf(queues) : UNKNOWN,
        /** Whether every shard answered; one Postgres is one shard. */
        complete,
      };
    },

    /** When a row comes due after `now`; null: never, or it cannot be said, and then the caller polls. */
    async next(db: Queryable, now: Date): Promise<Date | null> {
      try {
        return (await nextDue(db, now))[0]?.due_at ?? null;
      } catch (error) {
        if (isUnavailable(error)) return null;
        throw error;
      }
    },

    /** Since when the longest-waiting row is due, among the queues that show how late the service is. */
    oldest: async (db: Queryable, now: Date): Promise<Date | null> =>
      (await oldestDue(db, now))[0]?.due_at ?? null,
  };
}

const earliestOf = (queues: readonly DueQueue[]): Date | null =>
  queues.length === 0 ? null : new Date(Math.min(...queues.map(({ earliest }) => earliest)));

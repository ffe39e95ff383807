import type { Channel } from '../../../contract/channels.ts';
import { statement } from '../../../db/statement.ts';

export interface AgedSends {
  channel: Channel;
  state: 'held' | 'queued' | 'submitting';
  /** The number of thresholds that its age has reached; 0: not due yet. */
  age: number;
  count: number;
}

const AGE = `width_bucket(extract(epoch from $1::timestamptz - due_at)::float8, $2::float8[])`;

/** What waits to be sent, by age in seconds since it was due. Counts at most `limit` of them, by the index on due sends. */
export const countSendsByAge = statement<
  [now: Date, thresholds: readonly number[], limit: number],
  AgedSends
>(`
  select channel, state, ${AGE} as age, count(*)::int as count
  from (select channel, state, due_at from sends where due_at is not null limit $3) s
  group by channel, state, age order by channel, state, age`);

/** The same of webhook deliveries. */
export const countDeliveriesByAge = statement<
  [now: Date, thresholds: readonly number[], limit: number],
  { age: number; count: number; oldest: Date }
>(`
  select ${AGE} as age, count(*)::int as count, min(due_at) as oldest
  from (select due_at from webhook_deliveries where due_at is not null limit $3) d
  group by age order by age`);

import { statement } from '../db/statement.ts';

export interface SendCount {
  channel: string;
  state: string;
  waiting: number;
  due: number;
}

/** By the partial index of what still needs attention: what has ended is not read. */
export const countSends = statement<[now: Date], SendCount>(`
  select channel, state, count(*)::int as waiting, (count(*) filter (where due_at <= $1))::int as due
  from sends where due_at is not null
  group by channel, state order by channel, state`);

export const countDeliveries = statement<[now: Date], { waiting: number; due: number; oldest: Date | null }>(`
  select count(*)::int as waiting, (count(*) filter (where due_at <= $1))::int as due, min(due_at) as oldest
  from webhook_deliveries where due_at is not null`);

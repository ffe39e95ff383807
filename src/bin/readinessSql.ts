import { statement } from '../db/statement.ts';

/** How long the send that has been due longest has waited, in seconds. */
export const oldestDue = statement<[now: Date], { lag: number }>(`
  select coalesce(greatest(extract(epoch from $1 - min(due_at)), 0), 0)::float8 as lag
  from sends where due_at is not null and state = 'queued' and due_at <= $1`);

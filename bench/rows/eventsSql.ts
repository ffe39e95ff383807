import { statement } from '../../src/db/statement.ts';

/** Events as a transition writes them, unplaced. Ids sort by number, as real ids sort by time. */
export const seedEvents = statement<[businessId: string, first: number, count: number]>(`
  insert into events (business_id, id, type, occurred_at, message_id, recipient_id, data)
  select $1, 'z' || lpad(n::text, 9, '0') || left(md5(n::text), 14), 'message.delivered', now(), 'k' || n, 'r' || n % 1000,
    jsonb_build_object('message_id', 'k' || n, 'recipient_email', 'person' || n || '@example.com',
      'subject', 'Your order #' || n || ' has shipped', 'reference', '#' || n, 'channel', 'email')
  from generate_series($2::int, $2::int + $3::int - 1) n order by n`);

/** The same rows without a promise about their order. */
export const readEventsById = statement<
  [businessId: string, after: string, limit: number],
  { id: string; type: string; occurred_at: Date; data: unknown }
>(`
  select id, type, occurred_at, data from events where business_id = $1 and id > $2 order by id limit $3`);

export const countCommits = statement<[], { commits: number }>(`
  select xact_commit::int as commits from pg_stat_database where datname = current_database()`);

export const countAllEvents = statement<[], { events: number }>(`
  select count(*)::int as events from events`);

import type { Pool } from '../src/db/pool.ts';
import { statement } from '../src/db/statement.ts';

/** The audit reads the tables directly, without the product's code. */

const violations = (sql: string) => statement<[], { violation: string }>(sql);

/** Promises about the tables alone, each with the statement that finds what breaks it. */
export const TABLE_PROMISES = {
  'one message for each idempotency key': violations(`
    select business_id || ' ' || subject as violation from messages group by business_id, subject having count(*) > 1`),

  // A fallback is a send of its own.
  'one send per message and channel': violations(`
    select business_id || '-' || message_id || ' ' || channel as violation from sends where purpose = 'nudge'
    group by business_id, message_id, channel having count(*) > 1`),

  'balance = ledger, never below 0, nothing left reserved': violations(`
    select a.business_id || ': ' || a.balance || ', reserved ' || a.reserved || ', ledger ' || coalesce(sum(l.amount), 0) as violation
    from credit_accounts a left join credit_ledger l on l.business_id = a.business_id
    group by a.business_id, a.balance, a.reserved
    having a.balance <> coalesce(sum(l.amount), 0) or a.balance < 0 or a.reserved <> 0`),

  // An accepted send or an unknown outcome costs credits, everything else does not.
  'each paid send is charged as it ended': violations(`
    select s.business_id || '-' || s.id || ' ' || s.state || ': ' || l.paid as violation
    from sends s left join lateral (
      select coalesce(-sum(l.amount), 0)::int as paid from credit_ledger l
      where l.business_id = s.business_id and l.send_id = s.id) l on true
    where s.channel <> 'email' and l.paid <>
      case when s.state in ('accepted', 'delivered', 'read', 'failed') then s.credits else 0 end`),

  'each outcome has one event': violations(`
    select business_id || '-' || message_id || ' ' || type as violation from events where message_id is not null
    group by business_id, message_id, type having count(*) > 1`),

  // Every business has an endpoint from the start, which takes all types but the one that must be named.
  'every event was queued for its endpoints': violations(`
    select e.id as violation from events e where e.type <> 'order.updated' and not exists (
      select from webhook_deliveries d where d.business_id = e.business_id and d.event_id = e.id)`),

  'every event is delivered, or exhausted or stopped by rule': violations(`
    select event_id as violation from webhook_deliveries where state = 'pending'`),
};

const messageCount = statement<[], { count: number }>('select count(*)::int from messages');

export const countMessages = async (pool: Pool): Promise<number> => (await messageCount(pool))[0]?.count ?? 0;

export const allMessages = statement<[], { business_id: string; id: string; subject: string }>(`
  select business_id, id, subject from messages`);

export interface AuditedSend {
  reference: string;
  state: string;
  reason: string | null;
  submitted_at: Date | null;
}

export const allSends = statement<[], AuditedSend>(`
  select business_id || '-' || id as reference, state, reason, submitted_at from sends`);

/** Each email that was accepted: when it was pushed, in wall-clock milliseconds, by whom it was accepted, and why that one was asked. */
export const acceptedEmails = statement<
  [],
  { reference: string; pushed_at: number; provider: string; chosen_because: string }
>(`
  select s.business_id || '-' || s.id as reference, (extract(epoch from s.created_at) * 1000)::float8 as pushed_at,
    a.provider, coalesce(a.chosen_because, 'order') as chosen_because
  from sends s join send_attempts a on a.business_id = s.business_id and a.send_id = s.id
  where s.channel = 'email' and a.outcome = 'accepted'`);

export const emailsWaiting = statement<[], { count: number }>(`
  select count(*)::int from sends where channel = 'email' and state in ('queued', 'submitting')`);

export const deliveredEvents = statement<[], { endpoint_id: string; event_id: string }>(`
  select endpoint_id, event_id from webhook_deliveries where state = 'delivered'`);

/** Unfinished work, and the wait until the earliest is due by the service's clock. */
export const outstanding = statement<
  [],
  { sends: number; deliveries: number; calls: number; wait_ms: number | null }
>(`
  select
    (select count(*) from sends where due_at is not null or state in ('queued', 'submitting'))::int as sends,
    (select count(*) from webhook_deliveries where state = 'pending')::int as deliveries,
    (select count(*) from connection_calls where due_at is not null)::int as calls,
    (extract(epoch from least((select min(due_at) from sends), (select min(due_at) from webhook_deliveries),
      (select min(due_at) from connection_calls)) - clock_timestamp()) * 1000
      - (select offset_ms from service_clock))::float8 as wait_ms`);

/** Each email of a business from push to submit, in wall-clock milliseconds; null when not submitted yet. */
export const submitSpans = statement<[businessId: string], { from: number; to: number | null }>(`
  select (extract(epoch from created_at) * 1000)::float8 as "from", (extract(epoch from submitted_at) * 1000)::float8 as "to"
  from sends where business_id = $1`);

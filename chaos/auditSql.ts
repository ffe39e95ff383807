import { statement } from '../src/db/statement.ts';

/** What the audit reads, past every layer of the product. */

export const allMessages = statement<[], { business_id: string; id: string; subject: string }>(`
  select business_id, id, subject from messages`);

export const allSends = statement<
  [],
  { reference: string; channel: string; state: string; reason: string | null; provider: string | null }
>(`
  select s.business_id || '-' || s.id as reference, s.channel, s.state, s.reason,
    (select a.provider from send_attempts a
      where a.business_id = s.business_id and a.send_id = s.id order by a.attempt desc limit 1) as provider
  from sends s`);

/** More than one nudge of a channel for one message; a fallback is a send of its own. */
export const duplicateSends = statement<[], { count: number }>(`
  select count(*)::int as count from (
    select 1 from sends where purpose = 'nudge' group by business_id, message_id, channel having count(*) > 1) d`);

/** An end that was told twice. */
export const duplicateEvents = statement<[], { count: number }>(`
  select count(*)::int as count from (
    select 1 from events where message_id is not null group by business_id, message_id, type having count(*) > 1) d`);

export const accounts = statement<
  [],
  { business_id: string; balance: number; reserved: number; ledger: number; charges: number; refunds: number }
>(`
  select a.business_id, a.balance, a.reserved, coalesce(sum(l.amount), 0)::int as ledger,
    count(*) filter (where l.kind = 'charge')::int as charges, count(*) filter (where l.kind = 'refund')::int as refunds
  from credit_accounts a left join credit_ledger l on l.business_id = a.business_id
  group by a.business_id, a.balance, a.reserved order by a.business_id`);

/** Paid sends whose charge does not fit how they ended: taken or perhaps taken costs, everything else does not. */
export const wronglyCharged = statement<[], { count: number }>(`
  select count(*)::int as count
  from sends s left join lateral (
    select coalesce(-sum(l.amount), 0)::int as paid from credit_ledger l
    where l.business_id = s.business_id and l.send_id = s.id) l on true
  where s.channel <> 'email' and l.paid <>
    case when s.state in ('accepted', 'delivered', 'read', 'failed') then s.credits else 0 end`);

export const deliveries = statement<[], { endpoint_id: string; event_id: string; state: string }>(`
  select endpoint_id, event_id, state from webhook_deliveries`);

/** Events that nobody was queued to be told of, although the business had an endpoint all the while. */
export const unqueuedEvents = statement<[], { count: number }>(`
  select count(*)::int as count from events e where not exists (
    select from webhook_deliveries d where d.business_id = e.business_id and d.event_id = e.id)`);

/** What still needs doing by the service's clock, and when the earliest of it is due. */
export const outstanding = statement<[], { sends: number; deliveries: number; wait_ms: number | null }>(`
  select
    (select count(*) from sends where due_at is not null or state in ('queued', 'submitting'))::int as sends,
    (select count(*) from webhook_deliveries where state = 'pending')::int as deliveries,
    (extract(epoch from least(
      (select min(due_at) from sends), (select min(due_at) from webhook_deliveries)) - clock_timestamp()) * 1000
      - (select offset_ms from service_clock))::float8 as wait_ms`);

/** Of each email of a business, from the push to the submit, in milliseconds of the wall clock. Null: it still waits. */
export const submitSpans = statement<[businessId: string], { from: number; to: number | null }>(`
  select (extract(epoch from created_at) * 1000)::float8 as "from", (extract(epoch from submitted_at) * 1000)::float8 as "to"
  from sends where business_id = $1`);

import { statement } from '../src/db/statement.ts';

/** The audit reads the tables directly, without the product's code. */

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

/** A send that nobody submitted has a null. */
export const unknownOutcomes = statement<[], { id: string; submitted_at: Date | null }>(`
  select id, submitted_at from sends where state = 'failed' and reason = 'outcome_unknown'`);

/** More than one nudge of a channel for one message; a fallback is a send of its own. */
export const duplicateSends = statement<[], { count: number }>(`
  select count(*)::int as count from (
    select 1 from sends where purpose = 'nudge' group by business_id, message_id, channel having count(*) > 1) d`);

/** An outcome with two events. */
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

/** Paid sends with a wrong charge: an accepted send or an unknown outcome costs credits, everything else does not. */
export const wronglyCharged = statement<[], { count: number }>(`
  select count(*)::int as count
  from sends s left join lateral (
    select coalesce(-sum(l.amount), 0)::int as paid from credit_ledger l
    where l.business_id = s.business_id and l.send_id = s.id) l on true
  where s.channel <> 'email' and l.paid <>
    case when s.state in ('accepted', 'delivered', 'read', 'failed') then s.credits else 0 end`);

export const deliveries = statement<[], { endpoint_id: string; event_id: string; state: string }>(`
  select endpoint_id, event_id, state from webhook_deliveries`);

/** Events without a delivery, although every business has an endpoint from the start. */
export const unqueuedEvents = statement<[], { count: number }>(`
  select count(*)::int as count from events e where not exists (
    select from webhook_deliveries d where d.business_id = e.business_id and d.event_id = e.id)`);

/** Unfinished work, and the wait until the earliest is due by the service's clock. */
export const outstanding = statement<[], { sends: number; deliveries: number; wait_ms: number | null }>(`
  select
    (select count(*) from sends where due_at is not null or state in ('queued', 'submitting'))::int as sends,
    (select count(*) from webhook_deliveries where state = 'pending')::int as deliveries,
    (extract(epoch from least(
      (select min(due_at) from sends), (select min(due_at) from webhook_deliveries)) - clock_timestamp()) * 1000
      - (select offset_ms from service_clock))::float8 as wait_ms`);

/** Each email of a business from push to submit, in wall-clock milliseconds; null when not submitted yet. */
export const submitSpans = statement<[businessId: string], { from: number; to: number | null }>(`
  select (extract(epoch from created_at) * 1000)::float8 as "from", (extract(epoch from submitted_at) * 1000)::float8 as "to"
  from sends where business_id = $1`);

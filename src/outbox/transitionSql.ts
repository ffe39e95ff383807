import type { Channel } from '../businesses/channels.ts';
import { statement } from '../db/statement.ts';
import { writeEvents } from '../webhooks/deliveriesSql.ts';
import type { OfPerson } from './send.ts';

/** Sends that are locked, as they now are. What a row leaves out is empty. */
const UPDATE = `update sends s set state = c.state, reason = c.reason, error_code = c.error_code, due_at = c.due_at, lease = c.lease,
      attempts = coalesce(c.attempts, 0), attempt_token = c.attempt_token, credits = coalesce(c.credits, 0),
      reserved = coalesce(c.reserved, false), charged = coalesce(c.charged, false), country = c.country,
      submitted_at = c.submitted_at, last_status_at = c.last_status_at, delivered_at = c.delivered_at, bounced_at = c.bounced_at,
      complained_at = c.complained_at
    from json_to_recordset($1::json) as c (business_id text, id text, state text, reason text, error_code text,
      due_at timestamptz, lease text, attempts smallint, attempt_token text, credits integer, reserved boolean,
      charged boolean, country text, submitted_at timestamptz, last_status_at timestamptz, delivered_at timestamptz,
      bounced_at timestamptz, complained_at timestamptz)
    where s.business_id = c.business_id and s.id = c.id`;

/** Changes that nobody is told of, as most are: what a statement could also do costs even where it does not. */
export const writeQuietChanges = statement<[sends: string]>(UPDATE);

/** Writes changed sends, what happened to their messages, and the events that tell of it. */
export const writeChanges = statement<
  [sends: string, messageEvents: string, events: string],
  { deliveries: number }
>(`
  with changed as (
    ${UPDATE}
  ), happened as (
    insert into message_events (business_id, id, message_id, send_id, type, detail, at)
    select business_id, id, message_id, send_id, type, detail, at
    from json_populate_recordset(null::message_events, $2::json)
  ), ${writeEvents('$3::jsonb')}
  select count(*)::int as deliveries from new_delivery`);

/** One row an attempt, written when it ends. An attempt that did not count is overwritten by the one that took its number. */
const insertFrom = (attempts: string): string => `
  insert into send_attempts (business_id, send_id, attempt, outcome, error_code, provider, provider_id, started_at, ended_at)
  select business_id, send_id, attempt, outcome, error_code, provider, provider_id, started_at, ended_at from ${attempts}
  on conflict (business_id, send_id, attempt) do update set outcome = excluded.outcome, error_code = excluded.error_code,
    provider = excluded.provider, provider_id = excluded.provider_id, started_at = excluded.started_at, ended_at = excluded.ended_at`;

export const insertAttempts = statement<[attempts: string]>(
  insertFrom('json_populate_recordset(null::send_attempts, $1::json)'),
);

/**
 * Emails that their provider took, where nothing is held for the message: nobody is told of that and nothing follows from it, so
 * they need not be looked at first. Answers those for which it was so; the token guards them as it does all others. As everywhere
 * it goes from the list to the rows: a lock, or `offset 0`, forbids the planner to turn that around. What is locked is found again
 * by its place; a row that somebody changed at that very moment is not found there, and is left to those who look first.
 */
export const acceptEmails = statement<[attempts: string], { business_id: string; id: string }>(`
  with taken as materialized (
    select a.*, s.place from json_to_recordset($1::json) as a (business_id text, send_id text, attempt_token text, attempt smallint,
      outcome text, error_code text, provider text, provider_id text, started_at timestamptz, ended_at timestamptz)
    cross join lateral (
      select message_id, ctid as place from sends where business_id = a.business_id and id = a.send_id
        and attempt_token = a.attempt_token and state = 'submitting' and channel = 'email' for update) s
    where not exists (
      select from sends where business_id = a.business_id and message_id = s.message_id and state = 'held' offset 0)
  ), accepted as (
    update sends s set state = 'accepted', due_at = null, lease = null, attempt_token = null
    from taken t where s.ctid = t.place
    returning t.*
  ), noted as (${insertFrom('accepted')})
  select business_id, send_id as id from accepted`);

/** When messages were last submitted to these numbers. Rows are locked in one order, since two lists may hold the same. */
export const noteSubmitted = statement<[submitted: string]>(`
  with submitted as materialized (
    select business_id, channel, number_hash, max(submitted_at) as submitted_at
    from json_populate_recordset(null::messaged_numbers, $1::json)
    group by business_id, channel, number_hash order by business_id, channel, number_hash
  ), locked as materialized (
    select s.* from submitted s cross join lateral (
      select from messaged_numbers
      where business_id = s.business_id and channel = s.channel and number_hash = s.number_hash for no key update) m
  )
  update messaged_numbers m set submitted_at = greatest(m.submitted_at, l.submitted_at)
  from locked l where m.business_id = l.business_id and m.channel = l.channel and m.number_hash = l.number_hash`);

/** Which of these sends reached their provider before, and were refused. */
export const refusedBefore = statement<
  [businessIds: string[], ids: string[]],
  { business_id: string; id: string }
>(`
  select k.business_id, k.id from unnest($1::text[], $2::text[]) k (business_id, id)
  where exists (
    select from send_attempts a where a.business_id = k.business_id and a.send_id = k.id and a.outcome = 'refused')`);

/** Businesses with a sending domain of their own: their bounces say nothing about the shared one. */
export const ownEmailSenders = statement<[businessIds: string[]], { business_id: string }>(`
  select business_id from business_senders where business_id = any ($1::text[]) and channel = 'email'`);

/** Not locked yet: messages are locked before sends. */
export const waitingOfMessages = statement<[businessId: string, messageIds: readonly string[]], OfPerson>(`
  select s.business_id, s.id, s.recipient_id, s.message_id from sends s
  where s.business_id = $1 and s.message_id = any ($2::text[]) and s.state in ('held', 'queued')`);

export const waitingOfRecipient = statement<
  [businessId: string, recipientId: string, channels: readonly Channel[]],
  OfPerson
>(`
  select s.business_id, s.id, s.recipient_id, s.message_id
  from messages m join sends s on s.business_id = m.business_id and s.message_id = m.id
  where m.business_id = $1 and m.recipient_id = $2 and s.channel = any ($3::text[]) and s.state in ('held', 'queued')
  union all
  select s.business_id, s.id, s.recipient_id, s.message_id from sends s
  where s.business_id = $1 and s.recipient_id = $2 and s.message_id is null and s.channel = any ($3::text[])
    and s.purpose = 'reply_ack' and s.state = 'queued'`);

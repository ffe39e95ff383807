import type { Channel, PaidChannel } from '../contract/channels.ts';
import { statementOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';
import type { HolderRow } from '../recipients/stopsSql.ts';
import type { KeyLists, SendKey, SendTarget } from './send.ts';

const INSERT_LINKS = `
  insert into links (business_id, send_id, token_hash, recipient_id, message_id, created_at, expires_at)
  select business_id, send_id, token_hash, recipient_id, message_id, $2, $3
  from json_populate_recordset(null::links, $1::json)`;

/** For first attempts, which have no link yet. */
export const insertLinks = statement<[links: string, now: Date, expiresAt: Date]>(INSERT_LINKS);

/**
 * For retries: the link of an attempt that was not accepted is replaced, so that a send never has two working links.
 */
export const replaceLinks = statement<[links: string, now: Date, expiresAt: Date]>(`${INSERT_LINKS}
  on conflict (business_id, send_id)
  do update set token_hash = excluded.token_hash, created_at = excluded.created_at, expires_at = excluded.expires_at`);

/** The businesses' accounts are already locked, so two transactions never insert the same rows concurrently. */
export const rememberNumbers = statement<[numbers: string, until: Date]>(`
  insert into messaged_numbers as m (business_id, channel, number_hash, until)
  select distinct business_id, channel, number_hash, $2::timestamptz
  from json_populate_recordset(null::messaged_numbers, $1::json)
  on conflict (business_id, channel, number_hash) do update set until = greatest(m.until, excluded.until)`);

/** The reply may have left in an email now, which an erasure has to report. */
export const markForwarded = statementOfBusinesses<KeyLists>(
  ['businesses', 'parallel'],
  `
  update whatsapp_replies w set forwarded = true
  from unnest($1::text[], $2::text[]) k (business_id, id)
  where w.business_id = k.business_id and w.id = k.id`,
);

/** The recipients of these paid sends, with their current numbers. Their rows are already locked. */
export const findHoldersOfSends = statementOfBusinesses<
  KeyLists,
  HolderRow & { send: SendKey; channel: PaidChannel }
>(
  ['businesses', 'parallel'],
  `
  select json_build_object('business_id', s.business_id, 'id', s.id) as send, s.channel,
    r.business_id, r.id as recipient_id, r.email, r.phone, r.sms_status, r.sms_stopped_by, r.whatsapp_status
  from unnest($1::text[], $2::text[]) k (business_id, id)
  join sends s on s.business_id = k.business_id and s.id = k.id
  join recipients r on r.business_id = s.business_id and r.id = s.recipient_id
  where s.channel <> 'email' and r.phone is not null
  order by s.id`,
);

/** Reads the partial index on `due_at`, so finished sends cost nothing. */
export const countSends = statement<
  [now: Date],
  { channel: string; state: string; waiting: number; due: number }
>(`
  select channel, state, count(*)::int as waiting, (count(*) filter (where due_at <= $1))::int as due
  from sends where due_at is not null
  group by channel, state order by channel, state`);

export const countDeliveries = statement<[now: Date], { waiting: number; due: number; oldest: Date | null }>(`
  select count(*)::int as waiting, (count(*) filter (where due_at <= $1))::int as due, min(due_at) as oldest
  from webhook_deliveries where due_at is not null`);

/** Notes when messages were last submitted to these numbers. Rows are locked in key order, since two groups can share some. */
export const noteSubmitted = statementOfBusinesses<[submitted: string]>(
  ['rows'],
  `
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
  from locked l where m.business_id = l.business_id and m.channel = l.channel and m.number_hash = l.number_hash`,
);

/** Which of these sends have an attempt that the provider refused. */
export const refusedBefore = statementOfBusinesses<KeyLists, { business_id: string; id: string }>(
  ['businesses', 'parallel'],
  `
  select k.business_id, k.id from unnest($1::text[], $2::text[]) k (business_id, id)
  where exists (
    select from send_attempts a where a.business_id = k.business_id and a.send_id = k.id and a.outcome = 'refused')`,
);

/** Of accepted sends that are still there, whether their provider has reported about them. */
export const readReported = statementOfBusinesses<KeyLists, { is_reported: boolean }>(
  ['businesses', 'parallel'],
  `
  select s.state <> 'accepted' as is_reported from unnest($1::text[], $2::text[]) k (business_id, id)
  cross join lateral (
    select state from sends where business_id = k.business_id and id = k.id offset 0) s`,
);

/** Businesses with their own sending domain: their bounces say nothing about the shared one. */
export const ownEmailSenders = statementOfBusinesses<[businessIds: string[]], { business_id: string }>(
  ['businesses'],
  `
  select s.business_id from business_senders s
  where s.business_id = any ($1::text[]) and s.channel = 'email' and not exists (
    select from sender_domains d where d.business_id = s.business_id and d.state <> 'verified')`,
);

/**
 * Which sends of a restored database may have gone out since its backup: calls in progress, and what was due or tried before.
 * A held send may have been released by what happened since, unless the nudge that it waits for is itself queued for later.
 * What is queued for later and was never tried stays. What waited for the end of quiet hours may have gone: they can be switched off.
 */
const staysQueued = (send: string): string =>
  `${send}.state = 'queued' and coalesce(${send}.deferred_from, ${send}.due_at) > $2 and ${send}.lease is null and ${send}.attempts = 0`;
const ENDED_BY_RESTORE = `s.created_at < $1 and s.state in ('held', 'queued', 'submitting') and not (${staysQueued('s')})
  and not (s.state = 'held' and exists (
    select from sends o where o.business_id = s.business_id and o.message_id = s.message_id and ${staysQueued('o')}))`;

/** In the order of the primary key, a part at a time. Does not lock. */
export const findEndedByRestore = statement<
  [before: Date, now: Date, afterBusiness: string, afterId: string, limit: number],
  SendTarget
>(`
  select s.business_id, s.id, s.recipient_id, s.message_id from sends s
  where (s.business_id, s.id) > ($3, $4) and ${ENDED_BY_RESTORE}
  order by s.business_id, s.id limit $5`);

export const countEndedByRestore = statement<
  [before: Date, now: Date],
  { email: number; sms: number; whatsapp: number; kept: number }
>(`
  select count(*) filter (where ends and channel = 'email')::int as email,
    count(*) filter (where ends and channel = 'sms')::int as sms,
    count(*) filter (where ends and channel = 'whatsapp')::int as whatsapp,
    count(*) filter (where not ends)::int as kept
  from (select s.channel, ${ENDED_BY_RESTORE} as ends from sends s where s.state in ('held', 'queued', 'submitting')) s`);

/** Does not lock: the caller locks recipients and messages before sends. */
export const waitingOfRecipient = statement<
  [businessId: string, recipientId: string, channels: readonly Channel[]],
  SendTarget
>(`
  select s.business_id, s.id, s.recipient_id, s.message_id
  from messages m join sends s on s.business_id = m.business_id and s.message_id = m.id
  where m.business_id = $1 and m.recipient_id = $2 and s.channel = any ($3::text[]) and s.state in ('held', 'queued')
  union all
  select s.business_id, s.id, s.recipient_id, s.message_id from sends s
  where s.business_id = $1 and s.recipient_id = $2 and s.message_id is null and s.channel = any ($3::text[])
    and s.purpose = 'reply_ack' and s.state = 'queued'`);

import { statement } from '../db/statement.ts';
import type { ConsentStatus, StopMaker } from '../recipients/recipient.ts';
import { RECIPIENT_BY_EMAIL, type StoredRecipient } from '../recipients/sql.ts';

/* Every statement finds one person's rows by index and returns only counts: 100,000 messages take no memory here. */

export type RecipientKey = [businessId: string, recipientId: string];
export type NumberKey = [businessId: string, numberHash: Buffer];

/** The first lock. Permits, callbacks and inbox requests for the person wait for it, and then find no recipient. */
export const lockErasedPerson = statement<[businessId: string, email: string], StoredRecipient>(
  `${RECIPIENT_BY_EMAIL} for update`,
);

/**
 * The second lock. A push to another person that makes one of these messages obsolete holds the message while it writes
 * an event about this person; waiting for it lets `scrubEvents` see that event.
 */
export const lockMessagesOfPerson = statement<RecipientKey, { messages: number }>(`
  select count(*)::int as messages from (
    select from messages where business_id = $1 and recipient_id = $2 order by id for update) m`);

/** The report counts the merchant's events, not the steps that only the timeline shows. */
export const deleteMessageEvents = statement<
  [...RecipientKey, eventTypes: readonly string[]],
  { message_events_deleted: number }
>(`
  with deleted as (
    delete from message_events e using messages m
    where m.business_id = $1 and m.recipient_id = $2 and e.business_id = m.business_id and e.message_id = m.id
    returning e.type
  )
  select count(*) filter (where type = any ($3::text[]))::int as message_events_deleted from deleted`);

const counted = (change: string): string => `
  with changed as (${change} returning 1) select count(*)::int as count from changed`;

export const deleteMessages = statement<RecipientKey, { count: number }>(
  counted('delete from messages where business_id = $1 and recipient_id = $2'),
);

/**
 * A `with` part that deletes the pending reports of captured messages. A report that is being applied waits for the
 * person's lock, which we hold; SKIP LOCKED avoids the deadlock, and that transaction deletes its report itself.
 */
const deleteReportsOf = (captured: string): string => `
  report as (
    delete from sandbox_reports where id in (
      select r.id from sandbox_reports r join ${captured} c on c.provider_id = r.provider_id for update of r skip locked)
  )`;

/** Links, sessions, replies, consent log and captured sandbox messages. */
export const deleteBelongings = statement<
  RecipientKey,
  {
    message_links_deleted: number;
    whatsapp_replies_deleted: number;
    replies_a_forward_email_may_have_carried: number;
  }
>(`
  with link as (
    delete from links where business_id = $1 and recipient_id = $2 returning 1
  ), session as (
    delete from inbox_sessions where business_id = $1 and recipient_id = $2
  ), reply as (
    delete from whatsapp_replies where business_id = $1 and recipient_id = $2 returning forwarded
  ), consent as (
    delete from consent_log where business_id = $1 and recipient_id = $2
  ), captured as (
    delete from sandbox_messages where business_id = $1 and recipient_id = $2 returning provider_id
  ), ${deleteReportsOf('captured')}
  select (select count(*)::int from link) as message_links_deleted,
    (select count(*)::int from reply) as whatsapp_replies_deleted,
    (select count(*)::int from reply where forwarded) as replies_a_forward_email_may_have_carried`);

/**
 * Deletes the state keyed by the number's hash, except stops and the fact that the number was messaged, so that a later STOP
 * to one of those messages still applies. Its time is removed, and `until` is rounded up to a month since it would reveal it.
 */
export const forgetNumber = statement<NumberKey, { auto_reply_windows_dropped: number }>(`
  with reply_window as (
    delete from auto_reply_windows where business_id = $1 and number_hash = $2 returning 1
  ), unreachable as (
    delete from whatsapp_unreachable where business_id = $1 and number_hash = $2
  ), messaged as (
    update messaged_numbers set submitted_at = null, until = (date_trunc('month', until at time zone 'UTC') + interval '1 month') at time zone 'UTC'
    where business_id = $1 and number_hash = $2 and submitted_at is not null
  )
  select count(*)::int as auto_reply_windows_dropped from reply_window`);

/** A person's stop applies to any number they have; after an erasure it stays on the present one. */
export const keepStop = statement<
  [businessId: string, channel: 'sms' | 'whatsapp', numberHash: Buffer, madeBy: StopMaker, at: Date]
>(`
  insert into stops (business_id, channel, number_hash, made_by, at) values ($1, $2, $3, $4, $5)
  on conflict do nothing`);

export const countStops = statement<NumberKey, { stops_kept: number }>(`
  select count(*)::int as stops_kept from stops where business_id = $1 and number_hash = $2`);

/** Suppressions stay in force by the hash alone. */
export const forgetSuppressedAddress = statement<[businessId: string, emailHash: Buffer], { count: number }>(
  counted('update suppressions set email = null where business_id = $1 and email_hash = $2'),
);

export const pseudonymiseAudit = statement<[...RecipientKey, pseudonym: string], { count: number }>(
  counted('update audit_entries set subject = $3 where business_id = $1 and recipient_id = $2'),
);

export const deletePerson = statement<RecipientKey>(`
  delete from recipients where business_id = $1 and id = $2`);

/** Releases the credits reserved for deleted sends. The last lock, since pushes to other people wait for it. */
export const releaseCredits = statement<[businessId: string, credits: number]>(`
  update credit_accounts set reserved = reserved - $2 where business_id = $1`);

interface WriterRow {
  id: string;
  phone: string | null;
  whatsapp_status: ConsentStatus;
  forward_setting: 'full' | 'link_only' | 'off';
}

/** An inbound reply or a permit of a send locks this row too: it either commits before or sees the erasure. */
export const lockWriter = statement<[businessId: string, email: string], WriterRow>(`
  select r.id, r.phone, r.whatsapp_status, b.reply_forward as forward_setting
  from recipients r join businesses b on b.id = r.business_id
  where r.business_id = $1 and r.email = $2 for no key update of r`);

/** Also deletes the forwarding mails that the sandbox captured. */
export const deleteReplies = statement<
  RecipientKey,
  { replies_deleted: number; replies_a_forward_email_may_have_carried: number }
>(`
  with reply as (
    delete from whatsapp_replies where business_id = $1 and recipient_id = $2 returning forwarded
  ), captured as (
    delete from sandbox_messages m using sends s
    where s.business_id = $1 and s.recipient_id = $2 and s.message_id is null and s.purpose = 'reply_forward'
      and m.business_id = s.business_id and m.recipient_id = s.recipient_id and m.send_id = s.id
    returning m.provider_id
  ), ${deleteReportsOf('captured')}
  select count(*)::int as replies_deleted,
    count(*) filter (where forwarded)::int as replies_a_forward_email_may_have_carried from reply`);

export const dropReplyWindow = statement<NumberKey, { count: number }>(
  counted('delete from auto_reply_windows where business_id = $1 and number_hash = $2'),
);

/** Permanent; the time of the first erasure stays. */
export const withdrawConsent = statement<[...RecipientKey, now: Date], { first_erased_at: Date }>(`
  update recipients set whatsapp_status = 'stopped',
    whatsapp_status_at = case when whatsapp_status = 'stopped' then whatsapp_status_at else $3 end,
    whatsapp_erased_at = coalesce(whatsapp_erased_at, $3)
  where business_id = $1 and id = $2
  returning whatsapp_erased_at as first_erased_at`);

import { SESSIONS_PER_RECIPIENT_MAX } from '../../config/limits.ts';
import { statementOfBusinesses } from '../../db/perBusiness.ts';
import { statement } from '../../db/statement.ts';
import type { ConsentStatus, StopMaker } from '../../recipients/recipient.ts';
import type { InboxMessage } from './reading/story.ts';

/** The business as its customers know it, and the tags from which a page's language follows. */
interface BrandRow {
  name: string;
  colour: string | null;
  /** Where its logo is, below `/logos/`; null: it has none. */
  logo: string | null;
  supportEmail: string | null;
  shopUrl: string | null;
  business_language: string;
  /** The recipient's; null: not known. */
  language: string | null;
}

const BRAND = `b.name, b.colour, b.id || '/' || b.logo as logo, b.support_email as "supportEmail", b.shop_url as "shopUrl", b.language as business_language, r.language`;

/** With the tag of the recipient, unless they were erased. */
export const readBrand = statement<[businessId: string, recipientId: string], BrandRow>(`
  select ${BRAND} from businesses b left join recipients r on r.business_id = b.id and r.id = $2 where b.id = $1`);

export interface LinkRow extends BrandRow {
  businessId: string;
  /** The send that carries the link; it identifies the link. */
  sendId: string;
  recipientId: string;
  messageId: string | null;
  expiresAt: Date;
}

/** By the hash alone: the token names no business. Also finds expired links, so that the page can offer a new one. */
export const findLink = statement<[tokenHash: Buffer], LinkRow>(`
  select l.business_id as "businessId", l.send_id as "sendId", l.recipient_id as "recipientId",
    l.message_id as "messageId", l.expires_at as "expiresAt", ${BRAND}
  from links l join businesses b on b.id = l.business_id
  left join recipients r on r.business_id = l.business_id and r.id = l.recipient_id
  where l.token_hash = $1
  limit 1`);

/**
 * Two transactions: an erasure locks messages before links, and a transaction that held a link while it waited for the
 * message could deadlock with it.
 */
export const recordLinkFetched = statement<
  [businessId: string, sendId: string, now: Date],
  { message_id: string | null }
>(`
  update links set fetched_at = $3 where business_id = $1 and send_id = $2 and fetched_at is null
  returning message_id`);

export const recordMessageFetched = statement<[businessId: string, messageId: string, now: Date]>(`
  update messages set fetched_at = $3 where business_id = $1 and id = $2 and fetched_at is null`);

/** Locked, so that concurrent requests count each other's mail. */
export const lockRecipientByEmail = statement<[businessId: string, email: string], { id: string }>(`
  select id from recipients where business_id = $1 and email = $2 for no key update`);

export const countNewLinksSince = statement<
  [businessId: string, recipientId: string, since: Date],
  { count: number }
>(`
  select count(*)::int as count from sends
  where business_id = $1 and recipient_id = $2 and message_id is null and purpose = 'new_link' and created_at > $3`);

/** At the limit per person, their oldest session ends. The caller has locked the person, so the count is exact. */
export const insertSession = statement<
  [businessId: string, id: string, tokenHash: Buffer, recipientId: string, now: Date, expiresAt: Date]
>(`
  with ended as (
    delete from inbox_sessions s using (
      select id from inbox_sessions where business_id = $1 and recipient_id = $4
      order by created_at desc, id desc offset ${SESSIONS_PER_RECIPIENT_MAX - 1}) old
    where s.business_id = $1 and s.id = old.id
  )
  insert into inbox_sessions (business_id, id, token_hash, recipient_id, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6)`);

interface SessionRow extends BrandRow {
  business_id: string;
  id: string;
  recipient_id: string;
  expires_at: Date;
  unsubscribed_at: Date | null;
}

export const findSession = statement<[tokenHash: Buffer], SessionRow>(`
  select s.business_id, s.id, s.recipient_id, s.expires_at, r.unsubscribed_at, ${BRAND}
  from inbox_sessions s
  join businesses b on b.id = s.business_id
  join recipients r on r.business_id = s.business_id and r.id = s.recipient_id
  where s.token_hash = $1
  limit 1`);

export const deleteSession = statement<[businessId: string, id: string]>(`
  delete from inbox_sessions where business_id = $1 and id = $2`);

export type MessageRow = Omit<InboxMessage, 'orderStatus'> & { order_status: string | null };

/** Only openings that are sent as a form are recorded, so the page holds no text that could be read without one. */
const READ = 'm.opened_at is not null and not m.unread_again';

/** When the message's status counts: a milestone's at its tracking event. */
const STATUS_AT = 'coalesce(m.milestone_at, m.order_status_at, m.created_at)';

/**
 * The body is selected only for read messages. The replacement is named only when it went to the same person: a merchant can
 * replace a message by one to another person. `offset 0` keeps the look-up by primary key: with a plain join, Postgres
 * planned a scan of the inbox.
 */
const MESSAGE = `
  select m.id, m.subject, case when ${READ} then m.body end as body, m.status, m.reference, m.order_status,
    ${STATUS_AT} as "statusAt", m.created_at as "createdAt", m.updated_at as "updatedAt", coalesce(m.retracted_at, m.obsoleted_at) as "endedAt",
    case when r.recipient_id = m.recipient_id then json_build_object('id', r.id, 'subject', r.subject) end as "replacedBy"
  from messages m
  left join lateral (
    select o.id, o.recipient_id, o.subject from messages o
    where o.business_id = $1 and o.id = m.replaced_by offset 0
  ) r on true`;

/** A keyset page, read from one index range. */
export const messagesBefore = statement<
  [businessId: string, recipientId: string, beforeId: string, limit: number],
  MessageRow
>(`${MESSAGE}
  where m.business_id = $1 and m.recipient_id = $2 and m.id < $3
  order by m.id desc
  limit $4`);

export const oneMessage = statement<
  [businessId: string, recipientId: string, id: string],
  MessageRow
>(`${MESSAGE}
  where m.business_id = $1 and m.recipient_id = $2 and m.id = $3`);

/**
 * For orders on an older page: one newer message per order, preferably the newest active one with a status. It scans the
 * person's newer messages, so the first page does not use it.
 */
export const newerOfOrders = statement<
  [
    businessId: string,
    recipientId: string,
    fromId: string,
    references: string[],
    statuses: readonly string[],
  ],
  { reference: string; status: string; order_status: string | null; at: Date }
>(`
  select distinct on (reference) reference, status, order_status, ${STATUS_AT} as at
  from messages m
  where business_id = $1 and recipient_id = $2 and id >= $3 and reference = any ($4)
  order by reference, (status = 'active' and coalesce(order_status = any ($5), false)) desc, id desc`);

export interface InboxPersonRow {
  email: string;
  phone: string | null;
  sms_status: ConsentStatus;
  sms_stopped_by: StopMaker | null;
  whatsapp_status: ConsentStatus;
  unsubscribed_at: Date | null;
}

const PERSON =
  'select email, phone, sms_status, sms_stopped_by, whatsapp_status, unsubscribed_at from recipients';

export const readPerson = statement<[businessId: string, recipientId: string], InboxPersonRow>(`
  ${PERSON} where business_id = $1 and id = $2`);

/** The first lock: a permit of a send either commits before it or sees the change. */
export const lockInboxPerson = statement<[businessId: string, recipientId: string], InboxPersonRow>(`
  ${PERSON} where business_id = $1 and id = $2 for no key update`);

export const setUnsubscribed = statement<[businessId: string, recipientId: string, now: Date]>(`
  update recipients set unsubscribed_at = $3 where business_id = $1 and id = $2`);

/** The live page notices changes to this many messages, two pages, so that the cost does not grow with the inbox. */
const NOTICED = 40;

/**
 * Changes whenever one of the person's newest messages is new or looks different: an update in place moves the newest
 * `updated_at`; read, replaced and retracted messages are counted. Counting is far cheaper than hashing every message. A tracking
 * event moves the `updated_at` of its shipment.
 */
const PRINT = (businessId: string, recipientId: string): string => `
  (select md5(concat_ws(' ', max(m.id), extract(epoch from max(m.updated_at)), count(*) filter (where ${READ}),
      count(*) filter (where m.status = 'obsolete'), count(*) filter (where m.status = 'retracted'),
      extract(epoch from max(p.changed_at))))
   from (select id, status, reference, updated_at, opened_at, unread_again from messages
         where business_id = ${businessId} and recipient_id = ${recipientId}
         order by id desc limit ${NOTICED}) m
   left join lateral (
     select max(updated_at) as changed_at from shipments
     where business_id = ${businessId} and reference = m.reference offset 0) p on m.reference is not null)`;

export const changeMarkOf = statement<[businessId: string, recipientId: string], { print: string }>(`
  select ${PRINT('$1', '$2')} as print`);

/** One statement for all watchers. Sessions that are signed out, expired or erased have no row. */
export const changeMarksOf = statementOfBusinesses<
  [businessIds: string[], sessionIds: string[], now: Date],
  { business_id: string; session_id: string; print: string }
>(
  ['businesses', 'parallel', 'same'],
  `
  select s.business_id, s.id as session_id, ${PRINT('s.business_id', 's.recipient_id')} as print
  from unnest($1::text[], $2::text[]) k (business_id, id)
  join inbox_sessions s on s.business_id = k.business_id and s.id = k.id
  where s.expires_at > $3`,
);

import type { ListedMessage } from '../contract/messages.ts';
import { statementOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';
import { EXCERPT_SOURCE_LENGTH } from '../nudges/excerpt.ts';
import type { LockedSend } from '../outbox/lockSql.ts';
import { type Send, sendColumns } from '../outbox/send.ts';
import type { DeliverySend } from './delivery.ts';

/**
 * The first lock in the common order: recipient, message, sends, account. It is shared: it only has to keep out a change of
 * consent and an erasure. Each lock is a separate statement, so that the next one sees what was committed while this one
 * waited.
 */
export const lockRecipientOf = statement<[businessId: string, messageId: string], { id: string }>(`
  select r.id from recipients r
  where r.business_id = $1 and r.id = (select recipient_id from messages where business_id = $1 and id = $2)
  for share`);

/** The columns of a locked send that come from its message and its recipient. */
export type MessageFacts = Omit<LockedSend, keyof Send> & {
  recipient_id: string;
  message_status: ListedMessage['status'];
};

const messageFacts = (bodyStart: string): string => `
  select m.recipient_id, r.email, r.phone, r.phone_country, r.sms_status, r.whatsapp_status, r.unsubscribed_at,
    r.language, m.subject, m.reference, m.order_status, m.status as message_status, m.created_at as message_created_at,
    m.opened_at, m.unread_again, m.tracking_number, m.trace_context, null as reply,
    ${bodyStart} as body_start
  from messages m join recipients r on r.business_id = m.business_id and r.id = m.recipient_id
  where m.business_id = $1 and m.id = $2`;

/** The second lock. It is exclusive, so that retractions, resends and updates in place run one after another. */
export const lockMessageRow = statement<[businessId: string, messageId: string], MessageFacts>(
  `${messageFacts('null')} for no key update of m`,
);

/** Those who only read also say what a mail would. */
export const readMessageFacts = statement<[businessId: string, messageId: string], MessageFacts>(
  messageFacts(`left(m.body, ${EXCERPT_SOURCE_LENGTH + 1})`),
);

const SENDS_OF = `
  select ${sendColumns('s')} from sends s
  where s.business_id = $1 and s.message_id = $2
  order by s.id`;

/** The third lock. It waits for a worker's permit, and then sees the send as submitting. */
export const lockSendsOf = statement<[businessId: string, messageId: string], Send>(`${SENDS_OF} for update`);

export const readSendsOf = statement<[businessId: string, messageId: string], Send>(SENDS_OF);

export const markOpened = statement<[businessId: string, messageId: string, now: Date]>(`
  update messages set opened_at = coalesce(opened_at, $3), unread_again = false where business_id = $1 and id = $2`);

type Times = 'scheduled_for' | 'created_at' | 'updated_at';

export type ListedRow = Omit<ListedMessage, Times | 'delivery'> & {
  scheduled_for: Date | null;
  created_at: Date;
  updated_at: Date;
  opened_at: Date | null;
  sends: DeliverySend[];
};

export const LISTED_MESSAGE = `
  m.id, r.email as recipient_email, m.subject, m.kind, m.status, m.reference, m.order_status, m.scheduled_for,
  m.created_at, m.updated_at, m.opened_at, s.sends`;

/**
 * Adds the recipient of each message `m`, and its sends by one index lookup. The sends are unsorted: with a sort, a plan
 * cached while the tables were empty would scan the primary key to get the order.
 */
export const withSends = (businessId: string): string => `
  join recipients r on r.business_id = ${businessId} and r.id = m.recipient_id
  cross join lateral (
    select coalesce(json_agg(json_build_object('id', s.id, 'channel', s.channel, 'state', s.state, 'reason', s.reason,
      'error_code', s.error_code, 'credits', s.credits, 'charged', s.charged, 'created_at', s.created_at,
      'submitted_at', s.submitted_at, 'last_status_at', s.last_status_at, 'delivered_at', s.delivered_at,
      'bounced_at', s.bounced_at, 'complained_at', s.complained_at)), '[]') as sends
    from sends s where s.business_id = ${businessId} and s.message_id = m.id) s`;

/** Messages by their keys; `place` is the position of the key in the arrays, from 1. */
export const messagesByKey = statementOfBusinesses<
  [businessIds: string[], ids: string[]],
  ListedRow & { body: string; place: number }
>(
  ['businesses', 'parallel'],
  `
  select requested.place::int as place, ${LISTED_MESSAGE}, m.body
  from unnest($1::text[], $2::text[]) with ordinality requested (business_id, id, place)
  cross join lateral (select * from messages where business_id = requested.business_id and id = requested.id offset 0) m
  ${withSends('m.business_id')}`,
  { place: 'place' },
);

export const markRetracted = statement<[businessId: string, messageId: string, now: Date]>(`
  update messages set status = 'retracted', retracted_at = $3 where business_id = $1 and id = $2`);

export const addHistory = statement<[row: string]>(`
  insert into message_events (business_id, id, message_id, send_id, type, detail, at)
  select business_id, id, message_id, send_id, type, detail, at from json_populate_record(null::message_events, $1::json)`);

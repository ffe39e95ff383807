import { statement } from '../db/statement.ts';
import type { Locked } from '../outbox/lockSql.ts';
import { type Send, sendColumns } from '../outbox/send.ts';

/**
 * First of the locks, in the order that everyone keeps: recipient, message, sends, account. Shared: it is the person's
 * consent that must not change meanwhile, and an erasure must wait. Each lock is a statement of its own, so that the
 * next one sees what was committed while this one waited.
 */
export const lockRecipientOf = statement<[businessId: string, messageId: string], { id: string }>(`
  select r.id from recipients r
  where r.business_id = $1 and r.id = (select recipient_id from messages where business_id = $1 and id = $2)
  for share`);

/** What a send knows of its message and its person. */
export type MessageFacts = Omit<Locked, keyof Send> & {
  recipient_id: string;
  message_status: 'active' | 'obsolete' | 'retracted';
};

/** Second: exclusive, so that retractions, resends and updates in place come one after the other. */
export const lockMessageRow = statement<[businessId: string, messageId: string], MessageFacts>(`
  select m.recipient_id, r.email, r.phone, r.phone_country, r.sms_status, r.whatsapp_status, r.unsubscribed_at,
    m.subject, m.reference, m.order_status, m.status as message_status, m.created_at as message_created_at,
    m.opened_at, null as reply
  from messages m join recipients r on r.business_id = m.business_id and r.id = m.recipient_id
  where m.business_id = $1 and m.id = $2
  for no key update of m`);

/** Third: a send that a worker is about to submit is waited for, and then seen as submitting. */
export const lockSendsOf = statement<[businessId: string, messageId: string], Send>(`
  select ${sendColumns('s')} from sends s
  where s.business_id = $1 and s.message_id = $2
  order by s.id for update`);

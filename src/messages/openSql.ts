import { statement } from '../db/statement.ts';

export interface OpenedRow {
  subject: string;
  reference: string | null;
  email: string;
}

/** Only the first opening finds a row, so whatever follows from it follows once. */
export const markOpened = statement<
  [businessId: string, recipientId: string, messageId: string, now: Date],
  OpenedRow
>(`
  update messages m set opened_at = $4
  from recipients r
  where m.business_id = $1 and m.recipient_id = $2 and m.id = $3 and m.opened_at is null
    and r.business_id = m.business_id and r.id = m.recipient_id
  returning m.subject, m.reference, r.email`);

/** Armed sends have nothing set aside: calling them off gives nothing back. Locked in the order of their ids. */
export const cancelArmed = statement<[businessId: string, messageId: string, now: Date], { id: string }>(`
  with armed as (
    select business_id, id from sends
    where business_id = $1 and message_id = $2 and state = 'held' and escalate_minutes is not null
    order by id for update
  )
  update sends s set state = 'cancelled', due_at = null, lease = null, last_status_at = $3
  from armed where s.business_id = armed.business_id and s.id = armed.id
  returning s.id`);

import { statement } from '../db/statement.ts';

/** Locked, so that two requests at once count each other's mail. */
export const lockRecipientByEmail = statement<[businessId: string, email: string], { id: string }>(`
  select id from recipients where business_id = $1 and email = $2 for no key update`);

export const countNewLinksSince = statement<
  [businessId: string, recipientId: string, since: Date],
  { count: number }
>(`
  select count(*)::int as count from sends
  where business_id = $1 and recipient_id = $2 and message_id is null and purpose = 'new_link' and created_at > $3`);

/** The outbox makes the link when it sends the mail. */
export const queueNewLinkMail = statement<[businessId: string, id: string, recipientId: string, now: Date]>(`
  insert into sends (business_id, id, recipient_id, channel, purpose, state, due_at, created_at)
  values ($1, $2, $3, 'email', 'new_link', 'queued', $4, $4)`);

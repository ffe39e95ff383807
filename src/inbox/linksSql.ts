import { statement } from '../db/statement.ts';

export interface LinkRow {
  business_id: string;
  send_id: string;
  recipient_id: string;
  message_id: string | null;
  expires_at: Date;
  business_name: string;
  colour: string | null;
}

/** By the hash alone: the token names no business. Expired links are found too, since they know whose inbox it was. */
export const findLink = statement<[tokenHash: Buffer], LinkRow>(`
  select l.business_id, l.send_id, l.recipient_id, l.message_id, l.expires_at, b.name as business_name, b.colour
  from links l join businesses b on b.id = l.business_id
  where l.token_hash = $1
  limit 1`);

/**
 * Two statements, each on its own, rather than one: an erasure locks messages before links, and a statement that
 * held a link while it waited for its message could deadlock with it.
 */
export const recordLinkFetched = statement<
  [businessId: string, sendId: string, now: Date],
  { message_id: string | null }
>(`
  update links set fetched_at = $3 where business_id = $1 and send_id = $2 and fetched_at is null
  returning message_id`);

export const recordMessageFetched = statement<[businessId: string, messageId: string, now: Date]>(`
  update messages set fetched_at = $3 where business_id = $1 and id = $2 and fetched_at is null`);

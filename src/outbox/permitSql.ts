import { statement } from '../db/statement.ts';

/**
 * One sign-in link a send, for ever: an attempt that surely sent nothing has its link replaced by that of the next,
 * so that no two working links of one send exist.
 */
export const writeLinks = statement<[links: string, now: Date, expiresAt: Date]>(`
  insert into links (business_id, id, token_hash, recipient_id, message_id, send_id, created_at, expires_at)
  select business_id, id, token_hash, recipient_id, message_id, send_id, $2, $3
  from json_populate_recordset(null::links, $1::json)
  on conflict (business_id, send_id) where send_id is not null
  do update set token_hash = excluded.token_hash, created_at = excluded.created_at, expires_at = excluded.expires_at`);

/** From here on the reply may have left in a mail, which an erasure has to admit. */
export const markForwarded = statement<[businessIds: string[], replyIds: string[]]>(`
  update whatsapp_replies w set forwarded = true
  from unnest($1::text[], $2::text[]) k (business_id, id)
  where w.business_id = k.business_id and w.id = k.id`);

import { statement } from '../db/statement.ts';

const INSERT_LINKS = `
  insert into links (business_id, send_id, token_hash, recipient_id, message_id, created_at, expires_at)
  select business_id, send_id, token_hash, recipient_id, message_id, $2, $3
  from json_populate_recordset(null::links, $1::json)`;

/** The links of sends that are tried for the first time: there is none of theirs yet. */
export const insertLinks = statement<[links: string, now: Date, expiresAt: Date]>(INSERT_LINKS);

/**
 * One sign-in link a send, for ever: an attempt that surely sent nothing has its link replaced by that of the next,
 * so that no two working links of one send exist.
 */
export const replaceLinks = statement<[links: string, now: Date, expiresAt: Date]>(`${INSERT_LINKS}
  on conflict (business_id, send_id)
  do update set token_hash = excluded.token_hash, created_at = excluded.created_at, expires_at = excluded.expires_at`);

/** The businesses' accounts are locked by now, so no two transactions insert the same rows at once. */
export const rememberNumbers = statement<[numbers: string, until: Date]>(`
  insert into messaged_numbers as m (business_id, channel, number_hash, until)
  select distinct business_id, channel, number_hash, $2::timestamptz
  from json_populate_recordset(null::messaged_numbers, $1::json)
  on conflict (business_id, channel, number_hash) do update set until = greatest(m.until, excluded.until)`);

/** From here on the reply may have left in a mail, which an erasure has to admit. */
export const markForwarded = statement<[businessIds: string[], replyIds: string[]]>(`
  update whatsapp_replies w set forwarded = true
  from unnest($1::text[], $2::text[]) k (business_id, id)
  where w.business_id = k.business_id and w.id = k.id`);

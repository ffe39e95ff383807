import type { PaidChannel } from '../businesses/channels.ts';
import { statement } from '../db/statement.ts';
import type { HolderRow } from '../recipients/stopsSql.ts';
import type { SendKey } from './send.ts';

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

export interface HolderOfSend extends HolderRow {
  send: SendKey;
  channel: PaidChannel;
}

/** Whom these paid sends are for, with the number they have now. Their rows are locked already. */
export const findHoldersOfSends = statement<[businessIds: string[], ids: string[]], HolderOfSend>(`
  select json_build_object('business_id', s.business_id, 'id', s.id) as send, s.channel,
    r.business_id, r.id as recipient_id, r.email, r.phone, r.sms_status, r.sms_stopped_by, r.whatsapp_status
  from unnest($1::text[], $2::text[]) k (business_id, id)
  join sends s on s.business_id = k.business_id and s.id = k.id
  join recipients r on r.business_id = s.business_id and r.id = s.recipient_id
  where s.channel <> 'email' and r.phone is not null
  order by s.id`);

/** The platform does not send these templates: until it does again, nobody is told that they would be sent. */
export const holdTemplates = statement<[orderStatuses: string[]]>(`
  update whatsapp_templates set state = 'in_review' where order_status = any ($1::text[]) and state <> 'in_review'`);

export const setTemplateState = statement<
  [orderStatus: string, state: 'approved' | 'in_review'],
  { order_status: string; state: string }
>(`
  update whatsapp_templates set state = $2 where order_status = $1 returning order_status, state`);

export interface SendCount {
  channel: string;
  state: string;
  waiting: number;
  due: number;
}

/** By the partial index of what still needs attention: what has ended is not read. */
export const countSends = statement<[now: Date], SendCount>(`
  select channel, state, count(*)::int as waiting, (count(*) filter (where due_at <= $1))::int as due
  from sends where due_at is not null
  group by channel, state order by channel, state`);

export const countDeliveries = statement<[now: Date], { waiting: number; due: number; oldest: Date | null }>(`
  select count(*)::int as waiting, (count(*) filter (where due_at <= $1))::int as due, min(due_at) as oldest
  from webhook_deliveries where due_at is not null`);

import { statement } from '../db/statement.ts';
import { deleteReportsOf } from './erasureSql.ts';
import type { ConsentStatus } from './recipient.ts';

export interface WriterRow {
  id: string;
  phone: string | null;
  whatsapp_status: ConsentStatus;
  whatsapp_erased_at: Date | null;
  reply_forward: 'full' | 'link_only' | 'off';
}

/** Locked: a reply that is being heard, or a send that is being permitted, is over before or sees what is decided here. */
export const lockWriter = statement<[businessId: string, email: string], WriterRow>(`
  select r.id, r.phone, r.whatsapp_status, r.whatsapp_erased_at, b.reply_forward
  from recipients r join businesses b on b.id = r.business_id
  where r.business_id = $1 and r.email = $2 for no key update of r`);

/** The replies, and the mails with them that the sandbox captured instead of forwarding. */
export const deleteReplies = statement<
  [businessId: string, recipientId: string],
  { replies: number; forwarded: number }
>(`
  with reply as (
    delete from whatsapp_replies where business_id = $1 and recipient_id = $2 returning forwarded
  ), captured as (
    delete from sandbox_messages m using sends s
    where s.business_id = $1 and s.recipient_id = $2 and s.message_id is null and s.purpose = 'reply_forward'
      and m.business_id = s.business_id and m.recipient_id = s.recipient_id and m.send_id = s.id
    returning m.provider_id
  ), ${deleteReportsOf('captured')}
  select count(*)::int as replies, count(*) filter (where forwarded)::int as forwarded from reply`);

export const dropReplyWindow = statement<[businessId: string, numberHash: Buffer], { windows: number }>(`
  with dropped as (
    delete from auto_reply_windows where business_id = $1 and number_hash = $2 returning 1
  )
  select count(*)::int as windows from dropped`);

/** For good; the moment of the first erasure stays. */
export const withdrawConsent = statement<
  [businessId: string, recipientId: string, now: Date],
  { first_erased_at: Date }
>(`
  update recipients set whatsapp_status = 'stopped',
    whatsapp_status_at = case when whatsapp_status = 'stopped' then whatsapp_status_at else $3 end,
    whatsapp_erased_at = coalesce(whatsapp_erased_at, $3)
  where business_id = $1 and id = $2
  returning whatsapp_erased_at as first_erased_at`);

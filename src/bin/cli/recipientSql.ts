import { statement } from '../../db/statement.ts';

export interface RecipientRow {
  id: string;
  email: string;
  phone: string | null;
  country: string | null;
  smsStatus: string;
  smsStatusAt: Date | null;
  smsStoppedBy: string | null;
  smsConsentAt: Date | null;
  smsConsentSource: string | null;
  whatsappStatus: string;
  whatsappStatusAt: Date | null;
  unsubscribedAt: Date | null;
  createdAt: Date;
}

const COLUMNS = `
  id, email, phone, phone_country as country, sms_status as "smsStatus", sms_status_at as "smsStatusAt",
  sms_stopped_by as "smsStoppedBy", sms_consent_at as "smsConsentAt", sms_consent_source as "smsConsentSource",
  whatsapp_status as "whatsappStatus", whatsapp_status_at as "whatsappStatusAt",
  unsubscribed_at as "unsubscribedAt", created_at as "createdAt"`;

export const findRecipient = statement<[businessId: string, email: string], RecipientRow>(`
  select ${COLUMNS} from recipients where business_id = $1 and email = $2`);

export const countMessages = statement<[businessId: string, recipientId: string], { messages: number }>(`
  select count(*)::int as messages from messages where business_id = $1 and recipient_id = $2`);

/** The same lock that a push or an erasure of this person takes. */
export const lockPerson = statement<[lock: bigint]>(`
  select pg_advisory_xact_lock($1)`);

export const lockRecipient = statement<[businessId: string, email: string], RecipientRow>(`
  select ${COLUMNS} from recipients where business_id = $1 and email = $2 for update`);

export const stopTexts = statement<[businessId: string, recipientId: string, at: Date]>(`
  update recipients set sms_status_at = case when sms_status = 'stopped' then sms_status_at else $3 end,
    sms_status = 'stopped', sms_stopped_by = 'dashboard'
  where business_id = $1 and id = $2`);

export const stopWhatsapp = statement<[businessId: string, recipientId: string, at: Date]>(`
  update recipients set whatsapp_status = 'stopped', whatsapp_status_at = $3
  where business_id = $1 and id = $2 and whatsapp_status <> 'stopped'`);

/** A stop that was made by text before becomes the dashboard's, which no text lifts. */
export const stopNumber = statement<[businessId: string, channel: string, numberHash: Buffer, at: Date]>(`
  insert into stops (business_id, channel, number_hash, made_by, at) values ($1, $2, $3, 'dashboard', $4)
  on conflict (business_id, channel, number_hash) do update set made_by = 'dashboard'`);

export const logStop = statement<
  [businessId: string, id: string, recipientId: string, channel: string, at: Date]
>(`
  insert into consent_log (business_id, id, recipient_id, channel, action, source, at)
  values ($1, $2, $3, $4, 'stopped', 'dashboard', $5)`);

/**
 * Queued sends of the channel end here and give back what was set aside for them; a text that was to stand in for a
 * WhatsApp message falls with it. Armed sends are judged at their deadline, and then find the stop. Rows are locked
 * in the order of their ids, the credit account last.
 */
export const skipStopped = statement<
  [businessId: string, recipientId: string, channel: string, at: Date],
  { skipped: number }
>(`
  with waiting as (
    select s.id, s.credits, s.reserved from sends s
    where s.business_id = $1 and s.channel = $3 and s.state = 'queued'
      and s.message_id in (select m.id from messages m where m.business_id = $1 and m.recipient_id = $2)
    order by s.id for update
  ), ended as (
    update sends s set state = 'skipped', reason = 'stopped', due_at = null, lease = null, reserved = false, last_status_at = $4
    from waiting w where s.business_id = $1 and s.id = w.id
    returning w.id, case when w.reserved then w.credits else 0 end as released
  ), fallen as (
    update sends s set state = 'cancelled', due_at = null, lease = null, last_status_at = $4
    from ended e where s.business_id = $1 and s.fallback_of = e.id and s.state = 'held'
  ), released as (
    update credit_accounts c set reserved = c.reserved - t.credits
    from (select coalesce(sum(released), 0)::int as credits from ended) t
    where c.business_id = $1 and t.credits > 0
  )
  select count(*)::int as skipped from ended`);

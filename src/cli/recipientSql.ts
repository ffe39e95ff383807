import { statement } from '../db/statement.ts';

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
  select ${COLUMNS} from recipients where business_id = $1 and email = $2 for no key update`);

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

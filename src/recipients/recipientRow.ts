import type { Recipient } from './recipient.ts';
import type { RecipientRow } from './sql.ts';

export const recipientFrom = (row: RecipientRow): Recipient => ({
  id: row.id,
  email: row.email,
  phone:
    row.phone !== null && row.phone_country !== null
      ? { number: row.phone, country: row.phone_country }
      : null,
  smsStatus: row.sms_status,
  smsStatusAt: row.sms_status_at,
  smsStoppedBy: row.sms_stopped_by,
  smsConsentAt: row.sms_consent_at,
  smsConsentSource: row.sms_consent_source,
  whatsappStatus: row.whatsapp_status,
  whatsappStatusAt: row.whatsapp_status_at,
  language: row.language,
});

export const rowFrom = (recipient: Recipient): RecipientRow => ({
  id: recipient.id,
  email: recipient.email,
  phone: recipient.phone?.number ?? null,
  phone_country: recipient.phone?.country ?? null,
  sms_status: recipient.smsStatus,
  sms_status_at: recipient.smsStatusAt,
  sms_stopped_by: recipient.smsStoppedBy,
  sms_consent_at: recipient.smsConsentAt,
  sms_consent_source: recipient.smsConsentSource,
  whatsapp_status: recipient.whatsappStatus,
  whatsapp_status_at: recipient.whatsappStatusAt,
  language: recipient.language,
});

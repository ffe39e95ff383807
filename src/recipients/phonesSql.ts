import { statement } from '../db/statement.ts';
import type { ConsentStatus, StopMaker } from './recipient.ts';
import type { SmsStateRow } from './smsViewSql.ts';

/** Merchants' calls about one recipient come one after the other; pushes to that recipient take the same lock. */
export const waitForRecipient = statement<[lock: bigint]>(`select pg_advisory_xact_lock($1)`);

export interface RecipientRow extends SmsStateRow {
  id: string;
  phone_country: string | null;
  sms_stopped_by: StopMaker | null;
  whatsapp_status: ConsentStatus;
  whatsapp_status_at: Date | null;
}

/** Sends lock the row as well while they ask for consent: a change comes wholly before or wholly after them. */
export const lockRecipient = statement<[businessId: string, email: string], RecipientRow>(`
  select id, email, phone, phone_country, sms_status, sms_status_at, sms_stopped_by, sms_consent_at, sms_consent_source,
    whatsapp_status, whatsapp_status_at
  from recipients where business_id = $1 and email = $2 for no key update`);

export const readNumber = statement<
  [businessId: string, number: string, numberHash: Buffer],
  { held_by: string | null; sms_stop: StopMaker | null; whatsapp_stopped: boolean }
>(`
  select
    (select id from recipients where business_id = $1 and phone = $2) as held_by,
    (select made_by from stops where business_id = $1 and channel = 'sms' and number_hash = $3) as sms_stop,
    exists (select from stops where business_id = $1 and channel = 'whatsapp' and number_hash = $3) as whatsapp_stopped`);

/** Two rows as JSON: the recipient as they now are, and what the consent log says of the change. */
export const writeNumber = statement<[recipient: string, consent: string]>(`
  with consented as (
    insert into consent_log (business_id, id, recipient_id, channel, action, source, at)
    select business_id, id, recipient_id, channel, action, source, at
    from json_populate_recordset(null::consent_log, $2::json)
  )
  update recipients r set phone = c.phone, phone_country = c.phone_country, sms_status = c.sms_status,
    sms_status_at = c.sms_status_at, sms_stopped_by = c.sms_stopped_by, sms_consent_at = c.sms_consent_at,
    sms_consent_source = c.sms_consent_source, whatsapp_status = c.whatsapp_status, whatsapp_status_at = c.whatsapp_status_at
  from json_populate_record(null::recipients, $1::json) c
  where r.business_id = c.business_id and r.id = c.id`);

import { writesOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';
import type { ConsentRow } from './consentSource.ts';
import type { ConsentStatus, NumberSource, StopMaker } from './recipient.ts';

/** The columns that a rule of consent reads or changes, with the id and the address. */
export interface RecipientRow {
  id: string;
  email: string;
  phone: string | null;
  phone_country: string | null;
  sms_status: ConsentStatus;
  sms_status_at: Date | null;
  sms_stopped_by: StopMaker | null;
  sms_consent_at: Date | null;
  sms_consent_source: NumberSource | null;
  whatsapp_status: ConsentStatus;
  whatsapp_status_at: Date | null;
  language: string | null;
}

export interface StoredRecipient extends RecipientRow {
  unsubscribed_at: Date | null;
  created_at: Date;
}

export const RECIPIENT_BY_EMAIL = `
  select id, email, phone, phone_country, sms_status, sms_status_at, sms_stopped_by, sms_consent_at, sms_consent_source,
    whatsapp_status, whatsapp_status_at, language, unsubscribed_at, created_at
  from recipients where business_id = $1 and email = $2`;

export const findRecipient = statement<[businessId: string, email: string], StoredRecipient>(
  RECIPIENT_BY_EMAIL,
);

/** A send's permit locks this row too while it checks consent, so a change is serialised with it. */
export const lockRecipient = statement<[businessId: string, email: string], StoredRecipient>(
  `${RECIPIENT_BY_EMAIL} for no key update`,
);

export const countMessages = statement<[businessId: string, recipientId: string], { messages: number }>(`
  select count(*)::int as messages from messages where business_id = $1 and recipient_id = $2`);

/** Oldest first. */
export const listConsents = statement<[businessId: string, recipientId: string], ConsentRow>(`
  select at, channel, action, source from consent_log where business_id = $1 and recipient_id = $2 order by at, id`);

export const findWhatsappStop = statement<[businessId: string, numberHash: Buffer], { made_by: StopMaker }>(`
  select made_by from stops where business_id = $1 and channel = 'whatsapp' and number_hash = $2`);

const WHATSAPP_SENDS = `from messages m join sends s on s.business_id = m.business_id and s.message_id = m.id
      where m.business_id = $1 and m.recipient_id = $2 and s.channel = 'whatsapp'`;

/**
 * When a business last submitted a WhatsApp message to this number, and which message of this recipient it announced; no
 * row if it never did. `messaged_numbers` misses sends in flight and sends with an unknown outcome. Those went to the present
 * number if consent is older than them, since a change of number ends consent.
 */
export const lastSubmitted = statement<
  [businessId: string, recipientId: string, numberHash: Buffer],
  { message_id: string | null; submitted_at: Date }
>(`
  with last as (
    select greatest(
      (select submitted_at from messaged_numbers
        where business_id = $1 and channel = 'whatsapp' and number_hash = $3),
      (select max(s.submitted_at) ${WHATSAPP_SENDS} and s.state <> 'rejected' and s.submitted_at > (
        select whatsapp_status_at from recipients
        where business_id = $1 and id = $2 and whatsapp_status = 'active'))) as submitted_at
  )
  select last.submitted_at, (
    select s.message_id ${WHATSAPP_SENDS} and s.submitted_at = last.submitted_at
      order by s.id desc limit 1) as message_id
  from last where last.submitted_at is not null`);

export const insertReply = statement<
  [
    businessId: string,
    id: string,
    recipientId: string,
    messageId: string | null,
    body: string,
    providerMessageId: string | null,
    now: Date,
  ]
>(`
  insert into whatsapp_replies (business_id, id, recipient_id, message_id, body, provider_message_id, received_at)
  values ($1, $2, $3, $4, $5, $6, $7)`);

/** Opens a window in which no further reply is acknowledged. Returns no row while one is open. */
export const openReplyWindow = statement<
  [businessId: string, numberHash: Buffer, until: Date, now: Date],
  { until: Date }
>(`
  insert into auto_reply_windows as w (business_id, number_hash, until) values ($1, $2, $3)
  on conflict (business_id, number_hash) do update set until = excluded.until where w.until <= $4
  returning until`);

/** Serialises merchants' calls about one recipient. Pushes to that recipient take the same lock. */
export const waitForRecipient = statement<[lock: bigint]>(`select pg_advisory_xact_lock($1)`);

export const readNumber = statement<
  [businessId: string, number: string, numberHash: Buffer],
  { held_by: string | null; sms_stop: StopMaker | null; whatsapp_stopped: boolean }
>(`
  select
    (select id from recipients where business_id = $1 and phone = $2) as held_by,
    (select made_by from stops where business_id = $1 and channel = 'sms' and number_hash = $3) as sms_stop,
    exists (select from stops where business_id = $1 and channel = 'whatsapp' and number_hash = $3) as whatsapp_stopped`);

const LOG_CONSENT = `
    insert into consent_log (business_id, id, recipient_id, channel, action, source, at)
    select business_id, id, recipient_id, channel, action, source, at
    from json_populate_recordset(null::consent_log, $3::json)`;
const SET_NUMBER = `
  update recipients r set phone = c.phone, phone_country = c.phone_country, sms_status = c.sms_status,
    sms_status_at = c.sms_status_at, sms_stopped_by = c.sms_stopped_by, sms_consent_at = c.sms_consent_at,
    sms_consent_source = c.sms_consent_source, whatsapp_status = c.whatsapp_status, whatsapp_status_at = c.whatsapp_status_at
  from json_populate_recordset(null::recipients, $2::json) c
  where r.business_id = $1 and r.id = c.id`;

/** Both lists are JSON: the one changed recipient, and consent log entries. */
export const writeNumber = writesOfBusinesses<[businessId: string, recipients: string, consent: string]>(
  ['business', 'rows', 'rows'],
  { writes: { consented: LOG_CONSENT, number: SET_NUMBER } },
);

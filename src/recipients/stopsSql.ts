import type { PaidChannel } from '../contract/channels.ts';
import { statementOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';
import type { ConsentRow } from './consentSource.ts';
import type { ConsentStatus, StopMaker } from './recipient.ts';

export interface HolderRow {
  business_id: string;
  recipient_id: string;
  email: string;
  phone: string;
  sms_status: ConsentStatus;
  sms_stopped_by: StopMaker | null;
  whatsapp_status: ConsentStatus;
}

/**
 * The named businesses ($2), and those on the channel $4 that use the shared sender of the provider $3, unless it is null: they have no own
 * sender there that is the provider's alone, or has one of the forms of its senders ($5).
 */
const amongAudience = (businessId: string): string => `(${businessId} = any ($2::text[])
    or $3::text is not null
      and not exists (select from provider_senders p where p.business_id = ${businessId} and p.channel = $4 and p.provider = $3)
      and not exists (
        select from business_senders s where s.business_id = ${businessId} and s.channel = $4 and s.address ~* any ($5::text[])))`;

/** The parameters of `amongAudience`. */
export type AudienceLists = [
  businessIds: readonly string[],
  sharedAt: string | null,
  channel: PaidChannel,
  forms: readonly string[],
];

/** The recipients with this number at the named businesses, or at those on the shared sender. Not locked. */
export const findHolders = statement<[number: string, ...AudienceLists], HolderRow>(`
  select r.business_id, r.id as recipient_id, r.email, r.phone, r.sms_status, r.sms_stopped_by, r.whatsapp_status
  from recipients r where r.phone = $1 and ${amongAudience('r.business_id')}
  order by r.id`);

/** The businesses among them that have messaged this number on either channel, even if they no longer hold it. */
export const findMessagingBusinesses = statement<
  [numberHash: Buffer, ...AudienceLists],
  { business_id: string }
>(`
  select distinct n.business_id from messaged_numbers n
  where n.number_hash = $1 and ${amongAudience('n.business_id')}
  order by n.business_id`);

/** The first lock: a permit of a send either commits before it or sees the change. */
export const lockHolder = statement<[businessId: string, recipientId: string, number: string], HolderRow>(`
  select business_id, id as recipient_id, email, phone, sms_status, sms_stopped_by, whatsapp_status
  from recipients where business_id = $1 and id = $2 and phone = $3 for no key update`);

/** A stop that becomes firmer keeps the time at which texts stopped. */
export const setSmsStatus = statement<
  [businessId: string, recipientId: string, status: ConsentStatus, stoppedBy: StopMaker | null, now: Date]
>(`
  update recipients set sms_status_at = case when sms_status = $3 then sms_status_at else $5 end,
    sms_status = $3, sms_stopped_by = $4
  where business_id = $1 and id = $2`);

/** Permanent: nothing in the interface lifts it. */
export const setWhatsappStopped = statement<[businessId: string, recipientId: string, now: Date]>(`
  update recipients set whatsapp_status = 'stopped', whatsapp_status_at = $3 where business_id = $1 and id = $2`);

/**
 * Replaces only the weaker stops listed. A callback can name a business of another installation that shares the provider's
 * account, so an unknown business writes nothing.
 */
export const stopNumber = statement<
  [
    businessId: string,
    channel: PaidChannel,
    numberHash: Buffer,
    maker: StopMaker,
    now: Date,
    weaker: readonly StopMaker[],
  ]
>(`
  insert into stops as s (business_id, channel, number_hash, made_by, at)
  select b.id, $2, $3, $4, $5::timestamptz from businesses b where b.id = $1
  on conflict (business_id, channel, number_hash) do update set made_by = excluded.made_by, at = excluded.at
  where s.made_by = any ($6::text[])`);

export const deleteNumberStop = statement<[businessId: string, numberHash: Buffer, maker: StopMaker]>(`
  delete from stops where business_id = $1 and channel = 'sms' and number_hash = $2 and made_by = $3`);

/** Lifts texted stops at every business of an audience, even where another recipient holds the number now. */
export const deleteTextedStops = statement<[numberHash: Buffer, ...AudienceLists]>(`
  delete from stops t
  where t.number_hash = $1 and t.channel = $4 and t.made_by = 'text' and ${amongAudience('t.business_id')}`);

export const insertConsentEntry = statement<
  [
    businessId: string,
    id: string,
    recipientId: string,
    channel: ConsentRow['channel'],
    action: ConsentRow['action'],
    source: string,
    now: Date,
  ]
>(`
  insert into consent_log (business_id, id, recipient_id, channel, action, source, at)
  values ($1, $2, $3, $4, $5, $6, $7)`);

/** Whichever provider it is set for: a number can move to another one, and a stop is a stop. */
export const findBusinessesOfSender = statement<
  [channel: PaidChannel, addresses: readonly string[]],
  { business_id: string }
>(`
  select business_id from business_senders where channel = $1 and address = any ($2::text[])
  union
  select business_id from provider_senders where channel = $1 and address = any ($2::text[])
  order by business_id`);

/** The first row per reason stays. The plain address is for display only; an erasure removes it. */
export const insertSuppressions = statement<[suppressions: string]>(`
  insert into suppressions (business_id, email_hash, reason, email, at)
  select business_id, email_hash, reason, email, at from json_populate_recordset(null::suppressions, $1::json)
  on conflict do nothing`);

export const insertPlatformSuppressions = statement<[emailHashes: Buffer[], now: Date]>(`
  insert into platform_suppressions (email_hash, at) select distinct h, $2::timestamptz from unnest($1::bytea[]) h
  on conflict do nothing`);

/** Numbers without WhatsApp, each until a time. */
export const insertUnreachable = statement<[unreachable: string]>(`
  insert into whatsapp_unreachable as u (business_id, number_hash, until)
  select distinct on (business_id, number_hash) business_id, number_hash, until
  from json_populate_recordset(null::whatsapp_unreachable, $1::json)
  on conflict (business_id, number_hash) do update set until = greatest(u.until, excluded.until)`);

export const deleteUnreachable = statementOfBusinesses<[businessIds: string[], numberHash: Buffer]>(
  ['businesses', 'same'],
  `
  delete from whatsapp_unreachable where business_id = any ($1::text[]) and number_hash = $2`,
);

/** Newest first. Callers ask for one row more than they show, to see whether there are more. */
export const listSuppressions = statement<
  [businessId: string, emailHash: Buffer | null, limit: number],
  { email: string | null; reason: string; at: Date }
>(`
  select email, reason, at from suppressions
  where business_id = $1 and ($2::bytea is null or email_hash = $2)
  order by at desc, email_hash, reason limit $3`);

export const findReasons = statement<[businessId: string, emailHash: Buffer], { reason: string }>(`
  select reason from suppressions where business_id = $1 and email_hash = $2 order by reason`);

export const removeSuppressions = statement<
  [businessId: string, emailHash: Buffer, reasons: readonly string[]],
  { reason: string }
>(`
  delete from suppressions where business_id = $1 and email_hash = $2 and reason = any ($3::text[]) returning reason`);

export const isSuppressedForAll = statement<[emailHash: Buffer], { suppressed: boolean }>(`
  select exists (select from platform_suppressions where email_hash = $1) as suppressed`);

export const platformSuppressionOf = statement<[emailHash: Buffer], { at: Date }>(`
  select at from platform_suppressions where email_hash = $1`);

/** Otherwise the business's own bounce would still block the address on the shared domain. */
export const removePlatformSuppression = statement<[emailHash: Buffer], { removed: boolean }>(`
  delete from platform_suppressions where email_hash = $1 returning true as removed`);

export const keepUnsubscription = statement<[businessId: string, emailHash: Buffer, at: Date]>(`
  insert into suppressions (business_id, email_hash, reason, at) values ($1, $2, 'unsubscribe', $3)
  on conflict do nothing`);

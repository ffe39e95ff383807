import { PRICES, TEMPLATES_IN_REVIEW, TEMPLATES_TRANSLATED } from '../businesses/sql.ts';
import type { Channel, PaidChannel } from '../contract/channels.ts';
import { statementOfBusinesses } from '../db/perBusiness.ts';
import type { StopMaker } from '../recipients/recipient.ts';

interface SenderFactsRow {
  business_id: string;
  channel: Channel;
  address: string;
  /** What mails from its domain are signed with, where that is ours to do; the key is sealed, in base64. */
  selector?: string | null;
  sealed_key?: string | null;
}

/** The rows that the gates read. A statement that does not load a part leaves it null. */
export interface FactsRow {
  suppressions:
    | { business_id: string; email_hash: string; unsubscribed: boolean; suppressed: boolean }[]
    | null;
  platform: { email_hash: string }[] | null;
  stops: { business_id: string; number_hash: string; channel: PaidChannel; made_by: StopMaker }[] | null;
  unreachable: { business_id: string; number_hash: string }[] | null;
  senders: SenderFactsRow[] | null;
  prices: { country: string; credits: number }[] | null;
  in_review: string[] | null;
  /** Approved translations of templates, as `translationKey` names them. */
  translated: string[] | null;
}

/*
 * The SQL parts that load them. `lateral … offset 0` forces one index lookup per listed key. Without it the planner may scan
 * the table, which looks cheap when its statistics are from an empty table.
 */

/** Reads the CTE `people (business_id, email_hashes bytea[])`. */
export const ADDRESS_FACTS = `
    (select json_agg(s) from (
      select s.business_id, encode(s.email_hash, 'hex') as email_hash,
        bool_or(s.reason = 'unsubscribe') as unsubscribed, bool_or(s.reason <> 'unsubscribe') as suppressed
      from people p cross join lateral unnest(p.email_hashes) h (email_hash) cross join lateral (
        select * from suppressions where business_id = p.business_id and email_hash = h.email_hash offset 0) s
      group by s.business_id, s.email_hash) s) as suppressions,
    (select json_agg(p) from (
      select encode(s.email_hash, 'hex') as email_hash from people p cross join lateral (
        select email_hash from platform_suppressions where email_hash = any (p.email_hashes) offset 0) s) p) as platform`;

/** Reads the CTE `number (business_id, number_hash bytea)`. */
export const numberFacts = (now: string): string => `
    (select json_agg(s) from (
      select s.business_id, encode(s.number_hash, 'hex') as number_hash, s.channel, s.made_by
      from number n cross join lateral (
        select * from stops
        where business_id = n.business_id and channel in ('sms', 'whatsapp') and number_hash = n.number_hash offset 0) s) s) as stops,
    (select json_agg(w) from (
      select w.business_id, encode(w.number_hash, 'hex') as number_hash from number n cross join lateral (
        select * from whatsapp_unreachable
        where business_id = n.business_id and number_hash = n.number_hash and until > ${now} offset 0) w) w) as unreachable`;

/** Those that are used: an address whose domain is not verified is none. A push needs no keys. */
export const senderFacts = (businessIds: string, keys: 'with keys' | 'without keys'): string => `
    (select json_agg(b) from (
      select s.business_id, s.channel, s.address${keys === 'with keys' ? ", d.selector, encode(d.private_key_sealed, 'base64') as sealed_key" : ''}
      from business_senders s left join lateral (
        select * from sender_domains where business_id = s.business_id and s.channel = 'email' offset 0) d on true
      where s.business_id = any (${businessIds}::text[]) and coalesce(d.state, 'verified') = 'verified') b) as senders`;

/** Reads the CTE `number`: without one, no template is needed. */
export const PLATFORM_FACTS = `
    ${PRICES} as prices,
    ${TEMPLATES_IN_REVIEW} as in_review,
    ${TEMPLATES_TRANSLATED} as translated`;

/** Counts paid messages from the business to a person since `hourAgo`, for accounts that limit them. */
export const paidSince = (businessId: string, recipientId: string, hourAgo: string): string => `
        select count(*) from messages m join sends s on s.business_id = m.business_id and s.message_id = m.id
        where m.business_id = ${businessId} and m.recipient_id = ${recipientId}
          and s.channel <> 'email' and s.submitted_at > ${hourAgo}`;

/** A row of the JSON recordset that `readFacts` takes. */
export interface HashesOfBusiness {
  business_id: string;
  email_hashes: string[];
  number_hashes: string[];
  /** Recipients whose paid messages of the last hour are counted, if the account limits them. */
  paid_recipients: string[];
}

/** Reads all facts about the recipients and businesses of a group of sends in one round trip. */
export const readFacts = statementOfBusinesses<
  [businesses: string, businessIds: string[], now: Date, hourAgo: Date],
  FactsRow & {
    messaged: { business_id: string; number_hash: string }[] | null;
    paid: { business_id: string; recipient_id: string; count: number }[] | null;
    provider_senders:
      | { business_id: string; channel: PaidChannel; provider: string; address: string }[]
      | null;
  }
>(
  ['rows', 'businesses', 'same', 'same'],
  `
  with people as materialized (
    select * from jsonb_to_recordset($1::jsonb)
      as p (business_id text, email_hashes bytea[], number_hashes bytea[], paid_recipients text[])
  ), number as materialized (
    select p.business_id, n.number_hash from people p cross join lateral unnest(p.number_hashes) n (number_hash)
  )
  select ${ADDRESS_FACTS}, ${numberFacts('$3')}, ${senderFacts('$2', 'with keys')},
    (select json_agg(m) from (
      select m.business_id, encode(m.number_hash, 'hex') as number_hash from number n cross join lateral (
        select * from messaged_numbers
        where business_id = n.business_id and channel = 'whatsapp' and number_hash = n.number_hash
          and submitted_at is not null offset 0) m) m) as messaged,
    (select json_agg(c) from (
      select p.business_id, r.recipient_id, (${paidSince('p.business_id', 'r.recipient_id', '$4')})::int as count
      from people p join businesses b on b.id = p.business_id and b.paid_per_recipient_hour is not null
      cross join lateral unnest(p.paid_recipients) r (recipient_id)) c) as paid,
    (select json_agg(b) from (
      select business_id, channel, provider, address from provider_senders
      where business_id = any ($2::text[])) b) as provider_senders,
    ${PLATFORM_FACTS}`,
);

import type { Queryable } from '../db/statement.ts';
import { earlier, HOUR } from '../kit/clock.ts';
import type { Hasher } from '../kit/seal.ts';
import { Known, keyOf } from './known.ts';
import {
  type LoadedBusiness,
  type LoadedRecipient,
  type LoadedRecord,
  type LoadedRow,
  loadList,
  loadPlainList,
} from './loadSql.ts';
import type { PushRequest } from './request.ts';

export interface RecordKey {
  businessId: string;
  scope: 'push' | 'batch';
  key: string;
}

export interface Asking {
  businessId: string;
  request: PushRequest;
}

export interface HeldNumber {
  businessId: string;
  number: string;
}

export interface Loaded {
  known: Known;
  /** Answers already given, by business, scope and key. */
  records: Map<string, LoadedRecord>;
}

/** Loads what the decisions of these pushes need. `heldNumbers` are the numbers their recipients hold today. */
export async function load(
  tx: Queryable,
  hash: Hasher,
  now: Date,
  keys: RecordKey[],
  asking: Asking[],
  heldNumbers: HeldNumber[],
): Promise<Loaded> {
  const emails = emailsOf(asking, hash);
  const changing = new Set(
    asking
      .filter(changesRecipient)
      .map(({ businessId, request }) => keyOf(businessId, request.recipientEmail)),
  );
  const numbers = distinct([
    ...heldNumbers.map(({ businessId, number }) => ({ businessId, text: number })),
    ...asking.flatMap(({ businessId, request }) =>
      request.phone ? [{ businessId, text: request.phone.number }] : [],
    ),
  ]);
  const numberHashes = numbers.map(({ businessId, text }) => ({
    businessId,
    text,
    hex: hash('phone', text).toString('hex'),
  }));
  const [row] = await loadList(
    tx,
    now,
    earlier(now, HOUR),
    keysJson(keys),
    businessesOf(asking),
    [...new Set(asking.filter(({ request }) => mayPay(request)).map(({ businessId }) => businessId))],
    JSON.stringify(
      emails.map(({ businessId, text, hex }) => ({
        business_id: businessId,
        email: text,
        email_hash: `\\x${hex}`,
        changes: changing.has(keyOf(businessId, text)),
      })),
    ),
    JSON.stringify(
      numberHashes.map(({ businessId, text, hex }) => ({
        business_id: businessId,
        number: text,
        number_hash: `\\x${hex}`,
      })),
    ),
    JSON.stringify(
      asking
        .filter(({ request }) => request.kind === 'updateable')
        .map(({ businessId, request }) => ({
          business_id: businessId,
          email: request.recipientEmail,
          subject: request.subject,
        })),
    ),
    JSON.stringify(
      asking.flatMap(({ businessId, request }) =>
        request.obsoletes.map((id) => ({ business_id: businessId, id })),
      ),
    ),
  );
  if (!row) throw new Error('the list could not be loaded');
  const records = recordsByKey(row.records ?? []);
  return { known: knownFrom(row, emails, numberHashes, now), records };
}

/**
 * The same for pushes that change nobody's number or consent and touch no other message, to people without a number. Who
 * turns out to have one needs the whole.
 */
export async function loadPlain(
  tx: Queryable,
  hash: Hasher,
  now: Date,
  keys: RecordKey[],
  asking: Asking[],
): Promise<Loaded & { heldNumbers: HeldNumber[] }> {
  const emails = emailsOf(asking, hash);
  const people = emails.map(({ businessId, text, hex }) => ({
    business_id: businessId,
    email: text,
    email_hash: `\\x${hex}`,
  }));
  const [row] = await loadPlainList(tx, now, keysJson(keys), businessesOf(asking), JSON.stringify(people));
  if (!row) throw new Error('the list could not be loaded');
  const known = knownFrom({ ...NOTHING_ELSE, ...row }, emails, [], now);
  const heldNumbers = (row.recipients ?? []).flatMap(({ business_id: businessId, phone: number }) =>
    number === null ? [] : [{ businessId, number }],
  );
  return { known, records: recordsByKey(row.records ?? []), heldNumbers };
}

const NOTHING_ELSE = {
  holders: null,
  stops: null,
  unreachable: null,
  messages: null,
  waiting: null,
  prices: null,
  in_review: [],
} as const satisfies Partial<LoadedRow>;

const emailsOf = (asking: readonly Asking[], hash: Hasher): Hashed[] =>
  distinct(asking.map(({ businessId, request }) => ({ businessId, text: request.recipientEmail }))).map(
    ({ businessId, text }) => ({ businessId, text, hex: hash('email', text).toString('hex') }),
  );

const keysJson = (keys: readonly RecordKey[]): string =>
  JSON.stringify(keys.map(({ businessId, scope, key }) => ({ business_id: businessId, scope, key })));

const businessesOf = (asking: readonly Asking[]): string[] => [
  ...new Set(asking.map(({ businessId }) => businessId)),
];

export const recordsByKey = (records: readonly LoadedRecord[]): Map<string, LoadedRecord> =>
  new Map(records.map((record) => [keyOf(record.business_id, record.scope, record.key), record]));

const changesRecipient = ({ request }: Asking): boolean =>
  request.phone !== null || request.whatsappOptIn !== null;

/** The account is locked only for pushes that may set credits aside (an account with a channel `on` always may). */
const mayPay = (request: PushRequest): boolean =>
  request.smsIfWhatsappFails || (request.channels ?? []).some((channel) => channel !== 'email');

interface Hashed {
  businessId: string;
  text: string;
  hex: string;
}

function knownFrom(row: LoadedRow, emails: Hashed[], numbers: Hashed[], now: Date): Known {
  const prices = new Map((row.prices ?? []).map(({ country, credits }) => [country, credits]));
  const known = new Known(prices, { inReview: new Set(row.in_review) });
  for (const business of row.businesses ?? []) known.businesses.set(business.id, businessFrom(business, now));

  const suppressions = new Map((row.suppressions ?? []).map((s) => [keyOf(s.business_id, s.email_hash), s]));
  const platform = new Set((row.platform ?? []).map(({ email_hash }) => email_hash));
  for (const { businessId, text, hex } of emails) {
    const own = suppressions.get(keyOf(businessId, hex));
    known.addresses.set(keyOf(businessId, text), {
      unsubscribed: own?.unsubscribed ?? false,
      suppressed: own?.suppressed ?? false,
      platformSuppressed: platform.has(hex),
    });
  }

  const holders = new Map((row.holders ?? []).map((h) => [keyOf(h.business_id, h.phone), h.id]));
  const stops = new Map(
    (row.stops ?? []).map((s) => [keyOf(s.business_id, s.channel, s.number_hash), s.made_by]),
  );
  const unreachable = new Set((row.unreachable ?? []).map((u) => keyOf(u.business_id, u.number_hash)));
  for (const { businessId, text, hex } of numbers) {
    known.numbers.set(keyOf(businessId, text), {
      heldBy: holders.get(keyOf(businessId, text)) ?? null,
      smsStop: stops.get(keyOf(businessId, 'sms', hex)) ?? null,
      whatsappStopped: stops.has(keyOf(businessId, 'whatsapp', hex)),
      notOnWhatsapp: unreachable.has(keyOf(businessId, hex)),
    });
  }

  for (const recipient of row.recipients ?? []) {
    known.recipients.set(keyOf(recipient.business_id, recipient.email), recipientFrom(recipient));
  }
  for (const message of row.messages ?? []) {
    known.keepMessage(message.business_id, {
      id: message.id,
      recipientId: message.recipient_id,
      recipientEmail: message.recipient_email,
      subject: message.subject,
      body: message.body,
      reference: message.reference,
      orderStatus: message.order_status,
      kind: message.kind,
      status: message.status,
      scheduledFor: dateOrNull(message.scheduled_for),
      createdAt: new Date(message.created_at),
      updatedAt: new Date(message.updated_at),
      waiting: (row.waiting ?? [])
        .filter((send) => send.message_id === message.id)
        .map(({ id, channel, state, reserved, charged, fallback_of: fallbackOf }) => ({
          id,
          channel,
          state,
          reserved,
          charged,
          fallbackOf,
        })),
    });
  }
  return known;
}

const businessFrom = (row: LoadedBusiness, now: Date) => ({
  id: row.id,
  name: row.name,
  account: {
    active: row.active,
    paused: row.paused,
    planLapsed: planLapsed(row, now),
    modes: { sms: row.sms_mode, whatsapp: row.whatsapp_mode },
    countries: row.countries,
  },
  spendable: row.spendable,
  paidPerRecipientHour: row.paid_per_recipient_hour,
});

/** `past_due` lapses by itself at the end of the paid period, whether or not anyone has noted it yet. */
const planLapsed = ({ plan, plan_period_end }: LoadedBusiness, now: Date): boolean =>
  plan === 'lapsed' || (plan === 'past_due' && plan_period_end !== null && new Date(plan_period_end) <= now);

const recipientFrom = (row: LoadedRecipient) => ({
  id: row.id,
  email: row.email,
  phone:
    row.phone !== null && row.phone_country !== null
      ? { number: row.phone, country: row.phone_country }
      : null,
  smsStatus: row.sms_status,
  smsStatusAt: dateOrNull(row.sms_status_at),
  smsStoppedBy: row.sms_stopped_by,
  smsConsentAt: dateOrNull(row.sms_consent_at),
  smsConsentSource: row.sms_consent_source,
  whatsappStatus: row.whatsapp_status,
  whatsappStatusAt: dateOrNull(row.whatsapp_status_at),
  paidLastHour: row.paid_last_hour,
});

const dateOrNull = (text: string | null): Date | null => (text === null ? null : new Date(text));

function distinct(items: { businessId: string; text: string }[]): { businessId: string; text: string }[] {
  return [...new Map(items.map((item) => [keyOf(item.businessId, item.text), item])).values()];
}

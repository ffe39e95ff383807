import type { Settings } from '../businesses/settings.ts';
import { readSettings } from '../businesses/sql.ts';
import type { Channel } from '../contract/channels.ts';
import type { Queryable } from '../db/statement.ts';
import { earlier, HOUR } from '../kit/clock.ts';
import { groupBy } from '../kit/groupBy.ts';
import type { Hasher } from '../kit/seal.ts';
import {
  type AddressFacts,
  accountFacts,
  type NumberMarks,
  personFacts,
  priceIn,
  UNMARKED_ADDRESS,
  UNMARKED_NUMBER,
} from '../nudges/facts.ts';
import { waitsUntil } from '../nudges/quietHours.ts';
import { chooseTemplate, type TemplateReviews } from '../templates/choice.ts';
import { type FactsRow, type HashesOfBusiness, readFacts } from './factsSql.ts';
import type { LockedSend } from './lockSql.ts';
import type { Send } from './send.ts';

/** What is read of a send to find the facts about it: a draft has no more than that. */
type FactsSubject = Omit<LockedSend, keyof Send> &
  Pick<LockedSend, 'business_id' | 'recipient_id' | 'channel'>;

/** Current facts about the recipients and businesses of locked sends. */
export type Facts = Awaited<ReturnType<typeof loadFacts>>;

/** Call it after all locks are taken: facts read earlier could change before the commit. */
export async function loadFacts(tx: Queryable, hash: Hasher, sends: readonly FactsSubject[], now: Date) {
  const emailHash = hashOnce((email) => hash.hex('email', email));
  const numberHash = hashOnce((number) => hash.hex('phone', number));
  const businesses = hashesOf(sends, emailHash, numberHash);
  const businessIds = businesses.map(({ business_id }) => business_id);
  const [settings, [row]] = await Promise.all([
    readSettings(tx, businessIds),
    readFacts(tx, JSON.stringify(businesses), businessIds, now, earlier(now, HOUR)),
  ]);
  if (!row) throw new Error('the facts about a group of sends could not be read');
  const settingsById = new Map(settings.map((one) => [one.id, one]));
  const recorded = new RecordedFacts(row);
  const messaged = new Set((row.messaged ?? []).map((m) => keyOf(m.business_id, m.number_hash)));
  const providerSenders = groupBy(row.provider_senders ?? [], (s) => keyOf(s.business_id, s.channel));
  const paid = new Map((row.paid ?? []).map((p) => [keyOf(p.business_id, p.recipient_id), p.count]));

  const settingsOf = ({ business_id }: FactsSubject): Settings => {
    const found = settingsById.get(business_id);
    if (!found) throw new Error(`the business ${business_id} is gone`);
    return found;
  };
  return {
    settings: settingsOf,
    account: (send: FactsSubject) =>
      accountFacts(settingsOf(send), recorded.sender(send.business_id, 'email') !== null, now),
    person: (send: FactsSubject) =>
      personFacts(
        {
          unsubscribed: send.unsubscribed_at !== null,
          country: send.phone_country,
          smsStatus: send.sms_status,
          whatsappStatus: send.whatsapp_status,
        },
        recorded.address(send.business_id, emailHash(send.email)),
        send.phone === null ? null : recorded.number(send.business_id, numberHash(send.phone)),
      ),
    template: (send: FactsSubject) => templateFor(send, settingsOf(send), recorded.reviews),
    /** Until when quiet hours hold the send back; null: they do not. An email never waits, nor does the answer to a reply. */
    quietUntil: (send: FactsSubject): Date | null => {
      const { channel, message_status, phone_country: country, order_status: orderStatus } = send;
      if (channel === 'email' || message_status === null) return null;
      return waitsUntil(settingsOf(send), { country, orderStatus }, now);
    },
    /** The business's own sender on that channel; null: the shared one. */
    sender: (send: FactsSubject) => recorded.sender(send.business_id, send.channel),
    /** Its own senders there with single providers, by their names. */
    providerSenders: ({ business_id, channel }: FactsSubject): Record<string, string> =>
      Object.fromEntries(
        (providerSenders.get(keyOf(business_id, channel)) ?? []).map((s) => [s.provider, s.address]),
      ),
    /** Paid messages from the business to this person in the last hour. */
    paidLastHour: (send: FactsSubject) => paid.get(keyOf(send.business_id, send.recipient_id)) ?? 0,
    /** Whether the business has submitted a WhatsApp message to the person's current number. */
    messagedOnWhatsapp: (send: FactsSubject) =>
      send.phone !== null && messaged.has(keyOf(send.business_id, numberHash(send.phone))),
    /** What a paid message to this person's number costs now. */
    price: ({ phone_country }: FactsSubject) => priceIn(phone_country, recorded.prices),
  };
}

function templateFor(send: FactsSubject, { name, language: ofBusiness }: Settings, reviews: TemplateReviews) {
  const { reference, order_status: orderStatus, language } = send;
  return chooseTemplate({ businessName: name, reference, orderStatus, language, ofBusiness }, reviews);
}

type HexHash = (text: string) => string;

function hashesOf(sends: readonly FactsSubject[], emailHash: HexHash, numberHash: HexHash) {
  const bytes = (hex: string): string => `\\x${hex}`;
  return Array.from(
    groupBy(sends, ({ business_id }) => business_id),
    ([business_id, group]): HashesOfBusiness => {
      const paid = group.filter(({ channel }) => channel !== 'email');
      return {
        business_id,
        email_hashes: distinct(group.map(({ email }) => bytes(emailHash(email)))),
        number_hashes: distinct(
          paid.flatMap(({ phone }) => (phone === null ? [] : [bytes(numberHash(phone))])),
        ),
        paid_recipients: distinct(paid.map(({ recipient_id }) => recipient_id)),
      };
    },
  );
}

/** A business's own sender. `key`: what its mails are signed with, sealed; null: the mail server or the provider does it. */
export interface OwnSender {
  address: string;
  key: { selector: string; sealedKey: string } | null;
}

/** The loaded rows as lookups. Addresses and numbers are looked up by their keyed hash, in hexadecimal. */
export class RecordedFacts {
  readonly prices: ReadonlyMap<string, number>;
  readonly reviews: TemplateReviews;
  readonly #suppressions: ReadonlyMap<string, { unsubscribed: boolean; suppressed: boolean }>;
  readonly #platform: ReadonlySet<string>;
  readonly #numbers = new Map<string, NumberMarks>();
  readonly #senders: ReadonlyMap<string, OwnSender>;

  constructor(row: FactsRow) {
    this.prices = new Map((row.prices ?? []).map(({ country, credits }) => [country, credits]));
    this.reviews = { inReview: new Set(row.in_review), translated: new Set(row.translated) };
    this.#suppressions = new Map(
      (row.suppressions ?? []).map((s) => [keyOf(s.business_id, s.email_hash), s]),
    );
    this.#platform = new Set((row.platform ?? []).map(({ email_hash }) => email_hash));
    this.#senders = new Map(
      (row.senders ?? []).map(({ business_id, channel, address, selector, sealed_key: sealedKey }) => {
        const key = selector && sealedKey ? { selector, sealedKey } : null;
        return [keyOf(business_id, channel), { address, key }];
      }),
    );
    for (const { business_id, number_hash, channel, made_by } of row.stops ?? [])
      this.#mark(
        keyOf(business_id, number_hash),
        channel === 'sms' ? { smsStop: made_by } : { whatsappStopped: true },
      );
    for (const { business_id, number_hash } of row.unreachable ?? [])
      this.#mark(keyOf(business_id, number_hash), { notOnWhatsapp: true });
  }

  address(businessId: string, emailHash: string): AddressFacts {
    const own = this.#suppressions.get(keyOf(businessId, emailHash));
    const platformSuppressed = this.#platform.has(emailHash);
    if (!own && !platformSuppressed) return UNMARKED_ADDRESS;
    return {
      unsubscribed: own?.unsubscribed ?? false,
      suppressed: own?.suppressed ?? false,
      platformSuppressed,
    };
  }

  number(businessId: string, numberHash: string): NumberMarks {
    return this.#numbers.get(keyOf(businessId, numberHash)) ?? UNMARKED_NUMBER;
  }

  /** The business's own sender on a channel; null: the shared one. */
  sender(businessId: string, channel: Channel): OwnSender | null {
    return this.#senders.get(keyOf(businessId, channel)) ?? null;
  }

  #mark(key: string, mark: Partial<NumberMarks>): void {
    this.#numbers.set(key, { ...(this.#numbers.get(key) ?? UNMARKED_NUMBER), ...mark });
  }
}

/** Ids and hexadecimal contain no space, so keys are unambiguous. */
const keyOf = (...parts: string[]): string => parts.join(' ');

const distinct = <T>(items: readonly T[]): T[] => [...new Set(items)];

function hashOnce(hash: HexHash): HexHash {
  const hashes = new Map<string, string>();
  return (text) => {
    const cached = hashes.get(text);
    if (cached !== undefined) return cached;
    const hex = hash(text);
    hashes.set(text, hex);
    return hex;
  };
}

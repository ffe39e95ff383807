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
import type { AccountFacts, PersonFacts } from '../nudges/gates.ts';
import { chooseTemplate, type TemplateReviews } from '../templates/choice.ts';
import { type FactsRow, type HashesOfBusiness, readFacts } from './factsSql.ts';
import type { LockedSend } from './lockSql.ts';

/** Current facts about the recipients and businesses of locked sends. */
export interface Facts {
  settings(send: LockedSend): Settings;
  account(send: LockedSend): AccountFacts;
  person(send: LockedSend): PersonFacts;
  template(send: LockedSend): ReturnType<typeof chooseTemplate>;
  /** The business's own sender on that channel; null: the shared one. */
  sender(send: LockedSend): string | null;
  /** Paid messages from the business to this person in the last hour. */
  paidLastHour(send: LockedSend): number;
  /** Whether the business has submitted a WhatsApp message to the person's current number. */
  messagedOnWhatsapp(send: LockedSend): boolean;
  /** What a paid message to this person's number costs now. */
  price(send: LockedSend): number;
}

/** Call it after all locks are taken: facts read earlier could change before the commit. */
export async function loadFacts(
  tx: Queryable,
  hash: Hasher,
  sends: readonly LockedSend[],
  now: Date,
): Promise<Facts> {
  const emailHash = hashOnce((email) => hash.hex('email', email));
  const numberHash = hashOnce((number) => hash.hex('phone', number));
  const bytes = (hex: string): string => `\\x${hex}`;
  const businesses = Array.from(
    groupBy(sends, ({ business_id }) => business_id),
    ([business_id, its]): HashesOfBusiness => {
      const paid = its.filter(({ channel }) => channel !== 'email');
      return {
        business_id,
        email_hashes: distinct(its.map(({ email }) => bytes(emailHash(email)))),
        number_hashes: distinct(
          paid.flatMap(({ phone }) => (phone === null ? [] : [bytes(numberHash(phone))])),
        ),
        paid_recipients: distinct(paid.map(({ recipient_id }) => recipient_id)),
      };
    },
  );
  const businessIds = businesses.map(({ business_id }) => business_id);
  const [settings, [row]] = await Promise.all([
    readSettings(tx, businessIds),
    readFacts(tx, JSON.stringify(businesses), businessIds, now, earlier(now, HOUR)),
  ]);
  if (!row) throw new Error('the facts about a group of sends could not be read');
  const settingsById = new Map(settings.map((one) => [one.id, one]));
  const recorded = new RecordedFacts(row);
  const messaged = new Set((row.messaged ?? []).map((m) => keyOf(m.business_id, m.number_hash)));
  const paid = new Map((row.paid ?? []).map((p) => [keyOf(p.business_id, p.recipient_id), p.count]));

  const settingsOf = (send: LockedSend): Settings => {
    const found = settingsById.get(send.business_id);
    if (!found) throw new Error(`the business ${send.business_id} is gone`);
    return found;
  };
  return {
    settings: settingsOf,
    account: (send) =>
      accountFacts(settingsOf(send), recorded.sender(send.business_id, 'email') !== null, now),
    person: (send) =>
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
    template: (send) =>
      chooseTemplate(
        {
          businessName: settingsOf(send).name,
          reference: send.reference,
          orderStatus: send.order_status,
          language: send.language,
          ofBusiness: settingsOf(send).language,
        },
        recorded.reviews,
      ),
    sender: (send) => recorded.sender(send.business_id, send.channel),
    paidLastHour: (send) => paid.get(keyOf(send.business_id, send.recipient_id)) ?? 0,
    messagedOnWhatsapp: (send) =>
      send.phone !== null && messaged.has(keyOf(send.business_id, numberHash(send.phone))),
    price: ({ phone_country }) => priceIn(phone_country, recorded.prices),
  };
}

/** The loaded rows as lookups. Addresses and numbers are looked up by their keyed hash, in hexadecimal. */
export class RecordedFacts {
  readonly prices: ReadonlyMap<string, number>;
  readonly reviews: TemplateReviews;
  readonly #suppressions: ReadonlyMap<string, { unsubscribed: boolean; suppressed: boolean }>;
  readonly #platform: ReadonlySet<string>;
  readonly #numbers = new Map<string, NumberMarks>();
  readonly #senders: ReadonlyMap<string, string>;

  constructor(row: FactsRow) {
    this.prices = new Map((row.prices ?? []).map(({ country, credits }) => [country, credits]));
    this.reviews = { inReview: new Set(row.in_review), translated: new Set(row.translated) };
    this.#suppressions = new Map(
      (row.suppressions ?? []).map((s) => [keyOf(s.business_id, s.email_hash), s]),
    );
    this.#platform = new Set((row.platform ?? []).map(({ email_hash }) => email_hash));
    this.#senders = new Map((row.senders ?? []).map((s) => [keyOf(s.business_id, s.channel), s.address]));
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
  sender(businessId: string, channel: Channel): string | null {
    return this.#senders.get(keyOf(businessId, channel)) ?? null;
  }

  #mark(key: string, mark: Partial<NumberMarks>): void {
    this.#numbers.set(key, { ...(this.#numbers.get(key) ?? UNMARKED_NUMBER), ...mark });
  }
}

/** Ids and hexadecimal contain no space, so keys are unambiguous. */
const keyOf = (...parts: string[]): string => parts.join(' ');

const distinct = <T>(items: readonly T[]): T[] => [...new Set(items)];

function hashOnce(hash: (text: string) => string): (text: string) => string {
  const hashes = new Map<string, string>();
  return (text) => {
    const cached = hashes.get(text);
    if (cached !== undefined) return cached;
    const hex = hash(text);
    hashes.set(text, hex);
    return hex;
  };
}

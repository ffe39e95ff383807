import type { Channel } from '../businesses/channels.ts';
import { effectivePlan, type Settings } from '../businesses/settings.ts';
import { readSettings } from '../businesses/sql.ts';
import { DEFAULT_PRICE } from '../config/limits.ts';
import type { Queryable } from '../db/statement.ts';
import { earlier, HOUR } from '../kit/clock.ts';
import type { Hasher } from '../kit/seal.ts';
import type { AccountFacts, PersonFacts, TemplateState } from '../nudges/gates.ts';
import { knownStatus } from '../nudges/orderStatus.ts';
import { whatsappTemplate } from '../nudges/whatsappTemplate.ts';
import { type Locked, type MarksRow, readMarks } from './lockSql.ts';

/** What holds at this moment for the people and businesses of some locked sends. */
export interface Facts {
  settings(send: Locked): Settings;
  account(send: Locked): AccountFacts;
  person(send: Locked): PersonFacts;
  template(send: Locked): TemplateState;
  /** The business's own sender on that channel; null: the shared one. */
  sender(send: Locked): string | null;
  /** Paid messages that this person got from the business in the last hour. */
  paidLastHour(send: Locked): number;
  /** Whether the business has submitted a WhatsApp message to the number this person has now. */
  messagedOnWhatsapp(send: Locked): boolean;
  /** What a paid message to this person's number costs now. */
  price(send: Locked): number;
}

const join = (...parts: string[]): string => parts.join(' ');

/** Read after every lock was taken, so that it is what holds, not what held. */
export async function loadFacts(
  tx: Queryable,
  hash: Hasher,
  sends: readonly Locked[],
  now: Date,
): Promise<Facts> {
  const businessIds = [...new Set(sends.map(({ business_id }) => business_id))];
  const emailHash = hashOnce((email) => hash.hex('email', email));
  const numberHash = hashOnce((number) => hash.hex('phone', number));
  const people = sends.map((send) => ({
    business_id: send.business_id,
    recipient_id: send.recipient_id,
    email_hash: `\\x${emailHash(send.email)}`,
    number_hash: send.channel === 'email' || send.phone === null ? null : `\\x${numberHash(send.phone)}`,
    paid: send.channel !== 'email',
  }));
  const [rows, [marks]] = await Promise.all([
    readSettings(tx, businessIds),
    readMarks(tx, JSON.stringify(people), businessIds, now, earlier(now, HOUR)),
  ]);
  const settings = new Map(rows.map((row) => [row.id, row]));
  if (!marks) throw new Error('the facts about a list could not be read');
  return factsFrom(marks, settings, emailHash, numberHash, now);
}

function factsFrom(
  marks: MarksRow,
  settingsById: ReadonlyMap<string, Settings>,
  emailHash: (email: string) => string,
  numberHash: (number: string) => string,
  now: Date,
): Facts {
  const suppressions = new Map((marks.suppressions ?? []).map((s) => [join(s.business_id, s.email_hash), s]));
  const platform = new Set(marks.platform);
  const stops = new Set((marks.stops ?? []).map((s) => join(s.business_id, s.channel, s.number_hash)));
  const unreachable = new Set((marks.unreachable ?? []).map((u) => join(u.business_id, u.number_hash)));
  const messaged = new Set((marks.messaged ?? []).map((m) => join(m.business_id, m.number_hash)));
  const senders = new Map((marks.senders ?? []).map((s) => [join(s.business_id, s.channel), s.address]));
  const paid = new Map((marks.paid ?? []).map((p) => [join(p.business_id, p.recipient_id), p.count]));
  const prices = new Map((marks.prices ?? []).map(({ country, credits }) => [country, credits]));
  const inReview = new Set(marks.in_review);

  const settings = (send: Locked): Settings => {
    const found = settingsById.get(send.business_id);
    if (!found) throw new Error(`the business ${send.business_id} is gone`);
    return found;
  };
  const ownSender = (businessId: string, channel: Channel): string | null =>
    senders.get(join(businessId, channel)) ?? null;

  return {
    settings,
    account: (send) => ({
      ...accountFacts(settings(send), now),
      ownEmailSender: ownSender(send.business_id, 'email') !== null,
    }),
    person(send) {
      const own = suppressions.get(join(send.business_id, emailHash(send.email)));
      const stoppedNumber = (channel: Channel): boolean =>
        send.phone !== null && stops.has(join(send.business_id, channel, numberHash(send.phone)));
      return {
        unsubscribed: send.unsubscribed_at !== null || (own?.unsubscribed ?? false),
        suppressed: own?.suppressed ?? false,
        platformSuppressed: platform.has(emailHash(send.email)),
        country: send.phone_country,
        stopped: {
          sms: send.sms_status === 'stopped' || stoppedNumber('sms'),
          whatsapp: send.whatsapp_status === 'stopped' || stoppedNumber('whatsapp'),
        },
        whatsappOptedIn: send.whatsapp_status === 'active',
        notOnWhatsapp: send.phone !== null && unreachable.has(join(send.business_id, numberHash(send.phone))),
      };
    },
    template(send) {
      const { name } = settings(send);
      const { reference, order_status: orderStatus } = send;
      if (whatsappTemplate({ businessName: name, reference, orderStatus, link: '' }) === null)
        return 'impossible';
      const status = knownStatus(orderStatus);
      return status !== null && inReview.has(status) ? 'in_review' : 'sendable';
    },
    sender: (send) => ownSender(send.business_id, send.channel),
    paidLastHour: (send) => paid.get(join(send.business_id, send.recipient_id)) ?? 0,
    messagedOnWhatsapp: (send) =>
      send.phone !== null && messaged.has(join(send.business_id, numberHash(send.phone))),
    price: ({ phone_country }) =>
      phone_country === null ? DEFAULT_PRICE : (prices.get(phone_country) ?? DEFAULT_PRICE),
  };
}

const accountFacts = (settings: Settings, now: Date): Omit<AccountFacts, 'ownEmailSender'> => ({
  active: settings.active,
  paused: settings.paused,
  planLapsed: effectivePlan(settings, now) === 'lapsed',
  modes: { sms: settings.smsMode, whatsapp: settings.whatsappMode },
  countries: settings.countries,
});

function hashOnce(hash: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const hex = hash(text);
    known.set(text, hex);
    return hex;
  };
}

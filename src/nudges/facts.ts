import { effectivePlan, type Settings } from '../businesses/settings.ts';
import { DEFAULT_PRICE } from '../config/limits.ts';
import type { ConsentStatus, NumberFacts } from '../recipients/recipient.ts';
import type { AccountFacts, PersonFacts } from './gates.ts';

/*
 * Turns stored rows into the facts that gates read. Pushes, due sends and resends all use these functions, so that they
 * cannot judge the same person differently.
 */

/** Facts about an address. They do not depend on a recipient, because they outlive an erasure. */
export type AddressFacts = Pick<PersonFacts, 'unsubscribed' | 'suppressed' | 'platformSuppressed'>;

export const UNMARKED_ADDRESS: AddressFacts = {
  unsubscribed: false,
  suppressed: false,
  platformSuppressed: false,
};

/** Facts about a number within a business, independent of its holder. */
export type NumberMarks = Omit<NumberFacts, 'heldBy'>;

export const UNMARKED_NUMBER: NumberMarks = { smsStop: null, whatsappStopped: false, notOnWhatsapp: false };

export function accountFacts(
  settings: Pick<
    Settings,
    'active' | 'paused' | 'plan' | 'periodEnd' | 'smsMode' | 'whatsappMode' | 'countries'
  >,
  ownEmailSender: boolean,
  now: Date,
): AccountFacts {
  return {
    active: settings.active,
    paused: settings.paused,
    planLapsed: effectivePlan(settings, now) === 'lapsed',
    modes: { sms: settings.smsMode, whatsapp: settings.whatsappMode },
    countries: settings.countries,
    ownEmailSender,
  };
}

/** `number` are the facts about the person's number; null: the person has none. */
export function personFacts(
  person: {
    unsubscribed: boolean;
    country: string | null;
    smsStatus: ConsentStatus;
    whatsappStatus: ConsentStatus;
  },
  address: AddressFacts,
  number: NumberMarks | null,
): PersonFacts {
  const marks = number ?? UNMARKED_NUMBER;
  return {
    ...address,
    unsubscribed: person.unsubscribed || address.unsubscribed,
    country: person.country,
    stopped: {
      sms: person.smsStatus === 'stopped' || marks.smsStop !== null,
      whatsapp: person.whatsappStatus === 'stopped' || marks.whatsappStopped,
    },
    whatsappOptedIn: person.whatsappStatus === 'active',
    notOnWhatsapp: marks.notOnWhatsapp,
  };
}

/** The credits for a paid message to a number in this country. */
export const priceIn = (country: string | null, prices: ReadonlyMap<string, number>): number =>
  country === null ? DEFAULT_PRICE : (prices.get(country) ?? DEFAULT_PRICE);

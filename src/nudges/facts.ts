import { effectivePlan, type Settings } from '../businesses/settings.ts';
import { DEFAULT_PRICE } from '../config/limits.ts';
import type { ConsentStatus, NumberFacts } from '../recipients/recipient.ts';
import type { AccountFacts, PersonFacts, TemplateState } from './gates.ts';
import { knownStatus } from './orderStatus.ts';
import { whatsappTemplate } from './whatsappTemplate.ts';

/*
 * From stored rows to the facts that gates judge. A push, a send whose time has come and a resend all come through here, so
 * that they cannot judge the same person differently.
 */

/** What is on record about an address, whether or not it is a recipient: a person may be erased and come back. */
export interface AddressFacts {
  unsubscribed: boolean;
  suppressed: boolean;
  platformSuppressed: boolean;
}

export const UNMARKED_ADDRESS: AddressFacts = {
  unsubscribed: false,
  suppressed: false,
  platformSuppressed: false,
};

/** What is on record about a number within a business, whoever holds it. */
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

/** `number` is what is on record about the number that the person holds, null when they hold none. */
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

/** Whether the service's template for this order can be filled in, and has passed its review. */
export function templateState(
  message: { businessName: string; reference: string | null; orderStatus: string | null },
  inReview: ReadonlySet<string>,
): TemplateState {
  if (whatsappTemplate({ ...message, link: '' }) === null) return 'impossible';
  const status = knownStatus(message.orderStatus);
  return status !== null && inReview.has(status) ? 'in_review' : 'sendable';
}

/** What a paid message to a number of this country costs. */
export const priceIn = (country: string | null, prices: ReadonlyMap<string, number>): number =>
  country === null ? DEFAULT_PRICE : (prices.get(country) ?? DEFAULT_PRICE);

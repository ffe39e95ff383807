import type { AccountFacts } from '../../src/nudges/gates.ts';
import type { PushRequest } from '../../src/push/request.ts';
import { type BusinessState, keyOf, PushSnapshot, type RecipientState } from '../../src/push/snapshot.ts';
import { newRecipient } from '../../src/recipients/recipient.ts';
import { PHONE_NUMBER } from './phoneNumber.ts';

/** Plain facts for the pure rules: an account that may do everything, a person who agreed to everything. */
export const NOW = new Date('2026-08-20T09:15:00.000Z');
export const BUSINESS = 'business';
export const EMAIL = 'ann@example.com';
export const NUMBER = { number: PHONE_NUMBER, country: 'EE' };

export const account = (change: Partial<AccountFacts> = {}): AccountFacts => ({
  active: true,
  paused: false,
  planLapsed: false,
  modes: { sms: 'on_request', whatsapp: 'on_request' },
  ownEmailSender: false,
  countries: null,
  ...change,
});

export const businessState = (change: Partial<BusinessState> = {}): BusinessState => ({
  id: BUSINESS,
  name: 'Acme Books',
  account: account(),
  spendable: 10,
  paidPerRecipientHour: null,
  quietHours: null,
  quietHoursExcept: [],
  language: 'en',
  ...change,
});

export const recipientState = (change: Partial<RecipientState> = {}): RecipientState => ({
  ...newRecipient('ann', EMAIL),
  phone: NUMBER,
  smsStatus: 'active',
  smsStatusAt: NOW,
  smsConsentAt: NOW,
  smsConsentSource: 'push',
  whatsappStatus: 'active',
  whatsappStatusAt: NOW,
  unsubscribed: false,
  paidLastHour: 0,
  ...change,
});

export const request = (change: Partial<PushRequest> = {}): PushRequest => ({
  recipientEmail: EMAIL,
  subject: 'Your order',
  body: 'It has shipped.',
  phone: null,
  channels: null,
  whatsappOptIn: null,
  smsIfWhatsappFails: false,
  reference: '#1001',
  orderStatus: 'shipped',
  kind: 'one_off',
  notify: null,
  sendAt: null,
  escalateMinutes: null,
  obsoletes: [],
  shipment: null,
  milestone: null,
  language: null,
  ...change,
});

export interface PushStateOptions {
  business?: Partial<BusinessState>;
  account?: Partial<AccountFacts>;
  recipient?: Partial<RecipientState> | null;
  number?: Partial<ReturnType<PushSnapshot['number']>>;
  address?: Partial<ReturnType<PushSnapshot['address']>>;
  inReview?: readonly string[];
  /** Approved translations of templates. */
  translated?: readonly string[];
  prices?: [string, number][];
}

/** What is known when a push is decided. `recipient: null`: the address was never messaged. */
export function pushState(given: PushStateOptions = {}): { snapshot: PushSnapshot; business: BusinessState } {
  const snapshot = new PushSnapshot(new Map(given.prices ?? []), {
    inReview: new Set(given.inReview ?? []),
    translated: new Set(given.translated ?? []),
  });
  const shop = businessState({ ...given.business, account: account(given.account) });
  snapshot.businesses.set(BUSINESS, shop);
  if (given.recipient !== null) {
    const person = recipientState(given.recipient ?? {});
    snapshot.keepRecipient(BUSINESS, person);
  }
  if (given.number) {
    snapshot.numbers.set(keyOf(BUSINESS, NUMBER.number), {
      ...snapshot.number(BUSINESS, NUMBER.number),
      ...given.number,
    });
  }
  if (given.address)
    snapshot.addresses.set(keyOf(BUSINESS, EMAIL), {
      ...snapshot.address(BUSINESS, EMAIL),
      ...given.address,
    });
  return { snapshot, business: shop };
}

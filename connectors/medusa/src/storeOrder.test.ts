import { describe, expect, test } from 'vitest';
import { languageTag, type StoreOrder, storeOrderFrom } from './storeOrder.ts';
import { orderRecord } from './testStore.ts';

const read = (change: Record<string, unknown> = {}): StoreOrder | null =>
  storeOrderFrom(orderRecord(change), 'texts');

test('an order of Medusa is read with what Waypost needs of it', () => {
  expect(read()).toEqual({
    id: 'order_01',
    number: '#1001',
    email: 'mari@example.com',
    phone: { text: '5555 0134', country: 'EE' },
    permitsTexts: false,
    firstName: 'Mari',
    language: null,
    isQuiet: false,
    items: [{ name: 'Scarf', quantity: 2 }],
    fulfilments: [
      {
        id: 'ful_01',
        providerId: 'manual_manual',
        labels: [{ trackingNumber: 'CC123456789EE', trackingUrl: '#' }],
      },
    ],
    captured: 45,
    refunded: 0,
  });
});

test('what is no order is none', () => {
  for (const record of [undefined, null, 'order', [], {}, { id: 'order_01' }])
    expect(storeOrderFrom(record, null)).toBeNull();
});

test.each([
  ['the shop’s own number', { custom_display_id: 'EE-1001' }, 'EE-1001'],
  ['one that cannot be a reference', { custom_display_id: 'nr 1001 (web)' }, '#1001'],
  ['none of its own', { custom_display_id: null }, '#1001'],
])('the order’s number: %s', (_, change, number) => {
  expect(read(change)?.number).toBe(number);
});

test.each([
  [{ texts: 'yes' }, true],
  [{ texts: 'Yes ' }, true],
  [{ texts: true }, true],
  [{ texts: 1 }, true],
  [{ texts: '1' }, true],
  [{ texts: 'no' }, false],
  [{ texts: false }, false],
  [{ texts: '' }, false],
  [{ marketing: 'yes' }, false],
  [null, false],
])('the metadata %j permits texts: %s', (metadata, permits) => {
  expect(read({ metadata })?.permitsTexts).toBe(permits);
});

describe('the customer', () => {
  test('is greeted by the name of the address, else of the account', () => {
    const customer = { first_name: 'Account' };
    expect(read({ customer })?.firstName).toBe('Mari');
    expect(read({ customer, shipping_address: { first_name: ' ' } })?.firstName).toBe('Account');
    expect(read({ customer: null, shipping_address: null })?.firstName).toBe('');
  });

  test('is called at the number of the address, with its country', () => {
    const customer = { phone: '+358401234567' };
    const billing_address = { phone: '0401234567', country_code: 'fi' };
    const shipping_address = { country_code: 'ee' };
    expect(read({ shipping_address, billing_address, customer })?.phone).toEqual({
      text: '0401234567',
      country: 'FI',
    });
    expect(read({ shipping_address, customer })?.phone).toEqual({ text: '+358401234567', country: 'EE' });
    expect(read({ shipping_address })?.phone).toBeNull();
  });
});

test('an item counts as often as it was bought, and not if it was taken out', () => {
  const items = [
    { product_title: 'Hat', detail: { quantity: 3 } },
    { title: 'Voucher', quantity: 1 },
    { product_title: 'Glove', quantity: 0 },
    { quantity: 1 },
  ];
  expect(read({ items })?.items).toEqual([
    { name: 'Hat', quantity: 3 },
    { name: 'Voucher', quantity: 1 },
  ]);
});

test('amounts are added up over all payments, in any of the forms that Medusa gives them', () => {
  const bigNumber = { valueOf: () => 10.1 };
  const payments = [
    { captures: [{ amount: 20 }, { amount: '5.50' }], refunds: [{ amount: 5 }] },
    { captures: [{ amount: bigNumber }], refunds: [{ amount: null }] },
  ];
  const order = read({ payment_collections: [{ payments }, { payments: null }] });
  expect(order?.captured).toBeCloseTo(35.6);
  expect(order?.refunded).toBe(5);
});

test.each([
  ['et', 'et'],
  ['et-EE', 'et-EE'],
  ['pt_BR', 'pt-BR'],
  ['', null],
  [null, null],
  ['english please', null],
  ['x'.repeat(70), null],
])('the locale %s is the language %s', (locale, tag) => {
  expect(languageTag(locale)).toBe(tag);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { orderFacts, shipmentFacts } from '../../test/support/storeOrders.ts';
import { LANGUAGE_TAG } from '../contract/schema.ts';
import { inJson } from './knownOrder.ts';
import { orderPushRequest, pushableOrder } from './storePush.ts';

const { order } = orderFacts({});
const known = order && inJson(order);
const parcelsOf = (...numbers: string[]) =>
  numbers.flatMap((number) => shipmentFacts(number, number).parcels);

describe('the parcel that a message names', () => {
  test.each([
    ['its own', ['A1'], false, 'A1'],
    ['none of several, so that it shows all', ['A1', 'B2'], false, undefined],
    ['the first of several, where an earlier message names another', ['A1', 'B2'], true, 'A1'],
    ['none without a number', [], true, undefined],
  ] as const)('%s', (_, numbers, isAnother, named) => {
    const pushable = known && pushableOrder(known, { phone: 'never' });
    if (!pushable) throw new Error('the order has an address');
    const message = { status: 'shipped' as const, order: pushable, parcels: parcelsOf(...numbers) };
    const text = { subject: 'On its way', body: 'Hello' };
    const request = orderPushRequest(message, { text, isAnother }, { channels: {}, escalateMinutes: null });
    expect(request.shipment?.trackingNumber).toBe(named);
  });
});

test.each([
  ['#1001', '#1001'],
  [' WB 7/2026 ', 'WB-7/2026'],
  ['注文7', '-7'],
])('an order %j is known by the reference %j', (number, reference) => {
  expect(known && pushableOrder({ ...known, number }, { phone: 'never' })?.reference).toBe(reference);
});

test.each([
  ['never', true, null],
  ['if_consented', false, null],
  ['if_consented', true, '+447700900123'],
] as const)(
  'the number of an order is used %s, where consent is %s, as %j',
  (phone, permitsTexts, number) => {
    const withPhone = known && { ...known, phone: { text: '07700 900123', country: 'GB' }, permitsTexts };
    expect(withPhone && (pushableOrder(withPhone, { phone })?.phone?.number ?? null)).toBe(number);
  },
);

test.each([
  ['de', 'de'],
  ['PT_BR', 'pt-BR'],
  [' zh-hant ', 'zh-Hant'],
  ['CA_ES_VALENCIA', 'ca-ES-valencia'],
  ['', null],
  ['not a language', null],
  ['en-'.repeat(20), null],
  [null, null],
])('the language %j of an order is %j', (written, tag) => {
  expect(known && pushableOrder({ ...known, language: written }, { phone: 'never' })?.language).toBe(tag);
});

test('every language that is taken is one that a push takes', () => {
  const part = fc.string({ unit: fc.constantFrom(...'aBz019-_ ix'), maxLength: 12 });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
      const language =
        known && pushableOrder({ ...known, language: parts.join('-') }, { phone: 'never' })?.language;
      if (language) expect(language).toMatch(new RegExp(LANGUAGE_TAG));
    }),
    { numRuns: 2_000 },
  );
});

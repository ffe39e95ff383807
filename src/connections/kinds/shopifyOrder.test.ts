import { describe, expect, test } from 'vitest';
import { ORDER_ID, orderBody, refundFields } from '../../../test/support/shopifyCalls.ts';
import { shopify } from './shopify.ts';

const receivedAt = new Date('2026-03-06T00:00:00Z');

function orderOf(changed: Record<string, unknown> = {}, consentField: string | null = null, headers = {}) {
  const call = { topic: 'orders/updated', headers, body: Buffer.from(orderBody(changed)), receivedAt };
  const reading = shopify.read(call, { consentField });
  if (reading.kind !== 'facts' || reading.facts.order === null) throw new Error('it says nothing');
  return { ...reading.facts.order, refunds: reading.facts.refunds };
}

test('an order says who bought what, and what is true of it', () => {
  expect(orderOf()).toEqual({
    number: '#1001',
    modifiedAt: new Date('2026-03-02T08:00:07Z'),
    createdAt: new Date('2026-03-02T08:00:05Z'),
    isTest: false,
    email: 'mari@example.com',
    phone: { text: '+372 5555 0134', country: 'EE' },
    permitsTexts: false,
    firstName: 'Mari',
    language: 'et-EE',
    url: 'https://shop.example/61/orders/0a1b/authenticate?key=c2d3',
    items: [
      { name: 'Kettle - Blue', quantity: 1 },
      { name: 'Tea', quantity: 3 },
    ],
    statuses: [{ status: 'created', at: new Date('2026-03-02T08:00:00Z') }],
    total: 4150,
    refunds: [],
  });
});

describe('what is true of an order', () => {
  const created = { status: 'created', at: new Date('2026-03-02T08:00:00Z') };
  const refunded = (at: string) => ({ status: 'refunded', at: new Date(at) });
  const cancelled = { status: 'cancelled', at: new Date('2026-03-04T08:00:00Z') };
  test.each([
    ['is paid', { financial_status: 'paid' }, [created]],
    ['can be charged', { financial_status: 'authorized' }, [created]],
    ['is paid in part', { financial_status: 'partially_paid' }, []],
    ['waits for its money', { financial_status: 'pending' }, []],
    ['has no status', { financial_status: null }, []],
    ['is refunded in part', { financial_status: 'partially_refunded' }, [created]],
    ['is refunded', { financial_status: 'refunded' }, [created, refunded('2026-03-02T08:00:07Z')]],
    [
      'was refunded long before it was last changed',
      {
        financial_status: 'refunded',
        updated_at: '2026-09-01T10:00:00Z',
        refunds: [refundFields(), refundFields({ processed_at: '2026-03-05T11:00:00Z' })],
      },
      [created, refunded('2026-03-05T11:00:00Z')],
    ],
    [
      'was cancelled and then refunded',
      {
        financial_status: 'refunded',
        cancelled_at: '2026-03-04T10:00:00+02:00',
        refunds: [refundFields()],
      },
      [created, cancelled, refunded('2026-03-05T10:00:00Z')],
    ],
    [
      'was refunded and then cancelled',
      {
        financial_status: 'refunded',
        cancelled_at: '2026-03-04T10:00:00+02:00',
        refunds: [refundFields({ processed_at: '2026-03-03T10:00:00Z' })],
      },
      [created, refunded('2026-03-03T10:00:00Z'), cancelled],
    ],
    [
      'was cancelled before it was charged',
      { financial_status: 'voided', cancelled_at: '2026-03-04T10:00:00+02:00' },
      [cancelled],
    ],
    [
      'was cancelled at a time that nobody can read',
      { financial_status: 'voided', cancelled_at: 'then' },
      [{ status: 'cancelled', at: null }],
    ],
    [
      'was never processed',
      { processed_at: null },
      [{ status: 'created', at: new Date('2026-03-02T08:00:05Z') }],
    ],
    [
      'was placed long before it was imported',
      { processed_at: '2019-01-01T00:00:00Z' },
      [{ status: 'created', at: new Date('2019-01-01T00:00:00Z') }],
    ],
  ])('that %s', (_, changed, expected) => {
    expect(orderOf(changed).statuses).toEqual(expected);
  });
});

const LONG_URL = `https://shop.example/authenticate?key=${'k'.repeat(500)}`;

describe('of an order', () => {
  test.each([
    ['the number is as the store shows it', { name: 'Nº 1001' }, { number: 'Nº 1001' }],
    ['the number is bare without a name', { name: ' ' }, { number: '1001' }],
    ['the number is the id where there is no other', { name: '', order_number: null }, { number: ORDER_ID }],
    ['the contact’s address counts without another', { email: '' }, { email: 'contact@example.com' }],
    [
      'the customer’s address counts without another',
      { email: null, contact_email: ' ' },
      { email: 'customer@example.com' },
    ],
    ['there may be no address', { email: null, contact_email: null, customer: null }, { email: null }],
    [
      'the number of the delivery counts without another',
      { phone: null },
      { phone: { text: '55550136', country: 'EE' } },
    ],
    [
      'the number of the bill counts without a delivery',
      { phone: null, shipping_address: null },
      { phone: { text: '55550135', country: 'LV' } },
    ],
    [
      'there may be no number',
      { phone: null, shipping_address: null, billing_address: null },
      { phone: null },
    ],
    ['the bill’s name counts without a customer', { customer: null }, { firstName: 'Jaan' }],
    ['a test is a test', { test: true }, { isTest: true }],
    ['a long address of its page stays whole', { order_status_url: LONG_URL }, { url: LONG_URL }],
    ['an endless address is none', { order_status_url: LONG_URL.repeat(5) }, { url: null }],
    ['a page without https is none', { order_status_url: 'http://shop.example' }, { url: null }],
    [
      'names are lines without what cannot be stored',
      { customer: { first_name: '\u0000Ma\nri\ud800' } },
      { firstName: 'Ma ri' },
    ],
    [
      'items without a name or a number are left out',
      {
        line_items: [
          { name: '', quantity: 1 },
          { name: 'Cup', quantity: 0 },
          { title: 'Tea', quantity: 2 },
          null,
        ],
      },
      { items: [{ name: 'Tea', quantity: 2 }] },
    ],
  ])('%s', (_, changed, expected) => {
    expect(orderOf(changed)).toMatchObject(expected);
  });

  test('the state is as new as the store says, or else as the call: a retry carries the old body', () => {
    const headers = { 'x-shopify-triggered-at': '2026-03-02T08:00:08.123456789Z' };
    expect(orderOf({}, null, headers).modifiedAt).toEqual(new Date('2026-03-02T08:00:07Z'));
    expect(orderOf({ updated_at: null }, null, headers).modifiedAt).toEqual(
      new Date('2026-03-02T08:00:08.123Z'),
    );
    expect(orderOf({ updated_at: null }).modifiedAt).toBeNull();
  });
});

describe('a number may be texted', () => {
  test.each([
    ['yes', true],
    ['Yes', true],
    [' 1 ', true],
    ['true', true],
    [1, true],
    [true, true],
    ['no', false],
    ['0', false],
    ['', false],
    [null, false],
    ['yes please', false],
  ])('if the attribute that the shop named says so: %j', (value, expected) => {
    const changed = {
      note_attributes: [
        { name: 'Other', value: 'no' },
        { name: 'Text me', value },
      ],
    };
    expect(orderOf(changed, 'Text me').permitsTexts).toBe(expected);
    expect(orderOf(changed, 'text me').permitsTexts).toBe(false);
    expect(orderOf(changed).permitsTexts).toBe(false);
  });

  test('and never because of a consent to marketing', () => {
    const consent = { state: 'subscribed', opt_in_level: 'confirmed_opt_in' };
    const customer = { sms_marketing_consent: consent, accepts_marketing: true };
    const changed = { note_attributes: [], customer, buyer_accepts_marketing: true };
    expect(orderOf(changed, 'sms_marketing_consent').permitsTexts).toBe(false);
  });
});

describe('what an order cost', () => {
  test.each([
    [{ total_price: '41.50' }, 4150],
    [{ total_price: '41.5' }, 4150],
    [{ total_price: '1000' }, 100000],
    [{ total_price: '0.07' }, 7],
    [{ total_price: 41.5 }, 4150],
    [{ total_price: '3.250' }, 325],
    [{ total_price: '3.255' }, null],
    [{ total_price: '0.00' }, null],
    [{ total_price: '-1.00' }, null],
    [{ total_price: 'free' }, null],
    [{ total_price: null }, null],
    [{ presentment_currency: undefined }, 4150],
    [{ presentment_currency: 'JPY' }, null],
  ])('is what its refunds can add up to: %j', (changed, expected) => {
    expect(orderOf(changed).total).toBe(expected);
  });
});

describe('a refund', () => {
  const paid = (amount: unknown, kind = 'refund', status = 'success') => ({ kind, status, amount });
  test.each([
    ['is what went back', [paid('10.25')], 1025],
    ['adds up several ways of paying', [paid('10.25'), paid('0.75')], 1100],
    ['counts only what has gone back', [paid('10.25'), paid('5', 'refund', 'pending')], 1025],
    ['counts no other payment', [paid('10.25'), paid('5', 'sale'), paid('5', 'void')], 1025],
    ['is none without money', [], null],
    ['is none before the money has gone', [paid('5', 'refund', 'failure')], null],
    ['is none without an amount', [paid('x')], null],
  ])('%s', (_, transactions, amount) => {
    const expected = amount === null ? [] : [expect.objectContaining({ amount })];
    expect(orderOf({ refunds: [refundFields({ transactions })] }).refunds).toEqual(expected);
    const call = { topic: 'refunds/create', headers: {}, receivedAt };
    const body = Buffer.from(JSON.stringify({ id: 1, order_id: 2, transactions }));
    expect(shopify.read({ ...call, body }, { consentField: null })).toMatchObject(
      amount === null
        ? { kind: 'nothing', reason: 'status_not_told' }
        : { kind: 'facts', facts: { storeOrder: '2', order: null, refunds: [{ id: '1', amount }] } },
    );
  });
});

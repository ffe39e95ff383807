import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS, STORE_STATUSES_MAX } from '../connections/settings.ts';
import { paidChannels } from '../contract/channels.ts';
import { ORDER_STATUSES } from '../contract/orderStatuses.ts';
import {
  channelPairs,
  credentialsFrom,
  shownChannels,
  shownStatuses,
  statusPairs,
} from './connectionWords.ts';

const statuses = (text: string) => statusPairs(text, '--statuses');
const channels = (text: string) => channelPairs(text, '--channels');

describe('--statuses', () => {
  test.each([
    [
      'processing=confirmed,completed=shipped,on-hold=',
      { processing: 'confirmed', completed: 'shipped', 'on-hold': null },
    ],
    [' packed = shipped ', { packed: 'shipped' }],
    ['a=b=delivered', { 'a=b': 'delivered' }],
    ['default', {}],
  ])('takes %s', (text, read) => expect(statuses(text)).toEqual(read));

  test.each([
    ['processing', /^--statuses must be pairs such as processing=confirmed/],
    ['processing=confirmed,', /^--statuses must be pairs such as/],
    ['=confirmed', /^--statuses must be pairs such as/],
    [' =confirmed', /^--statuses: a status must be one line of 1 to 60 characters/],
    [`${'x'.repeat(61)}=confirmed`, /^--statuses: a status must be one line of 1 to 60 characters/],
    ['processing=sent', /^--statuses must be .* one of confirmed, .*, but is "sent"\.$/],
    ['a=,b=,a=shipped', /^--statuses names "a" twice\.$/],
    [
      Array.from({ length: STORE_STATUSES_MAX + 1 }, (_, at) => `s${at}=`).join(','),
      /^--statuses can name at most 100 statuses\.$/,
    ],
  ])('refuses %s', (text, sentence) => expect(() => statuses(text)).toThrow(sentence));

  test('takes whatever it shows', () => {
    const word = fc.stringMatching(/^[a-z][a-z_-]{0,58}$/).filter((one) => one !== 'default');
    const status = fc.constantFrom(null, ...ORDER_STATUSES);
    fc.assert(
      fc.property(fc.dictionary(word, status, { minKeys: 1 }), (chosen) => {
        const shown = shownStatuses({ ...DEFAULT_SETTINGS, statuses: chosen });
        expect(statuses(shown.join(','))).toEqual({ ...chosen });
      }),
    );
  });
});

describe('--channels', () => {
  test.each([
    ['shipped=sms', { shipped: ['sms'] }],
    ['shipped=whatsapp+sms,delivered=whatsapp', { shipped: ['sms', 'whatsapp'], delivered: ['whatsapp'] }],
    ['none', {}],
  ])('takes %s', (text, read) => expect(channels(text)).toEqual(read));

  test.each([
    ['shipped', /^--channels must be pairs such as shipped=sms\+whatsapp or none/],
    ['sent=sms', /^--channels must be pairs of one of confirmed, .*, but is "sent"\.$/],
    ['shipped=', /^--channels must be pairs of a status and sms\+whatsapp, but is ""\.$/],
    ['shipped=sms+email', /^--channels must be pairs of a status and sms\+whatsapp, but is "sms\+email"\.$/],
    ['shipped=sms,shipped=whatsapp', /^--channels names "shipped" twice\.$/],
  ])('refuses %s', (text, sentence) => expect(() => channels(text)).toThrow(sentence));

  test('takes whatever it shows', () => {
    const list = fc.subarray([...paidChannels], { minLength: 1 });
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...ORDER_STATUSES), list, { minKeys: 1 }), (chosen) => {
        const shown = shownChannels({ ...DEFAULT_SETTINGS, channels: chosen });
        expect(channels(shown.join(','))).toEqual({ ...chosen });
      }),
    );
  });
});

describe('the keys of our own calls', () => {
  const consumer = { 'consumer-key': 'ck', 'consumer-secret': 'cs' };

  test('are WooCommerce’s two, or a tracking service’s one', () => {
    const store = 'https://shop.example';
    const read = { key: 'ck', secret: 'cs' };
    expect(credentialsFrom('woocommerce', { ...consumer, store }, null)).toEqual(read);
    expect(credentialsFrom('woocommerce', consumer, store)).toEqual(read);
    expect(credentialsFrom('easypost', { 'api-key': 'ak' }, null)).toEqual({ key: 'ak', secret: '' });
    expect(credentialsFrom('shopify', {}, null)).toBeUndefined();
  });

  test.each([
    ['shopify', consumer, '--consumer-key is not for Shopify.'],
    ['saleor', { 'api-key': 'ak' }, '--api-key is not for Saleor.'],
    ['aftership', { store: 'https://shop.example' }, '--store is not for AfterShip.'],
    ['woocommerce', { 'consumer-key': 'ck' }, '--consumer-key needs --consumer-secret SECRET.'],
    ['woocommerce', { 'consumer-secret': 'cs' }, '--consumer-secret needs --consumer-key KEY.'],
    ['woocommerce', consumer, '--consumer-key needs --store URL: it is for reading the store.'],
  ] as const)('of %s are refused where they make no sense (%#)', (kind, given, sentence) => {
    expect(() => credentialsFrom(kind, given, null)).toThrow(sentence);
  });
});

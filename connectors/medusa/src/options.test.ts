import { expect, test } from 'vitest';
import { pluginOptions, providerOptions } from './options.ts';
import { optionsWith } from './testStore.ts';

const reach = { apiKey: 'way_live_x', baseUrl: 'https://updates.example.com' };

test('address and key are enough', () => {
  expect(pluginOptions(reach)).toMatchObject({
    ...reach,
    statuses: { 'order.placed': 'confirmed', 'payment.refunded': 'refunded' },
    channels: {},
    phone: 'never',
    language: null,
  });
  expect(providerOptions({ ...reach, id: 'waypost', channels: ['email'] })).toMatchObject({
    ...reach,
    channels: [],
  });
});

test('a status that is named replaces its default, and the others stay', () => {
  const { statuses } = optionsWith({ statuses: { 'delivery.created': null, 'order.placed': 'delayed' } });
  expect(statuses).toMatchObject({
    'order.placed': 'delayed',
    'delivery.created': null,
    'shipment.created': 'shipped',
  });
});

test.each([
  [undefined, 'options are missing'],
  [{ baseUrl: 'https://x.example' }, 'apiKey must be a text'],
  [{ apiKey: 'x' }, 'baseUrl must be a text'],
  [{ ...reach, chanels: {} }, 'there is no option chanels'],
  [{ ...reach, statuses: { 'order.shipped': 'shipped' } }, 'order.shipped is none of order.placed'],
  [{ ...reach, statuses: { 'order.placed': 'done' } }, 'statuses.order.placed: done is none of confirmed'],
  [{ ...reach, channels: { shipped: ['fax'] } }, 'channels.shipped must be a list of sms and whatsapp'],
  [{ ...reach, channels: { shiped: ['sms'] } }, 'channels: shiped is none of'],
  [{ ...reach, escalateMinutes: 2 }, 'escalateMinutes must be a whole number from 5 to 10080'],
  [{ ...reach, phone: 'always' }, 'phone must be never or if_consented'],
  [{ ...reach, phone: 'if_consented' }, 'needs consentField'],
  [{ ...reach, language: 'tlh' }, 'language tlh is not one of'],
  [{ ...reach, orderUrl: 'http://shop.example/{id}' }, 'orderUrl must be an https URL'],
  [
    { ...reach, texts: { shipped: { en: { subject: 'On its way', body: '{{ order.colour }}' } } } },
    'texts.shipped.en.body, line 1: unknown variable order.colour',
  ],
  [{ ...reach, texts: { shipped: { tlh: {} } } }, 'texts.shipped: tlh is no language'],
])('a mistake is named: %j', (given, says) => {
  expect(() => pluginOptions(given)).toThrow(says);
});

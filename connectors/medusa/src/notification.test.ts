import { describe, expect, test } from 'vitest';
import { pushOfNotification } from './notification.ts';
import { providerOptions } from './options.ts';

const options = providerOptions({
  apiKey: 'way_live_x',
  baseUrl: 'https://updates.example.com',
  shopName: 'Kalev',
  templates: { 'order-late': 'delayed' },
  paidChannels: ['sms'],
});
const notification = (change: object = {}) => ({
  id: 'noti_01',
  to: 'mari@example.com',
  channel: 'email',
  template: 'order-late',
  data: { order_number: '#77', first_name: 'Mari', tracking_number: 'CC1', carrier: 'Omniva' },
  ...change,
});
const push = (change: object = {}) => pushOfNotification(notification(change), options).push;

test('a template that stands for an order status is pushed in our words', () => {
  expect(push()).toEqual({
    recipient_email: 'mari@example.com',
    subject: 'Your order #77 is delayed',
    body: expect.stringMatching(/^Hello Mari,\n.*Carrier: Omniva\nTracking number: CC1\n\nKalev$/s),
    reference: '#77',
    order_status: 'delayed',
    shipment: { tracking_number: 'CC1', carrier: 'Omniva', tracking_url: null },
    language: null,
    channels: ['email', 'sms'],
  });
});

test('one that has the name of an order status needs no entry, and is in the person’s language', () => {
  const data = { order_number: '#77', language: 'et' };
  expect(push({ template: 'ready_for_pickup', data })).toMatchObject({
    order_status: 'ready_for_pickup',
    subject: expect.stringContaining('Teie tellimus #77'),
    language: 'et',
  });
});

test('the shop’s own words go first', () => {
  const content = { subject: 'Late', text: 'Sorry.', html: '<p>Sorry.</p>' };
  expect(push({ content })).toMatchObject({ subject: 'Late', body: 'Sorry.', order_status: 'delayed' });
  expect(push({ template: 'gift', data: { subject: 'A gift', body: 'Open it.' } })).toMatchObject({
    subject: 'A gift',
    body: 'Open it.',
    reference: null,
    order_status: null,
    shipment: null,
  });
});

describe('the key', () => {
  const key = (change: object = {}) => pushOfNotification(notification(change), options).idempotencyKey;

  test('is the notification’s own, which Medusa repeats after a failure', () => {
    expect(key({ idempotency_key: 'order-77-late' })).toBe('medusa-notification-order-77-late');
    expect(key()).toBe('medusa-notification-noti_01');
  });

  test('stays within what Waypost takes', () => {
    const long = key({ idempotency_key: 'x'.repeat(1_000) });
    expect(long.length).toBeLessThanOrEqual(255);
    expect(key({ idempotency_key: `${'x'.repeat(1_000)}y` })).not.toBe(long);
  });
});

test.each([
  ['a number', { to: '+37255550134' }, 'must be one'],
  ['a template that says nothing', { template: 'gift' }, 'template gift is no order status'],
  ['a status without an order', { data: null }, 'data.order_number is missing'],
])('what cannot be pushed is refused: %s', (_, change, says) => {
  expect(() => push(change)).toThrow(says);
});

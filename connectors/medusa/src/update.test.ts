import { describe, expect, test } from 'vitest';
import type { StoreEvent } from './storeEvents.ts';
import { storeOrderFrom } from './storeOrder.ts';
import { optionsWith, orderRecord } from './testStore.ts';
import { type Update, updateOf } from './update.ts';

interface Case {
  event?: StoreEvent;
  order?: Record<string, unknown>;
  options?: Record<string, unknown>;
  isQuiet?: boolean;
  fulfilmentId?: string | null;
}

function update({
  event = 'order.placed',
  order = {},
  options = {},
  isQuiet = false,
  fulfilmentId = null,
}: Case = {}): Update {
  const chosen = optionsWith(options);
  const found = storeOrderFrom(orderRecord(order), chosen.consentField);
  if (found === null) throw new Error('this is no order');
  return updateOf({ event, isQuiet, fulfilmentId, order: found, shopName: 'Kalev' }, chosen);
}

function pushed(of: Case = {}): Extract<Update, { kind: 'push' }> {
  const made = update(of);
  if (made.kind !== 'push') throw new Error(`nothing is pushed: ${made.reason}`);
  return made;
}

const shipped: Case = { event: 'shipment.created', fulfilmentId: 'ful_01' };

test('a placed order is pushed as confirmed, in our words', () => {
  expect(pushed()).toEqual({
    kind: 'push',
    status: 'confirmed',
    idempotencyKey: 'medusa-order_01-confirmed',
    push: {
      recipient_email: 'mari@example.com',
      subject: 'Your order #1001 is confirmed',
      body: expect.stringMatching(/^Hello Mari,\n.*\n2 × Scarf\n\nKalev$/s),
      reference: '#1001',
      order_status: 'confirmed',
      shipment: null,
      language: null,
      channels: ['email'],
    },
    moreParcels: [],
  });
});

test.each([
  ['order.canceled', null, 'cancelled', 'medusa-order_01-cancelled'],
  ['shipment.created', 'ful_01', 'shipped', 'medusa-order_01-shipped-ful_01'],
  ['delivery.created', 'ful_01', 'delivered', 'medusa-order_01-delivered-ful_01'],
] as const)('%s is pushed under a key of its own', (event, fulfilmentId, status, key) => {
  const made = pushed({ event, fulfilmentId });
  expect([made.push.order_status, made.idempotencyKey]).toEqual([status, key]);
});

describe('nothing is pushed', () => {
  test.each<[string, Case, string]>([
    ['if the event asks for silence', { isQuiet: true }, 'no_notification'],
    ['if the order asks for silence', { order: { no_notification: true } }, 'no_notification'],
    [
      'of an event that is switched off',
      { options: { statuses: { 'order.placed': null } } },
      'status_not_told',
    ],
    ['without an address', { order: { email: null } }, 'no_email'],
  ])('%s', (_, of, reason) => {
    expect(update(of)).toEqual({ kind: 'nothing', reason });
  });
});

test.each([
  ['nothing was captured', [], [10], 'partly_refunded'],
  ['a part went back', [45], [10], 'partly_refunded'],
  ['all went back in parts', [45], [10, 35], 'refunded'],
  ['all went back, with the last digits of decimals', [0.3], [0.1, 0.2], 'refunded'],
  ['all that was captured went back', [20], [20], 'refunded'],
])('a refund when %s: %s', (_, captured, refunded, outcome) => {
  const list = (amounts: readonly number[]) => amounts.map((amount) => ({ amount }));
  const payments = [{ captures: list(captured), refunds: list(refunded) }];
  const made = update({ event: 'payment.refunded', order: { payment_collections: [{ payments }] } });
  expect(made.kind === 'push' ? made.status : made.reason).toBe(outcome);
});

describe('the parcel', () => {
  const withLabels = (...labels: [number: string, url: string][]): Case => ({
    ...shipped,
    order: {
      fulfillments: [
        {
          id: 'ful_01',
          provider_id: 'omniva_omniva',
          labels: labels.map(([tracking_number, tracking_url]) => ({ tracking_number, tracking_url })),
        },
      ],
    },
    options: { carriers: { omniva_omniva: 'Omniva' } },
  });

  test('is named with carrier, number and address', () => {
    const { push } = pushed(withLabels(['CC1', 'https://track.example/CC1']));
    expect(push.shipment).toEqual({
      tracking_number: 'CC1',
      carrier: 'Omniva',
      tracking_url: 'https://track.example/CC1',
    });
    expect(push.body).toContain('Carrier: Omniva\nTracking number: CC1\n');
  });

  test('is followed at an address as a browser writes it', () => {
    const { push } = pushed(withLabels(['CC 1', 'https://track.example/CC 1']));
    expect(push.shipment?.tracking_url).toBe('https://track.example/CC%201');
  });

  test('keeps its number if its address leads nowhere', () => {
    for (const url of ['#', '', 'http://track.example/1', 'https://user:word@track.example/'])
      expect(pushed(withLabels(['CC1', url])).push.shipment?.tracking_url).toBeNull();
  });

  test('is left out if Waypost would refuse its number, and the update goes', () => {
    for (const number of ['CC_1', '', '--', 'x'.repeat(65)])
      expect(pushed(withLabels([number, '#'])).push).toMatchObject({
        shipment: null,
        order_status: 'shipped',
      });
  });

  test('that comes with others is named in the push, and the others are set beside it, each once', () => {
    const { push, moreParcels } = pushed(withLabels(['CC1', '#'], ['CC2', '#'], ['CC1', '#']));
    expect([push.shipment, ...moreParcels].map((parcel) => parcel?.tracking_number)).toEqual(['CC1', 'CC2']);
  });
});

test('a delivery sets no parcels anew', () => {
  const labels = ['CC1', 'CC2'].map((tracking_number) => ({ tracking_number, tracking_url: '#' }));
  const order = { fulfillments: [{ id: 'ful_01', labels }] };
  expect(pushed({ event: 'delivery.created', fulfilmentId: 'ful_01', order }).moreParcels).toEqual([]);
});

describe('words', () => {
  const texts = { confirmed: { et: { subject: 'Aitäh! {{ order.number }}', body: '{{ shop.name }}' } } };

  test('are the shop’s own in the person’s language', () => {
    const { push } = pushed({ order: { locale: 'et-EE' }, options: { texts } });
    expect(push).toMatchObject({ subject: 'Aitäh! #1001', body: 'Kalev', language: 'et-EE' });
  });

  test('are ours in a language that the shop has not written', () => {
    const { push } = pushed({ order: { locale: 'fi' }, options: { texts } });
    expect(push.subject).toBe('Tilauksesi #1001 on vahvistettu');
  });

  test('are in the shop’s language for an order without a locale', () => {
    const { push } = pushed({ options: { texts, language: 'et' } });
    expect(push).toMatchObject({ subject: 'Aitäh! #1001', language: 'et' });
  });

  test('lead to the order’s page', () => {
    const { push } = pushed({ options: { orderUrl: 'https://shop.example/o/{id}?n={number}' } });
    expect(push.body).toContain('https://shop.example/o/order_01?n=%231001');
  });
});

describe('paid channels', () => {
  const channels = { shipped: ['sms'] };
  const consented = { phone: 'if_consented', consentField: 'texts' };
  const metadata = { texts: 'yes' };

  test.each<[string, Case, object]>([
    ['by default there are none', {}, { channels: ['email'] }],
    ['a status has its own', { options: { channels } }, { channels: ['email', 'sms'] }],
    [
      'the number goes with consent, completed by the country',
      { options: { channels, ...consented }, order: { metadata } },
      { channels: ['email', 'sms'], recipient_phone: '+37255550134' },
    ],
    ['without consent there are none', { options: { channels, ...consented } }, { channels: ['email'] }],
    [
      'the number stays in the shop where no text was asked for',
      { options: consented, order: { metadata } },
      { channels: ['email'] },
    ],
    [
      'a number that is none is left out',
      {
        options: { channels, ...consented },
        order: { metadata, shipping_address: { phone: 'ask me', country_code: 'ee' } },
      },
      { channels: ['email', 'sms'] },
    ],
    [
      'they wait until the message is unread for long enough',
      { options: { channels, escalateMinutes: 60 } },
      { channels: ['email', 'sms'], escalate_if_unread_after_minutes: 60 },
    ],
  ])('%s', (_, of, reach) => {
    const { channels, recipient_phone, escalate_if_unread_after_minutes } = pushed({
      ...shipped,
      ...of,
    }).push;
    expect(
      JSON.parse(JSON.stringify({ channels, recipient_phone, escalate_if_unread_after_minutes })),
    ).toEqual(reach);
  });
});

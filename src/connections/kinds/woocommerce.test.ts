import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isObject } from '../../kit/json.ts';
import type { Proof, RawCall } from './kind.ts';
import { woocommerce } from './woocommerce.ts';

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`./fixtures/woocommerce/${name}.json`, import.meta.url));

const PROCESSING = fixture('order-processing');
const COMPLETED = fixture('order-completed');
const DELETED = fixture('order-deleted');

const SECRET = 'k3v9secretofthirtytwocharacters0';
const sign = (body: Buffer, secret = SECRET): string =>
  createHmac('sha256', secret).update(body).digest('base64');

const callOf = (body: Buffer | string, headers: Record<string, string> = {}): RawCall => ({
  header: (name) => headers[name],
  query: new URLSearchParams(),
  body: Buffer.from(body),
});

const signed = (body: Buffer, secret: string): RawCall =>
  callOf(body, { 'x-wc-webhook-signature': sign(body, secret) });

const proofOf = (...secrets: string[]): Proof => ({
  secrets,
  storeUrl: null,
  now: new Date('2026-08-20T09:15:04Z'),
  keysOf: () => Promise.reject(new Error('the store has no keys')),
});

const topicCall = (body: Buffer | string, topic: string): RawCall =>
  callOf(body, { 'x-wc-webhook-signature': 'x', 'x-wc-webhook-topic': topic });

const read = (body: Buffer | string, topic = 'order.updated', consentField: string | null = null) =>
  woocommerce.read(
    { topic, headers: {}, body: Buffer.from(body), receivedAt: new Date('2026-08-20T09:15:04Z') },
    { consentField },
  );

function factsOf(...args: Parameters<typeof read>) {
  const reading = read(...args);
  if (reading.kind !== 'facts') throw new Error(`read as ${JSON.stringify(reading)}`);
  return reading.facts;
}

const orderOf = (...args: Parameters<typeof read>) => factsOf(...args).order;

/** The order of the fixture, with other values. */
function changed(change: Record<string, unknown>, body = PROCESSING): string {
  const order: unknown = JSON.parse(body.toString());
  if (!isObject(order)) throw new Error('the fixture is no order');
  return JSON.stringify({ ...order, ...change });
}

describe('the signature of a call', () => {
  test.each([
    ['is that of the secret', SECRET, [SECRET], 'genuine'],
    ['may be that of the secret before a rotation', SECRET, ['new', SECRET], 'genuine'],
    ['is refused with another secret', SECRET, ['other'], 'refused'],
    ['is refused where there is no secret', '', [], 'refused'],
    ['is refused where the secret is empty', '', [''], 'refused'],
    [
      'counts when the store has unescaped what we were given',
      `a<b&"c'`,
      ['a&lt;b&amp;&quot;c&#039;'],
      'genuine',
    ],
    ['counts when an older store signs with what it has escaped', 'a&lt;b&amp;c', ['a<b&c'], 'genuine'],
    ['counts when nothing was escaped or unescaped', 'a&lt;b', ['a&lt;b'], 'genuine'],
  ] as const)('%s', async (_, storeSecret, secrets, expected) => {
    expect(await woocommerce.verify(signed(PROCESSING, storeSecret), proofOf(...secrets))).toBe(expected);
  });

  test('is over the bytes, so that the same JSON in other bytes is refused', async () => {
    const header = { 'x-wc-webhook-signature': sign(PROCESSING) };
    const other = JSON.stringify(JSON.parse(PROCESSING.toString()));
    expect(await woocommerce.verify(callOf(other, header), proofOf(SECRET))).toBe('refused');
  });

  test.each([
    ['webhook_id=7', 'ping'],
    ['webhook_id=7\n', 'ping'],
    ['webhook_id=', 'refused'],
    ['webhook_id=7&id=4711', 'refused'],
    ['webhook_id=123456789012345678901', 'refused'],
    [PROCESSING, 'refused'],
    ['', 'refused'],
  ])('may be missing only from the ping: %s', async (body, expected) => {
    expect(await woocommerce.verify(callOf(body), proofOf(SECRET))).toBe(expected);
    const badly = callOf(body, { 'x-wc-webhook-signature': sign(Buffer.from('another')) });
    expect(await woocommerce.verify(badly, proofOf(SECRET))).toBe('refused');
  });
});

describe('the key of a call', () => {
  const keyOf = (body: Buffer | string, topic = 'order.updated') =>
    woocommerce.describe(topicCall(body, topic)).key;

  test('is the same when an order is saved again without a change, whatever the topic', () => {
    expect(keyOf(PROCESSING, 'order.created')).toBe(keyOf(Buffer.from(PROCESSING), 'order.updated'));
  });

  test('is the same when we read the order ourselves, with other links and spaces', () => {
    expect(keyOf(changed({ _links: { collection: [] } }))).toBe(keyOf(PROCESSING));
  });

  test.each([
    ['orders of one second', { id: 4799 }],
    ['times', { date_modified_gmt: '2026-08-20T09:15:04' }],
    ['statuses in one second', { status: 'on-hold' }],
  ])('is another for other %s', (_, change) => {
    expect(keyOf(changed(change))).not.toBe(keyOf(PROCESSING));
  });

  test('is another for a deletion, and for another resource with the number of an order', () => {
    expect(keyOf(DELETED, 'order.deleted')).not.toBe(keyOf(PROCESSING));
    expect(keyOf(DELETED, 'product.deleted')).not.toBe(keyOf(DELETED, 'order.deleted'));
  });

  test('names the order exactly, even beyond what a JavaScript number holds', () => {
    const body = PROCESSING.toString().replace('"id": 4711', '"id": 9007199254740993');
    const { key, storeOrder } = woocommerce.describe(topicCall(body, 'order.updated'));
    expect(storeOrder).toBe('9007199254740993');
    expect(key.length).toBeLessThanOrEqual(200);
    expect(factsOf(body).storeOrder).toBe('9007199254740993');
  });

  test.each([
    ['order.updated', PROCESSING, 'order.updated', '4711'],
    ['order.deleted', DELETED, 'order.deleted', '4711'],
    ['product.updated', PROCESSING, 'product.updated', null],
    [
      'action.woocommerce_payment_complete',
      '{"action":"x","arg":4711}',
      'action.woocommerce_payment_complete',
      null,
    ],
    ['', PROCESSING, 'order.updated', '4711'],
    ['order.updated', 'not JSON', 'order.updated', null],
    ['order.updated', '{"id":-1}', 'order.updated', null],
  ])('topic "%s" is described as what it is', (topic, body, expected, storeOrder) => {
    expect(woocommerce.describe(topicCall(body, topic))).toMatchObject({ topic: expected, storeOrder });
  });

  test('a ping is described as one', () => {
    expect(woocommerce.describe(callOf('webhook_id=7'))).toEqual({
      topic: 'ping',
      key: 'ping:webhook_id=7',
      storeOrder: null,
    });
  });
});

describe('an order', () => {
  test('is read with its escapes, in UTC, and without what is not told', () => {
    expect(factsOf(PROCESSING, 'order.created', '_text_me')).toEqual({
      storeOrder: '4711',
      order: {
        number: '4711',
        modifiedAt: new Date('2026-08-20T09:15:03Z'),
        createdAt: new Date('2026-08-20T09:14:58Z'),
        isTest: false,
        email: 'zoe@customer.example',
        phone: { text: '0151 23456789', country: 'DE' },
        permitsTexts: true,
        firstName: 'Zoë',
        language: 'pt-br',
        url: null,
        items: [
          { name: 'Mug „Hafen“ & saucer', quantity: 2 },
          { name: 'Tea 1/2 kg', quantity: 1 },
        ],
        statuses: [{ status: 'processing', at: new Date('2026-08-20T09:15:02Z') }],
        total: null,
      },
      shipments: [],
      events: [],
      refunds: [],
    });
  });

  test('has each parcel of a tracking list that arrives as an object', () => {
    const modifiedAt = new Date('2026-08-21T14:30:00Z');
    const shared = { status: 'tracking_added', modifiedAt, isQuiet: false, leftOut: [] };
    const facts = factsOf(COMPLETED);
    expect(facts.order).toMatchObject({
      number: 'SHOP-4712',
      email: null,
      phone: null,
      firstName: '',
      language: null,
      statuses: [{ status: 'completed', at: modifiedAt }],
    });
    expect(facts.refunds).toEqual([]);
    expect(facts.shipments).toEqual([
      {
        ...shared,
        id: 'JD0146 0000 1234',
        at: modifiedAt,
        parcels: [{ trackingNumber: 'JD0146 0000 1234', carrier: 'DHL US', trackingUrl: null }],
      },
      {
        ...shared,
        id: '77',
        at: new Date('2026-08-20T23:59:59Z'),
        parcels: [
          { trackingNumber: '77', carrier: 'Velo & Co', trackingUrl: 'https://velo.example/t?n=77&lang=de' },
        ],
      },
      {
        ...shared,
        id: '1Z 999/AA',
        at: null,
        parcels: [],
        leftOut: ['bad_tracking_number', 'bad_tracking_url'],
      },
    ]);
  });

  test.each([
    ['processing', '2026-08-20T09:15:02Z'],
    ['completed', '2026-08-22T08:00:00Z'],
    ['cancelled', null],
    ['refunded', null],
    ['pending', null],
    ['shipped-by-plugin', null],
  ])('that is %s has been so since the date that the store keeps for it', (status, at) => {
    const body = changed({ status, date_completed_gmt: '2026-08-22T08:00:00' });
    expect(orderOf(body)?.statuses).toEqual([{ status, at: at === null ? null : new Date(at) }]);
  });

  test.each([
    ['wc-completed', 'completed'],
    ['on-hold', 'on-hold'],
  ])('with status %s is %s', (status, expected) => {
    expect(orderOf(changed({ status }))?.statuses[0]?.status).toBe(expected);
  });

  test.each([
    ['yes', true],
    ['YES ', true],
    ['1', true],
    [1, true],
    [true, true],
    ['True', true],
    ['no', false],
    ['0', false],
    ['yes please', false],
    [false, false],
    [null, false],
    [['yes'], false],
    [{}, false],
  ])('permits texts by a field of %j: %j', (value, permitted) => {
    const body = changed({
      meta_data: [
        { key: 'sms', value: 'yes' },
        { key: 'ok', value },
      ],
    });
    expect(orderOf(body, 'order.updated', 'ok')?.permitsTexts).toBe(permitted);
    expect(orderOf(body)?.permitsTexts).toBe(false);
  });

  test('that has the field twice goes by the last one', () => {
    const body = changed({
      meta_data: [
        { key: 'ok', value: 'yes' },
        { key: 'ok', value: 'no' },
      ],
    });
    expect(orderOf(body, 'order.updated', 'ok')?.permitsTexts).toBe(false);
  });

  test.each([
    ['de_AT', 'de_AT'],
    [null, null],
  ])('in the language %j is told in %j', (value, language) => {
    expect(orderOf(changed({ meta_data: [{ key: 'wpml_language', value }] }))?.language).toBe(language);
  });

  test.each([
    ['-001-11-30T00:00:00', null],
    ['0000-00-00T00:00:00', null],
    ['2026-13-40T00:00:00', null],
    ['', null],
    [null, null],
    [1787270400, null],
    ['2026-08-20T09:15:02', new Date('2026-08-20T09:15:02Z')],
  ])('modified at %j was so at %j', (text, at) => {
    expect(orderOf(changed({ date_modified_gmt: text }))?.modifiedAt).toEqual(at);
  });

  test('without a number has its id as one', () => {
    expect(orderOf(changed({ number: '' }))?.number).toBe('4711');
  });

  test('keeps neither a zero character nor half a pair', () => {
    const billing = {
      first_name: 'A\u0000\ud800b',
      email: 'a\u0000@b.example',
      phone: '\udc00',
      country: '',
    };
    expect(orderOf(changed({ billing }))).toMatchObject({
      firstName: 'Ab',
      email: 'a@b.example',
      phone: null,
    });
  });

  test.each([
    ['an item without a name', { name: '', quantity: 1 }, []],
    ['an item that was taken out', { name: 'Mug', quantity: 0 }, []],
    ['an item with a text as its quantity', { name: 'Mug', quantity: '3' }, [{ name: 'Mug', quantity: 3 }]],
    ['an item without a quantity', { name: 'Mug' }, []],
    ['half a metre', { name: 'Cloth', quantity: 0.5 }, [{ name: 'Cloth', quantity: 0.5 }]],
    ['no item', null, []],
  ])('has %s as the store means it', (_, item, items) => {
    expect(orderOf(changed({ line_items: [item] }))?.items).toEqual(items);
  });
});

describe('a tracking list', () => {
  const shipmentsOf = (...values: unknown[]) =>
    factsOf(changed({ meta_data: values.map((value) => ({ key: '_wc_shipment_tracking_items', value })) }))
      .shipments;
  const item = { tracking_number: 'A1', tracking_provider: 'ups', date_shipped: '' };

  test.each([
    ['a list', [item], 1],
    ['an object', { 2: item }, 1],
    ['an empty list', [], 0],
    ['an empty text', '', 0],
    ['nothing', null, 0],
    ['a list with the same number twice', [item, { ...item, tracking_id: 'other' }], 1],
    ['a number that is a number', [{ ...item, tracking_number: 12345 }], 1],
    ['a list of other things', [null, 5, 'A1', [], {}], 0],
  ])('may be %s', (_, value, count) => {
    expect(shipmentsOf(value)).toHaveLength(count);
  });

  test('may be there more than once', () => {
    expect(shipmentsOf([item], [{ ...item, tracking_number: 'A2' }]).map(({ id }) => id)).toEqual([
      'A1',
      'A2',
    ]);
  });

  test.each([
    ['1787270400', '2026-08-21T23:59:59Z'],
    [1787270400, '2026-08-21T23:59:59Z'],
    ['1787274000', '2026-08-21T01:00:00Z'],
    ['2026-08-21', '2026-08-21T23:59:59Z'],
    ['2026-08-20', '2026-08-20T09:15:03Z'],
    ['2026-08-20 07:00:00', '2026-08-20T07:00:00Z'],
    ['2026-08-20T07:00:00+02:00', '2026-08-20T05:00:00Z'],
    ['20 August', null],
    ['', null],
    [false, null],
    [undefined, null],
  ])('shipped on %j was added at %j', (date_shipped, at) => {
    const [shipment] = shipmentsOf([{ ...item, date_shipped }]);
    expect(shipment?.at).toEqual(at === null ? null : new Date(at));
  });

  test.each([
    ['ups', 'UPS'],
    ['fedex', 'FedEx'],
    ['royal-mail', 'Royal Mail'],
    ['deutsche-post-dhl', 'Deutsche Post DHL'],
    ['dhl-us', 'DHL US'],
    ['dhl-intraship-de', 'DHL Intraship DE'],
    ['la-poste', 'La Poste'],
    ['postnl', 'PostNL'],
    ['', null],
    [undefined, null],
  ])('names the carrier of the slug %j as %j', (tracking_provider, carrier) => {
    expect(shipmentsOf([{ ...item, tracking_provider }])[0]?.parcels[0]?.carrier).toBe(carrier);
  });

  test('takes the shop’s own name for a carrier before a slug', () => {
    const own = { ...item, custom_tracking_provider: 'Bob’s Bikes' };
    expect(shipmentsOf([own])[0]?.parcels[0]?.carrier).toBe('Bob’s Bikes');
  });

  test('of a thousand parcels is cut', () => {
    const many = Array.from({ length: 1_000 }, (_, n) => ({ ...item, tracking_number: `A${n}` }));
    expect(shipmentsOf(many)).toHaveLength(100);
  });
});

describe('a call that tells nothing', () => {
  test.each([
    ['a deletion', DELETED, 'order.deleted', { kind: 'nothing', reason: 'deleted', order: null }],
    ['a ping', 'webhook_id=7', 'ping', { kind: 'nothing', reason: 'ping', order: null }],
    ['a product', PROCESSING, 'product.updated', { kind: 'nothing', reason: 'other_topic', order: null }],
    [
      'a draft',
      changed({ status: 'checkout-draft' }),
      'order.created',
      { kind: 'nothing', reason: 'draft', order: '4711' },
    ],
    [
      'an order in the bin',
      changed({ status: 'trash' }),
      'order.updated',
      { kind: 'nothing', reason: 'deleted', order: '4711' },
    ],
    [
      'an error of the store',
      fixture('store-error'),
      'order.updated',
      { kind: 'not_understood', reason: 'store_error' },
    ],
    [
      'the old API',
      '{"order":{"id":4711}}',
      'order.updated',
      { kind: 'not_understood', reason: 'legacy_api_version' },
    ],
    [
      'an order without an id',
      '{"status":"completed"}',
      'order.updated',
      { kind: 'not_understood', reason: 'no_order_id' },
    ],
    [
      'an order without a status',
      '{"id":4711}',
      'order.updated',
      { kind: 'not_understood', reason: 'no_status' },
    ],
    ['no JSON', '<html>', 'order.updated', { kind: 'not_understood', reason: 'not_json' }],
    ['a list', '[]', 'order.updated', { kind: 'not_understood', reason: 'not_json' }],
    ['nothing at all', '', 'order.updated', { kind: 'not_understood', reason: 'not_json' }],
  ])('says why: %s', (_, body, topic, reading) => {
    expect(read(body, topic)).toEqual(reading);
  });
});

test('a restored order is read like any other', () => {
  expect(factsOf(PROCESSING, 'order.restored')).toEqual(factsOf(PROCESSING));
});

test('no content is too strange to be described and read', () => {
  fc.assert(
    fc.property(
      fc.json(),
      fc.json(),
      fc.constantFrom('order.updated', 'order.deleted', 'x'),
      (one, other, topic) => {
        const body = `{"id":1,"status":"completed","billing":${one},"line_items":[${one}],"meta_data":[${other},
        {"key":"_wc_shipment_tracking_items","value":${other}}],"date_modified_gmt":${one}}`;
        for (const text of [one, body]) {
          expect(woocommerce.describe(topicCall(text, topic)).key.length).toBeLessThanOrEqual(200);
          read(text, topic, 'ok');
        }
      },
    ),
  );
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TRACKING_KINDS, type TrackingKindName } from '../../src/connections/kinds/kind.ts';
import { earlier, MINUTE } from '../../src/kit/clock.ts';
import { listAt, textAt } from '../../src/kit/json.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { type Step, TRACKING_SERVICES } from '../support/trackingCalls.ts';
import { eventually } from '../support/waiting.ts';
import { nudgesOf, type PlayedStore, playStore, toldBy } from './playedStore.ts';

/** What customers of a shop hear of what a tracking service says of their parcels. */
let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.close();
  expect(service.logged.filter(({ level }) => level === 'error')).toEqual([]);
});
beforeEach(async () => {
  shop = await service.business();
});

/** EasyPost signs with the decomposed form of this. */
const SECRET = 'Grüße-of-the-service';

const connect = (kind: TrackingKindName, status: 'live' | 'watching' = 'live') =>
  playStore(service, shop, {
    kind,
    status,
    flags: ['--secret', SECRET],
    sign: (body, secret) => TRACKING_SERVICES[kind].sign(body, secret).headers,
  });

const ago = (minutes: number): string =>
  earlier(service.clock.now(), minutes * MINUTE)
    .toISOString()
    .replace(/\.\d+/, '');
const step = (status: Step['status'], minutes: number): Step => ({ status, at: ago(minutes) });

let ids = 0;
const bodyOf = (kind: TrackingKindName, steps: readonly Step[], number = 'JD 77') => {
  ids += 1;
  return TRACKING_SERVICES[kind].body(number, steps, `evt_${ids}`);
};

/** The shop pushes an order with its parcel. */
const ship = (reference = '1001', tracking_number = 'JD 77') =>
  shop.pushed({
    reference,
    order_status: 'shipped',
    subject: `Order ${reference}`,
    shipment: { tracking_number, carrier: 'DPD' },
  });

/** The events of an order's parcels, oldest first. */
async function eventsOf(reference = '1001'): Promise<string[]> {
  const { body } = await shop.get(`/api/v1/orders/${reference}`);
  return listAt(body, 'shipments').flatMap((shipment) =>
    listAt(shipment, 'events').map((event) => String(textAt(event, 'status'))),
  );
}

describe.each(TRACKING_KINDS)('%s', (kind) => {
  let store: PlayedStore;
  beforeEach(async () => {
    store = await connect(kind);
  });

  test('tells the last step of a history, and stores those before it', async () => {
    await ship();
    const history = [step('in_transit', 90), step('out_for_delivery', 5)];
    expect(await store.hear(bodyOf(kind, history))).toBe('pushed');
    expect(await eventsOf()).toEqual(['in_transit', 'out_for_delivery']);
    expect(await toldBy(shop)).toEqual(['shipped 1001', 'out_for_delivery 1001']);
    const { body } = await shop.get('/api/v1/orders/1001');
    expect(listAt(body, 'shipments')[0]).toMatchObject({
      status: 'out_for_delivery',
      events: [
        { at: expect.stringMatching(`^${history[0]?.at.slice(0, 19)}`), description: 'Parcel: in_transit' },
        { description: 'Parcel: out_for_delivery' },
      ],
    });
    const delivered = [...history, step('delivered', 1)];
    expect(await store.hear(bodyOf(kind, delivered))).toBe('pushed');
    await nudgesOf(service, shop, 3);
    expect(await toldBy(shop)).toEqual(['shipped 1001', 'out_for_delivery 1001', 'delivered 1001']);
  });

  test('says nothing new when it repeats a history', async () => {
    await ship();
    const history = [step('in_transit', 90), step('delivered', 5)];
    expect(await store.hear(bodyOf(kind, history))).toBe('pushed');
    expect(await store.hear(bodyOf(kind, [...history, step('nothing', 1)]))).toBe(
      'nothing_to_tell no_change',
    );
    expect(await store.hear(bodyOf(kind, [...history, step('delivered', 0)]))).toBe(
      'nothing_to_tell event_stored',
    );
    expect(await toldBy(shop)).toEqual(['shipped 1001', 'delivered 1001']);
    await service.advance({ minutes: 5 });
    await nudgesOf(service, shop, 2);
  });

  test('is refused with a wrong signature, and without one', async () => {
    const body = bodyOf(kind, [step('delivered', 5)]);
    const wrong = TRACKING_SERVICES[kind].sign(Buffer.from(JSON.stringify(body)), 'another').headers;
    expect(await store.send(body, wrong)).toBe(401);
    const none = await fetch(store.address, { method: 'POST', body: JSON.stringify(body) });
    expect(none.status).toBe(401);
    expect(await store.log()).toEqual([]);
  });

  test('tells "delayed" of an exception, and of a parcel that goes back only stores it', async () => {
    await ship();
    await service.change(shop, { trackingNudges: ['exception', 'delivered'] });
    const exception = step('exception', 9);
    expect(await store.hear(bodyOf(kind, [exception]))).toBe('pushed');
    expect(await store.hear(bodyOf(kind, [exception, step('returned', 2)]))).toBe(
      'nothing_to_tell event_stored',
    );
    expect(await eventsOf()).toEqual(['exception', 'returned']);
    expect(await toldBy(shop)).toEqual(['shipped 1001', 'delayed 1001']);
  });

  test('says nothing by a status that is none', async () => {
    await ship();
    expect(await store.hear(bodyOf(kind, [step('nothing', 5)]))).toBe('nothing_to_tell unknown_status');
  });
});

test('while watching, steps are stored and nobody is told, then or when it is live', async () => {
  await ship();
  const store = await connect('aftership', 'watching');
  const history = [step('in_transit', 90), step('out_for_delivery', 5)];
  expect(await store.hear(bodyOf('aftership', history))).toBe('nothing_to_tell watched');
  expect(await eventsOf()).toEqual(['in_transit', 'out_for_delivery']);
  await store.set('--status', 'live');
  expect(await store.hear(bodyOf('aftership', history))).toBe('nothing_to_tell no_change');
  expect(await store.hear(bodyOf('aftership', [...history, step('out_for_delivery', 1)]))).toMatch(
    /^nothing_to_tell/,
  );
  await service.advance({ minutes: 5 });
  expect(await toldBy(shop)).toEqual(['shipped 1001']);
  expect(await store.hear(bodyOf('aftership', [...history, step('delivered', 0)]))).toBe('pushed');
});

describe('a number that nobody has named', () => {
  test('waits for its shipment', async () => {
    const store = await connect('easypost');
    expect(await store.hear(bodyOf('easypost', [step('out_for_delivery', 5)]))).toBe(
      'nothing_to_tell waits_for_shipment',
    );
    await service.advance({ days: 2 });
    await ship();
    await service.advance({ hours: 1 });
    await eventually(async () => expect(await eventsOf()).toEqual(['out_for_delivery']));
    await eventually(async () =>
      expect(await store.log()).toMatchObject([{ outcome: 'pushed', order: '1001' }]),
    );
    expect(await toldBy(shop)).toEqual(['shipped 1001', 'out_for_delivery 1001']);
  });

  test('is there within seconds of its push', async () => {
    const store = await connect('easypost');
    await store.hear(bodyOf('easypost', [step('out_for_delivery', 5)]));
    await ship();
    await eventually(async () => expect(await eventsOf()).toEqual(['out_for_delivery']));
  });

  test('is waited for a week', async () => {
    const store = await connect('easypost');
    await store.hear(bodyOf('easypost', [step('out_for_delivery', 5)]));
    await service.advance({ days: 6, hours: 23 });
    expect(await store.log()).toMatchObject([{ reason: 'waits_for_shipment' }]);
    await service.advance({ hours: 2 });
    expect(await store.log()).toMatchObject([{ outcome: 'nothing_to_tell', reason: 'unknown_shipment' }]);
    await ship();
    await service.advance({ minutes: 10 });
    expect(await eventsOf()).toEqual([]);
    const [call] = await store.log();
    await store.run(call?.id ?? '');
    expect(await eventsOf()).toEqual(['out_for_delivery']);
  });

  test('blocks no other', async () => {
    const store = await connect('easypost');
    await ship();
    await store.hear(bodyOf('easypost', [step('delivered', 5)], 'unknown 1'));
    expect(await store.hear(bodyOf('easypost', [step('delivered', 5)]))).toBe('pushed');
  });
});

test('a number in two orders is that of the newest shipment', async () => {
  const store = await connect('shippo');
  await ship('1001');
  await ship('1002');
  expect(await store.hear(bodyOf('shippo', [step('delivered', 5)]))).toBe('pushed');
  expect([await eventsOf('1001'), await eventsOf('1002')]).toEqual([[], ['delivered']]);
});

test('Shippo may prove itself by the token in its address, and not by a signature of long ago', async () => {
  await ship();
  const store = await connect('shippo');
  const body = JSON.stringify(bodyOf('shippo', [step('delivered', 5)]));
  const withToken = (token: string) =>
    fetch(`${store.address}?token=${encodeURIComponent(token)}`, { method: 'POST', body });
  expect((await withToken('another')).status).toBe(401);
  expect((await withToken(SECRET)).status).toBe(200);
  await store.handled();
  expect(await toldBy(shop)).toEqual(['shipped 1001', 'delivered 1001']);
});

test('the sandbox’s clock does not make a signature of Shippo old', async () => {
  const store = await connect('shippo');
  await service.advance({ days: 1 });
  expect(await store.send(bodyOf('shippo', [step('delivered', 5)]))).toBe(200);
});

test('settings of stores are refused for a tracking service', async () => {
  const store = await connect('karrio');
  await expect(store.set('--statuses', 'delivered=delivered')).rejects.toThrow(/only for stores/);
});

test('a service whose secret is not entered yet proves nothing', async () => {
  const { cli } = await connect('karrio');
  const added = await cli.json('connection', 'add', shop.businessId, 'aftership');
  expect(added.secret).toBeNull();
  const answer = await fetch(String(added.address), { method: 'POST', body: '{}' });
  expect(answer.status).toBe(401);
});

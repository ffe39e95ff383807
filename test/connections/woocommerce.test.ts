import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { at } from '../../src/kit/json.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { tracked } from '../support/wooCalls.ts';
import { nudgesOf, type PlayedStore, shipmentsOf, toldBy } from './playedStore.ts';
import { connectWoo, wooWords } from './wooShop.ts';

/** What customers of a shop hear of what happens in its WooCommerce store. */
let service: TestService;
let shop: Shop;
let store: PlayedStore;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.close();
  expect(service.logged.filter(({ level }) => level === 'error')).toEqual([]);
});
beforeEach(async () => {
  shop = await service.business();
  store = await connectWoo(service, shop);
});

const { minutesAgo, order, saved, completed } = wooWords(() => service);
const topic = (word: string) => ({ 'x-wc-webhook-topic': word });
const CREATED = topic('order.created');

describe('an order', () => {
  test('that is paid when it is created is confirmed, shipped when it is completed, and each once', async () => {
    expect(await store.hear(order(), CREATED)).toBe('pushed');
    expect(await store.hear(order(saved(8)))).toBe('nothing_to_tell no_change');
    expect(await store.hear(order(completed()))).toBe('pushed');
    expect(await store.hear(order(completed(4)))).toBe('nothing_to_tell no_change');
    expect(await toldBy(shop)).toEqual(['confirmed 4711', 'shipped 4711']);
    await nudgesOf(service, shop, 2);
  });

  test('tells each of two that share a second and a delivery id', async () => {
    const both = await Promise.all([store.send(order()), store.send(order({ id: 4712 }))]);
    expect(both).toEqual([200, 200]);
    expect(await store.handled()).toMatchObject([{ outcome: 'pushed' }, { outcome: 'pushed' }]);
    expect((await toldBy(shop)).sort()).toEqual(['confirmed 4711', 'confirmed 4712']);
  });

  test('is done once however often the same save is sent', async () => {
    const body = order();
    for (const headers of [CREATED, {}, {}]) expect(await store.send(body, headers)).toBe(200);
    expect(await store.handled()).toHaveLength(1);
    expect(await toldBy(shop)).toEqual(['confirmed 4711']);
  });

  test('tells every status that is changed within one second', async () => {
    expect(await store.hear(order(saved(5)))).toBe('pushed');
    expect(await store.hear(order({ ...completed(5) }))).toBe('pushed');
    expect(await toldBy(shop)).toEqual(['confirmed 4711', 'shipped 4711']);
  });

  test('stays as it is when an older call comes late', async () => {
    await store.hear(order(completed(2)));
    expect(await store.hear(order(saved(7)))).toBe('nothing_to_tell late');
    expect(await store.hear(order({ status: 'cancelled', ...saved(1) }))).toBe('pushed');
    expect(await store.hear(order({ status: 'refunded', ...saved(0) }))).toBe('pushed');
    expect(await toldBy(shop)).toEqual(['shipped 4711', 'cancelled 4711', 'refunded 4711']);
  });

  test('that was deleted is not told, and restored is as any other', async () => {
    await store.hear(order());
    expect(await store.hear({ id: 4711 }, topic('order.deleted'))).toBe('nothing_to_tell deleted');
    const restored = order({ ...saved(1) });
    expect(await store.hear(restored, topic('order.restored'))).toBe('nothing_to_tell no_change');
    const after = order({ ...completed(0) });
    expect(await store.hear(after, topic('order.restored'))).toBe('pushed');
    expect(await toldBy(shop)).toEqual(['confirmed 4711', 'shipped 4711']);
    expect(await store.log('--order', '4711')).toHaveLength(4);
  });

  test('that is old when it is first seen is only remembered', async () => {
    const old = { date_created_gmt: minutesAgo(60 * 30), date_paid_gmt: minutesAgo(60 * 25), ...saved(2) };
    expect(await store.hear(order(old))).toBe('nothing_to_tell too_old');
    expect(await store.hear(order({ ...old, ...saved(1) }))).toBe('nothing_to_tell no_change');
    expect(await store.hear(order({ ...old, ...completed(0) }))).toBe('pushed');
    expect(await toldBy(shop)).toEqual(['shipped 4711']);
  });

  test('first seen cancelled is told if it was created within a day', async () => {
    const change = { status: 'cancelled', date_paid_gmt: null };
    expect(await store.hear(order({ ...change, date_created_gmt: minutesAgo(60 * 23) }))).toBe('pushed');
    const old = order({ ...change, id: 4712, date_created_gmt: minutesAgo(60 * 25) });
    expect(await store.hear(old)).toBe('nothing_to_tell too_old');
  });

  test('first seen completed is told by when it was completed', async () => {
    const created = { date_created_gmt: minutesAgo(60 * 24 * 9), date_paid_gmt: minutesAgo(60 * 24 * 9) };
    expect(await store.hear(order({ ...created, ...completed(60) }))).toBe('pushed');
    expect(await toldBy(shop)).toEqual(['shipped 4711']);
  });

  test.each([
    ['no address', { email: '' }, 'nothing_to_tell no_email'],
    ['an address that is none', { email: 'ann at example' }, 'nothing_to_tell bad_email'],
  ])('with %s is not told', async (_, billing, heard) => {
    expect(await store.hear(order({ billing }))).toBe(heard);
    expect(await toldBy(shop)).toEqual([]);
  });

  test('that gets its address later is told then', async () => {
    expect(await store.hear(order({ billing: { email: '' } }))).toBe('nothing_to_tell no_email');
    expect(await store.hear(order(saved(1)))).toBe('pushed');
    expect(await toldBy(shop)).toEqual(['confirmed 4711']);
  });

  test('has its number as the reference, with what no reference holds replaced', async () => {
    await store.hear(order({ number: 'SHOP 4711/a' }));
    expect(await toldBy(shop)).toEqual(['confirmed SHOP-4711/a']);
    expect(await store.log('--order', 'SHOP 4711/a')).toHaveLength(1);
  });

  test('is told in the language of its customer, else of the shop', async () => {
    await store.hear(order({ meta: { wpml_language: 'de' } }));
    await store.hear(order({ id: 4712, meta: { wpml_language: 'xx' } }));
    const [german, english] = await nudgesOf(service, shop, 2);
    expect(german?.subject).toMatch(/Bestellung/);
    expect(english?.subject).toMatch(/order/);
  });

  test('is told in the shop’s own words', async () => {
    await shop.put('/api/v1/texts/confirmed/en', {
      subject: 'Thanks {{ customer.first_name }}, {{ order.number }} is ours',
      body: '{% for item in items %}{{ item.quantity }} x {{ item.name }}; {% endfor %}{{ shop.name }}',
    });
    await store.hear(order({ billing: { first_name: 'Z\u00f6e' } }));
    const [mail] = await nudgesOf(service, shop, 1);
    expect(mail?.subject).toBe('Thanks Zöe, 4711 is ours');
    const { body } = await shop.get('/api/v1/messages');
    const { body: message } = await shop.get(`/api/v1/messages/${String(at(body, 'items', 0, 'id'))}`);
    expect(at(message, 'body')).toBe('2 x Red mug; 1 x Tea; Acme Books');
  });
});

describe('a parcel', () => {
  test('that is added after "shipped" was told joins its message without another mail', async () => {
    await store.hear(order(completed(5)));
    await nudgesOf(service, shop, 1);
    expect(await store.hear(order({ ...completed(5), ...saved(3), meta: tracked({}) }))).toBe('pushed quiet');
    expect(await toldBy(shop)).toEqual(['shipped 4711']);
    expect(await shipmentsOf(shop, '4711')).toEqual([
      ['CC100', 'Omniva', 'https://omniva.example/t?n=CC100'],
    ]);
    const [after, before] = await store.handled();
    expect(after?.message_id).toBe(before?.message_id);
    await service.advance({ minutes: 5 });
    await nudgesOf(service, shop, 1);
  });

  test('tells "shipped" before the order is completed, which is then told already', async () => {
    await store.hear(order());
    expect(await store.hear(order({ ...saved(4), meta: tracked({}) }))).toBe('pushed');
    expect(await store.hear(order({ ...completed(3), meta: tracked({}) }))).toBe(
      'nothing_to_tell already_told',
    );
    expect(await toldBy(shop)).toEqual(['confirmed 4711', 'shipped 4711']);
    expect((await nudgesOf(service, shop, 2))[1]?.text).toContain('https://omniva.example/t?n=CC100');
  });

  test('comes in a list that is an object, with a carrier by its slug', async () => {
    const [item] = tracked({
      tracking_provider: 'royal-mail',
      custom_tracking_provider: '',
      custom_tracking_link: '',
    })._wc_shipment_tracking_items;
    await store.hear(order({ ...completed(), meta: { _wc_shipment_tracking_items: { 1: item } } }));
    expect(await toldBy(shop)).toEqual(['shipped 4711']);
    expect(await shipmentsOf(shop, '4711')).toEqual([['CC100', 'Royal Mail', null]]);
  });

  test('is one of several that one call brings: told once, and all are shown', async () => {
    await store.hear(
      order({ ...completed(), meta: tracked({}, { tracking_number: 'CC200', custom_tracking_link: '' }) }),
    );
    expect(await toldBy(shop)).toEqual(['shipped 4711']);
    expect(await shipmentsOf(shop, '4711')).toHaveLength(2);
    expect((await nudgesOf(service, shop, 1))[0]?.text).toContain('CC200');
  });

  test.each([
    ['http://omniva.example/', 'bad_tracking_url'],
    ['javascript:alert(1)', 'bad_tracking_url'],
    ['https://user:pass@omniva.example/', 'bad_tracking_url'],
  ])('with the address %s is told without it', async (custom_tracking_link, reason) => {
    expect(await store.hear(order({ ...completed(), meta: tracked({ custom_tracking_link }) }))).toBe(
      `pushed ${reason}`,
    );
    expect(await shipmentsOf(shop, '4711')).toEqual([['CC100', 'Omniva', null]]);
  });

  test('whose number no push takes is left out, and the update goes', async () => {
    const meta = tracked({ tracking_number: 'CC/100!' });
    expect(await store.hear(order({ ...completed(), meta }))).toBe('pushed bad_tracking_number');
    expect(await toldBy(shop)).toEqual(['shipped 4711']);
    expect(await shipmentsOf(shop, '4711')).toEqual([]);
  });

  test('whose number no push takes is named in the log when it comes later, too', async () => {
    await store.hear(order(completed()));
    const meta = tracked({ tracking_number: 'CC/100!' });
    expect(await store.hear(order({ ...completed(), ...saved(1), meta }))).toBe(
      'nothing_to_tell bad_tracking_number',
    );
  });

  test('whose address is corrected is corrected in the message, quietly', async () => {
    await store.hear(order({ ...completed(), meta: tracked({}) }));
    const meta = tracked({ custom_tracking_link: 'https://omniva.example/t?n=right' });
    expect(await store.hear(order({ ...completed(), ...saved(1), meta }))).toBe('pushed quiet');
    expect(await shipmentsOf(shop, '4711')).toEqual([
      ['CC100', 'Omniva', 'https://omniva.example/t?n=right'],
    ]);
    await nudgesOf(service, shop, 1);
  });
});

describe('the table of statuses', () => {
  test('leaves those that are not named as they are', async () => {
    await store.set('--statuses', 'completed=delivered,on-hold=delayed');
    expect(await store.hear(order({ status: 'on-hold', ...saved(8) }))).toBe('pushed');
    expect(await store.hear(order(saved(7)))).toBe('pushed');
    expect(await store.hear(order(completed(6)))).toBe('pushed');
    expect(await toldBy(shop)).toEqual(['delayed 4711', 'confirmed 4711', 'delivered 4711']);
  });

  test('can tell nothing of a status', async () => {
    await store.set('--statuses', 'processing=confirmed,completed=,on-hold=');
    expect(await store.hear(order())).toBe('pushed');
    expect(await store.hear(order({ status: 'on-hold', ...saved(8) }))).toBe(
      'nothing_to_tell status_not_told',
    );
    expect(await store.hear(order(completed(7)))).toBe('nothing_to_tell status_not_told');
    expect(await toldBy(shop)).toEqual(['confirmed 4711']);
  });

  test('takes the store’s own statuses', async () => {
    expect(await store.hear(order({ status: 'wc-packed' }))).toBe('nothing_to_tell status_not_told');
    await store.set('--statuses', 'packed=ready_for_pickup');
    const [call] = await store.handled();
    expect(await store.run(call?.id ?? '')).toMatchObject({ outcome: 'pushed' });
    expect(await toldBy(shop)).toEqual(['ready_for_pickup 4711']);
  });

  test('that was changed counts for a call that is run again, and only once', async () => {
    await store.set('--statuses', 'processing=');
    expect(await store.hear(order())).toBe('nothing_to_tell status_not_told');
    await store.set('--statuses', 'processing=confirmed');
    const [call] = await store.handled();
    expect(await store.run(call?.id ?? '')).toMatchObject({ outcome: 'pushed', order: '4711' });
    expect(await store.run(call?.id ?? '')).toMatchObject({ outcome: 'nothing_to_tell' });
    await nudgesOf(service, shop, 1);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { at, listAt, textAt } from '../../src/kit/json.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { capturedMessages } from '../support/waiting.ts';
import { tracked, wooSignature } from '../support/wooCalls.ts';
import { nudgesOf, type PlayedStore, shipmentsOf, toldBy } from './playedStore.ts';
import { connectWoo, wooWords } from './wooShop.ts';

/** What an owner of a WooCommerce store decides: who is texted, what is only watched, and what is run again. */
let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.close();
  expect(service.logged.filter(({ level }) => level === 'error')).toEqual([]);
});

const { minutesAgo, order, saved, completed } = wooWords(() => service);

describe('a text', () => {
  let store: PlayedStore;
  const PHONE = { phone: '5123 4567', country: 'EE' };
  beforeEach(async () => {
    shop = await service.business({ credits: 10, smsMode: 'on_request' });
    store = await connectWoo(service, shop);
    await store.set('--channels', 'shipped=sms');
  });
  const texting = () => store.set('--phone', 'if_consented', '--consent-field', '_text_me');
  const texts = async () =>
    (await capturedMessages(service.url, { channel: 'sms' })).filter(
      ({ business_id }) => business_id === shop.businessId,
    );
  const consented = (value: unknown) => ({ billing: PHONE, meta: { _text_me: value } });

  test.each(['yes', '1', 1, true, 'true', 'Yes'])(
    'goes to the number in the order where the store’s own field says %j',
    async (value) => {
      await texting();
      expect(await store.hear(order({ ...completed(), ...consented(value) }))).toBe('pushed');
      expect(await nudgesOf(service, shop, 1, 'sms')).toMatchObject([{ to: '+37251234567' }]);
    },
  );

  test.each([
    ['the field says no', { _text_me: 'no' }],
    ['the field is missing', {}],
    ['only marketing was agreed to', { marketing_opt_in: 'yes', sms_marketing_consent: 'yes' }],
  ])('does not go where %s', async (_, meta) => {
    await texting();
    await store.hear(order({ ...completed(), billing: PHONE, meta }));
    await nudgesOf(service, shop, 1);
    expect(await texts()).toEqual([]);
  });

  test('does not go as long as nobody has allowed it', async () => {
    await store.hear(order({ ...completed(), ...consented('yes') }));
    await nudgesOf(service, shop, 1);
    expect(await texts()).toEqual([]);
  });

  test('does not go to the number of an earlier order where this one gives no consent', async () => {
    await texting();
    await store.hear(order({ ...completed(), ...consented('yes') }));
    await nudgesOf(service, shop, 1, 'sms');
    await store.hear(order({ id: 4712, ...completed(), ...consented('no') }));
    await nudgesOf(service, shop, 2);
    await service.advance({ minutes: 5 });
    await nudgesOf(service, shop, 1, 'sms');
  });

  test('goes only for the statuses that were chosen', async () => {
    await texting();
    await store.hear(order(consented('yes')));
    await nudgesOf(service, shop, 1);
    expect(await texts()).toEqual([]);
  });

  test('waits for the person to open the message first, where that was chosen', async () => {
    await texting();
    await store.set('--escalate-minutes', '30');
    await store.hear(order({ ...completed(), ...consented('yes') }));
    await nudgesOf(service, shop, 1);
    await service.advance({ minutes: 29 });
    expect(await texts()).toEqual([]);
    await service.advance({ minutes: 3 });
    await nudgesOf(service, shop, 1, 'sms');
  });

  test('never keeps the mail from going: a number that is none, and a shop without credits', async () => {
    await texting();
    await store.hear(
      order({ ...completed(), billing: { phone: 'call me', country: 'EE' }, meta: { _text_me: 'yes' } }),
    );
    const poor = await service.business({ smsMode: 'on_request' });
    const other = await connectWoo(service, poor);
    await other.set(...['--channels', 'shipped=sms', '--phone', 'if_consented', '--consent-field', 'ok']);
    expect(
      await other.hear(order({ ...completed(), billing: { ...PHONE, phone: '5123 4568' }, meta: { ok: 1 } })),
    ).toBe('pushed');
    await nudgesOf(service, shop, 1);
    await nudgesOf(service, poor, 1);
    expect(await texts()).toEqual([]);
  });
});

describe('while the connection is watching', () => {
  let store: PlayedStore;
  beforeEach(async () => {
    shop = await service.business();
    store = await connectWoo(service, shop, { status: 'watching' });
  });

  test('the log shows what would be sent, and nothing of it is sent, then or later', async () => {
    expect(await store.hear(order())).toBe('would_push');
    expect(await toldBy(shop)).toEqual([]);
    await store.set('--status', 'live');
    expect(await store.hear(order(saved(1)))).toBe('nothing_to_tell no_change');
    await service.advance({ hours: 2 });
    expect(await toldBy(shop)).toEqual([]);
    expect((await shop.get('/api/v1/orders/4711')).status).toBe(404);
    expect(await store.hear(order(completed(0)))).toBe('pushed');
    expect(await toldBy(shop)).toEqual(['shipped 4711']);
  });

  test('a call that is run shows its text by today’s settings, as often as one likes', async () => {
    await store.hear(order());
    const [call] = await store.handled();
    const shown = await store.run(call?.id ?? '');
    expect(shown).toMatchObject({
      outcome: 'would_push',
      would_push: [{ order_status: 'confirmed', recipient_email: 'ann@example.com', language: 'en' }],
    });
    await shop.put('/api/v1/texts/confirmed/en', { subject: 'We have {{ order.number }}', body: 'Soon.' });
    expect(await store.run(call?.id ?? '')).toMatchObject({
      would_push: [{ subject: 'We have 4711', body: 'Soon.' }],
    });
    await store.set('--statuses', 'processing=delayed');
    expect(await store.run(call?.id ?? '')).toMatchObject({ would_push: [{ order_status: 'delayed' }] });
    await store.set('--statuses', 'processing=');
    expect(await store.run(call?.id ?? '')).toMatchObject({ outcome: 'nothing_to_tell', would_push: null });
    await store.set('--statuses', 'default', '--status', 'live');
    expect(await store.run(call?.id ?? '')).toMatchObject({ outcome: 'would_push' });
    expect(await toldBy(shop)).toEqual([]);
  });

  test('a call that is run shows what it says itself, whatever came after it', async () => {
    await store.hear(order());
    await store.hear(order(completed(4)));
    expect(await store.hear(order({ ...completed(4), ...saved(3), meta: tracked({}) }))).toBe(
      'nothing_to_tell quiet',
    );
    const calls = (await store.handled()).reverse();
    const shown = [];
    for (const { id } of calls) shown.push(at(await store.run(id), 'would_push', 0, 'order_status'));
    expect(shown).toEqual(['confirmed', 'shipped', 'shipped']);
    expect(await store.hear(order({ status: 'cancelled', ...saved(0) }))).toBe('would_push');
  });

  test('a left-out address is named', async () => {
    const meta = tracked({ custom_tracking_link: 'http://omniva.example/' });
    expect(await store.hear(order({ ...completed(), meta }))).toBe('would_push bad_tracking_url');
  });
});

describe('a call that is run again', () => {
  let store: PlayedStore;
  beforeEach(async () => {
    shop = await service.business();
    store = await connectWoo(service, shop);
  });

  test('after the shop was inactive is told then', async () => {
    await service.change(shop, { active: false });
    expect(await store.hear(order())).toMatch(/^refused business\.inactive/);
    await service.change(shop, { active: true });
    const [call] = await store.handled();
    expect(await store.run(call?.id ?? '')).toMatchObject({ outcome: 'pushed', reason: null });
    expect(await toldBy(shop)).toEqual(['confirmed 4711']);
    await nudgesOf(service, shop, 1);
    expect(await store.hear(order(saved(1)))).toBe('nothing_to_tell no_change');
  });

  test('tells nothing that was told', async () => {
    await store.hear(order());
    const [call] = await store.handled();
    expect(await store.run(call?.id ?? '')).toMatchObject({ outcome: 'nothing_to_tell' });
    expect(await toldBy(shop)).toEqual(['confirmed 4711']);
  });

  test('tells what was too old', async () => {
    const old = { date_created_gmt: minutesAgo(60 * 30), date_paid_gmt: minutesAgo(60 * 30) };
    expect(await store.hear(order(old))).toBe('nothing_to_tell too_old');
    const [call] = await store.handled();
    expect(await store.run(call?.id ?? '')).toMatchObject({ outcome: 'pushed' });
  });

  test('must be one of this connection', async () => {
    await store.hear(order());
    const other = await connectWoo(service, shop);
    const [call] = await store.handled();
    await expect(other.run(call?.id ?? '')).rejects.toThrow(/no call/);
    await expect(store.run('nothing')).rejects.toThrow(/no call/);
  });
});

describe('what a store may send', () => {
  let store: PlayedStore;
  beforeEach(async () => {
    shop = await service.business();
    store = await connectWoo(service, shop);
  });

  test('a ping is answered, shown in the log, and sets when the store was heard', async () => {
    expect(await store.listed()).toMatchObject({ status: 'live', last_received_at: null, last_error: null });
    const ping = () =>
      fetch(store.address, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'webhook_id=12',
      });
    expect((await ping()).status).toBe(200);
    expect(await store.log()).toMatchObject([{ topic: 'ping', outcome: 'nothing_to_tell', order: null }]);
    expect(await store.listed()).toMatchObject({ last_received_at: expect.any(String) });
  });

  test('while it is off, nothing is stored', async () => {
    await store.set('--status', 'off');
    expect(await store.send(order())).toBe(200);
    expect(await store.log()).toEqual([]);
    await store.set('--status', 'live');
    expect(await store.hear(order())).toBe('pushed');
  });

  test.each([
    ['no JSON', 'not json', 'not_understood not_json'],
    ['a list', '[]', 'not_understood not_json'],
    ['no order', '{}', 'not_understood no_order_id'],
    ['another id', '{"id":{"$gt":0},"status":"processing"}', 'not_understood no_order_id'],
    ['no status', '{"id":5}', 'not_understood no_status'],
    ['nothing', '', 'not_understood not_json'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00]), 'not_understood not_json'],
    ['a deep list', `${'['.repeat(100_000)}`, 'not_understood not_json'],
  ])('%s is kept, and the next call is handled', async (_, body, heard) => {
    expect(await store.hear(body)).toBe(heard);
    expect(await store.hear(order())).toBe('pushed');
    const calls = await store.handled();
    expect(await store.run(calls.at(-1)?.id ?? '')).toMatchObject({ outcome: 'not_understood' });
  });

  test('markup in names is shown as what it is', async () => {
    await shop.put('/api/v1/texts/confirmed/en', {
      subject: '{{ order.number }}',
      body: '{{ customer.first_name }}: {% for item in items %}{{ item.name }}{% endfor %}',
    });
    const evil = '<img src=x onerror=alert(1)>';
    await store.hear(
      order({ billing: { first_name: evil }, line_items: [{ name: '{{ shop.name }}<b>', quantity: 1 }] }),
    );
    const [mail] = await nudgesOf(service, shop, 1);
    expect(mail?.html).not.toContain(evil);
    const { body } = await shop.get('/api/v1/messages');
    const { body: message } = await shop.get(`/api/v1/messages/${textAt(body, 'items', '0', 'id')}`);
    expect(textAt(message, 'body')).toBe(`${evil}: {{ shop.name }}<b>`);
  });

  test('a thousand lines, long names, zero characters and half characters are no hindrance', async () => {
    await shop.put('/api/v1/texts/confirmed/en', {
      subject: '{{ customer.first_name }}',
      body: '{% for item in items %}{{ item.name }}\n{% endfor %}',
    });
    const body = JSON.stringify(
      order({
        billing: { first_name: `Zo\u0000\ud800${'x'.repeat(5_000)}` },
        line_items: Array.from({ length: 1_000 }, (_, n) => ({ name: `Mug ${n} \udfff\u0000`, quantity: n })),
        meta: { noise: '\u0000', _wc_shipment_tracking_items: 'a:1:{i:0;s:1:"x";}' },
      }),
    );
    expect(await store.hear(body)).toBe('pushed');
    await nudgesOf(service, shop, 1);
  });

  test('an unpaid order, a draft and one in the bin are not told', async () => {
    expect(await store.hear(order({ status: 'pending', date_paid_gmt: null }))).toBe(
      'nothing_to_tell status_not_told',
    );
    expect(await store.hear(order({ id: 2, status: 'checkout-draft' }))).toBe('nothing_to_tell draft');
    expect(await store.hear(order({ id: 3, status: 'trash' }))).toBe('nothing_to_tell deleted');
    expect(await store.hear(order({ status: 'failed', ...saved(2) }))).toBe(
      'nothing_to_tell status_not_told',
    );
    expect(await store.hear(order(saved(1)))).toBe('pushed');
  });

  test('an order of a test is only logged', async () => {
    expect(await store.hear(order({ test: true }))).toBe('nothing_to_tell test_order');
  });
});

test('the log ends after 30 days, and what is told of the order goes on', async () => {
  shop = await service.business();
  const store = await connectWoo(service, shop);
  await store.hear(order());
  await service.advance({ days: 29 });
  expect(await store.log()).toHaveLength(1);
  await service.advance({ days: 2 });
  expect(await store.log()).toEqual([]);
  expect(await store.hear(order(completed(0)))).toBe('pushed');
  expect(await toldBy(shop)).toEqual(['confirmed 4711', 'shipped 4711']);
});

test('an erased person is in no call any more', async () => {
  shop = await service.business();
  const store = await connectWoo(service, shop);
  await store.hear(order());
  await store.hear(order({ id: 4712, billing: { email: 'bob@example.com' } }));
  expect((await shop.post('/api/v1/recipients/ann%40example.com/erase')).status).toBe(200);
  expect(await store.log()).toMatchObject([{ order: '4712' }]);
});

test('a shop without a plan keeps the message, and mails nobody', async () => {
  shop = await service.business();
  await service.change(shop, { plan: 'lapsed' });
  const store = await connectWoo(service, shop);
  expect(await store.hear(order())).toBe('pushed');
  await service.advance({ minutes: 5 });
  expect(await toldBy(shop)).toEqual(['confirmed 4711']);
  await nudgesOf(service, shop, 0);
});

test('many updates at once are all answered 200, and each order is told once', async () => {
  shop = await service.business();
  const store = await connectWoo(service, shop);
  const orders = Array.from({ length: 100 }, (_, n) => n + 1);
  for (let save = 0; save < 5; save += 1)
    expect(
      new Set(await Promise.all(orders.map((id) => store.send(order({ id, ...saved(9 - save) }))))),
    ).toEqual(new Set([200]));
  await store.handled();
  expect(new Set(await toldBy(shop)).size).toBe(100);
  expect(await toldBy(shop)).toHaveLength(100);
});

describe('secrets', () => {
  beforeEach(async () => {
    shop = await service.business();
  });

  test('that the store escapes count as it signs with them', async () => {
    const store = await connectWoo(service, shop, { flags: ['--secret', `a<b>&"c'd`] });
    expect(store.secret).toBe(`a<b>&"c'd`);
    expect(await store.hear(order())).toBe('pushed');
    const escaped = await connectWoo(service, shop, { flags: ['--secret', 'a&lt;b&amp;c'] });
    const body = JSON.stringify(order({ id: 9 }));
    const signature = wooSignature('a<b&c', body);
    expect(await escaped.hear(body, { 'x-wc-webhook-signature': signature })).toBe('pushed');
  });

  test('that are made hold only small letters and digits', async () => {
    expect((await connectWoo(service, shop)).secret).toMatch(/^[0-9a-z]{32}$/);
  });

  test('of two shops are two, and the orders with one number are two', async () => {
    const other = await service.business();
    const [mine, theirs] = [await connectWoo(service, shop), await connectWoo(service, other)];
    const body = JSON.stringify(order());
    const signature = { 'x-wc-webhook-signature': wooSignature(mine.secret, body) };
    expect(await theirs.send(body, signature)).toBe(401);
    expect([await mine.hear(body), await theirs.hear(body)]).toEqual(['pushed', 'pushed']);
    expect([await toldBy(shop), await toldBy(other)]).toEqual([['confirmed 4711'], ['confirmed 4711']]);
  });

  test('of two stores of one shop are two', async () => {
    const [one, two] = [await connectWoo(service, shop), await connectWoo(service, shop)];
    await one.hear(order());
    await two.hear(order({ billing: { email: 'bob@example.com' } }));
    const { body } = await shop.get('/api/v1/messages');
    expect(listAt(body, 'items').map((one) => textAt(one, 'recipient_email'))).toEqual([
      'bob@example.com',
      'ann@example.com',
    ]);
  });

  test('that are rotated count for another hour, unless the new one is to count now', async () => {
    const store = await connectWoo(service, shop);
    const old = store.secret;
    const signedWith = (secret: string, body: string) => ({
      'x-wc-webhook-signature': wooSignature(secret, body),
    });
    const body = (id: number) => JSON.stringify(order({ id }));
    const second = await store.rotate();
    expect(second).not.toBe(old);
    expect(await store.send(body(1), signedWith(old, body(1)))).toBe(200);
    expect(await store.send(body(2))).toBe(200);
    await store.rotate('--now');
    expect(await store.send(body(3), signedWith(second, body(3)))).toBe(401);
    expect(await store.send(body(4))).toBe(200);
    await store.rotate();
    await service.advance({ minutes: 61 });
    expect(await store.send(body(5))).toBe(200);
  });

  test('are needed no more once the connection is removed: 404', async () => {
    const store = await connectWoo(service, shop);
    await store.hear(order());
    await store.remove();
    expect(await store.send(order(completed()))).toBe(404);
    await expect(store.log()).rejects.toThrow(/No connection/);
    expect(await toldBy(shop)).toEqual(['confirmed 4711']);
    expect(await shipmentsOf(shop, '4711')).toEqual([]);
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Message, Order, Waypost } from '../../clients/typescript/src/index.ts';
import { at, textAt } from '../../src/kit/json.ts';
import { clientOf } from '../client/clientOf.ts';
import { databaseUrl, runStatements } from '../support/cluster.ts';
import { type DatabaseProxy, openDatabaseProxy } from '../support/databaseProxy.ts';
import { freshClone, packIn } from '../support/freshClone.ts';
import { startService, type TestService } from '../support/service.ts';
import { clusterUrl } from '../support/sharedResources.ts';
import { eventually } from '../support/waiting.ts';
import { MedusaShop } from './medusaShop.ts';
import { type MedusaStore, startMedusa } from './medusaStore.ts';
import { openGate, type WaypostGate } from './waypostGate.ts';

/** A Medusa from npm with the packed plugin, and a Waypost: what happens to orders there is found in the inbox here. */

const DATABASE = 'medusa_store';
/** npm fetches 700 MB. */
const START_TIMEOUT_MS = 15 * 60_000;
/** Longer than what happens in the shop takes to arrive here. */
const QUIET_MS = 3_000;

let scratch: string;
let cluster: string;
let database: DatabaseProxy;
let service: TestService;
let gate: WaypostGate;
let store: MedusaStore;
let medusa: MedusaShop;
let waypost: Waypost;
let email = '';
let people = 0;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'waypost-medusa-packed-'));
  const clone = join(scratch, 'clone');
  await freshClone(clone);
  const client = await packIn(clone, 'client');
  const plugin = await packIn(clone, 'medusa');
  cluster = await clusterUrl();
  await runStatements(cluster, `CREATE DATABASE ${DATABASE}`);
  // Medusa reaches a Postgres by its port only.
  database = await openDatabaseProxy(databaseUrl(cluster, DATABASE));
  service = await startService();
  const shop = await service.business({ credits: 100 });
  waypost = clientOf(shop);
  gate = await openGate(service.url);
  const reach = { apiKey: shop.apiKey, baseUrl: gate.url };
  store = await startMedusa({
    folder: process.env.TEST_MEDUSA_FOLDER ?? join(scratch, 'store'),
    databaseUrl: `${database.url.replace(/\?.*$/, '')}?sslmode=disable`,
    packages: [client.path, plugin.path],
    plugins: [
      {
        resolve: '@waypost/medusa',
        options: {
          ...reach,
          shopName: 'Kalev',
          phone: 'if_consented',
          consentField: 'texts',
          channels: { shipped: ['sms'] },
          orderUrl: 'https://shop.example/orders/{id}',
          carriers: { manual_manual: 'Omniva' },
        },
      },
    ],
    notificationProviders: [
      {
        resolve: '@waypost/medusa/providers/waypost',
        id: 'waypost',
        options: { channels: ['email'], ...reach, shopName: 'Kalev', templates: { 'order-late': 'delayed' } },
      },
    ],
  });
  medusa = await MedusaShop.open(store.url);
}, START_TIMEOUT_MS);

afterAll(async () => {
  await store?.stop();
  await gate?.shut();
  await service?.close();
  database?.close();
  await runStatements(cluster, `DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`);
  await rm(scratch, { recursive: true, force: true });
});

beforeEach(() => {
  people += 1;
  email = `person-${people}@example.com`;
});

/** What the person has been told, oldest first. */
async function told(): Promise<Message[]> {
  const listed = [];
  for await (const message of waypost.messages.list({ recipient_email: email })) listed.push(message.id);
  return Promise.all(listed.reverse().map((id) => waypost.messages.get(id)));
}

const statuses = async (): Promise<(string | null)[]> =>
  (await told()).map(({ order_status }) => order_status);

const toldBy = (expected: readonly string[]): Promise<void> =>
  eventually(async () => expect(await statuses()).toEqual(expected));

async function staysAt(expected: readonly string[]): Promise<void> {
  await toldBy(expected);
  await sleep(QUIET_MS);
  expect(await statuses()).toEqual(expected);
}

const orderOf = (number: string): Promise<Order> => waypost.orders.get(number);

describe('an order', () => {
  test('that is placed, shipped and delivered is told step by step, with its parcel', async () => {
    const order = await medusa.placeOrder({ email });
    await toldBy(['confirmed']);
    const fulfilment = await medusa.ship(order, ['JD 0146000912']);
    await toldBy(['confirmed', 'shipped']);
    await medusa.deliver(order, fulfilment);
    await toldBy(['confirmed', 'shipped', 'delivered']);
    const [confirmed, shipped] = await told();
    expect(confirmed).toMatchObject({
      reference: order.number,
      subject: `Your order ${order.number} is confirmed`,
      body: expect.stringMatching(/^Hello Mari,\n.*2 × Scarf\n.*shop\.example\/orders\/order_\w+\n\nKalev$/s),
    });
    expect(shipped?.body).toContain('Carrier: Omniva\nTracking number: JD 0146000912\n');
    const { shipments } = await orderOf(order.number);
    expect(shipments).toMatchObject([
      { tracking_number: 'JD 0146000912', tracking_url: 'https://carrier.example/JD%200146000912' },
    ]);
  });

  test('in two parcels is told once, and shows both', async () => {
    const order = await medusa.placeOrder({ email });
    await medusa.ship(order, ['AA1', 'AA2']);
    await staysAt(['confirmed', 'shipped']);
    const { shipments } = await orderOf(order.number);
    expect(shipments.map(({ tracking_number }) => tracking_number).sort()).toEqual(['AA1', 'AA2']);
  });

  test('that is shipped in two parts is told twice', async () => {
    const order = await medusa.placeOrder({ email });
    await medusa.ship(order, ['BB1'], { quantity: 1 });
    await medusa.ship(order, ['BB2'], { quantity: 1 });
    await toldBy(['confirmed', 'shipped', 'shipped']);
  });

  test('that is cancelled is told', async () => {
    const order = await medusa.placeOrder({ email });
    await medusa.cancel(order);
    await staysAt(['confirmed', 'cancelled']);
  });

  test('is told as refunded only once all of it went back', async () => {
    const order = await medusa.placeOrder({ email });
    const payment = await medusa.capture(order);
    await medusa.refund(payment, 5);
    await staysAt(['confirmed']);
    await medusa.refund(payment, 40);
    await toldBy(['confirmed', 'refunded']);
  });

  test('whose shipment asks for silence is not told as shipped', async () => {
    const order = await medusa.placeOrder({ email });
    await medusa.ship(order, ['CC1'], { isQuiet: true });
    await staysAt(['confirmed']);
  });

  test('that was paid and is cancelled is told as cancelled: Medusa refunds it without an event', async () => {
    const order = await medusa.placeOrder({ email });
    await medusa.capture(order);
    await medusa.cancel(order);
    await staysAt(['confirmed', 'cancelled']);
  });

  test('that staff enters is told, unless it asks for silence', async () => {
    await medusa.placeDraftOrder(email, { isQuiet: true });
    await eventually(() =>
      expect(store.printed()).toContain('waypost: order.placed tells nothing: no_notification'),
    );
    await medusa.placeDraftOrder(email, { isQuiet: false });
    await staysAt(['confirmed']);
  });

  test('whose cart is completed twice is told once', async () => {
    const { cartId } = await medusa.placeOrder({ email });
    await medusa.completeCart(cartId);
    await staysAt(['confirmed']);
  });
});

describe('the customer', () => {
  test('is told in the language of the cart', async () => {
    const order = await medusa.placeOrder({ email, locale: 'et-EE' });
    await toldBy(['confirmed']);
    expect((await told())[0]?.subject).toBe(`Teie tellimus ${order.number} on kinnitatud`);
    expect((await waypost.recipients.get(email)).language).toBe('et-EE');
  });

  test('who agreed to texts can be texted at the number of the order, which gets its country', async () => {
    const order = await medusa.placeOrder({ email, phone: '5555 0134', metadata: { texts: 'yes' } });
    await medusa.ship(order, ['DD1']);
    await toldBy(['confirmed', 'shipped']);
    expect((await waypost.recipients.get(email)).phone).toBe('+372 •••• 0134');
  });

  test('who did not agree is never texted, and the number stays in the shop', async () => {
    const order = await medusa.placeOrder({ email, phone: '5555 0135' });
    await medusa.ship(order, ['EE1']);
    await toldBy(['confirmed', 'shipped']);
    expect((await waypost.recipients.get(email)).phone).toBeNull();
  });
});

describe('while Waypost is down', () => {
  test('an order waits, and is told once it is up again', async () => {
    await gate.shut();
    await medusa.placeOrder({ email });
    await sleep(QUIET_MS);
    await gate.open();
    await staysAt(['confirmed']);
  });

  test('what happens to one order keeps its order', async () => {
    const order = await medusa.placeOrder({ email });
    await toldBy(['confirmed']);
    await gate.shut();
    const fulfilment = await medusa.ship(order, ['FF1']);
    await medusa.deliver(order, fulfilment);
    await sleep(QUIET_MS);
    await gate.open();
    await staysAt(['confirmed', 'shipped', 'delivered']);
  });
});

describe('a notification of the shop’s own', () => {
  const notify = (notification: object) =>
    medusa.call('POST', '/store/notify', { to: email, channel: 'email', ...notification });

  test('goes to the inbox in our words, by the name of its template', async () => {
    const data = { order_number: '#77', first_name: 'Mari', tracking_number: 'GG1', language: 'fi' };
    const made = await notify({ template: 'order-late', data });
    await toldBy(['delayed']);
    const [message] = await told();
    expect(textAt(made, 'external_id')).toBe(message?.id);
    expect(at(made, 'status')).toBe('success');
    expect(message).toMatchObject({ reference: '#77', body: expect.stringContaining('GG1') });
  });

  test('goes there in the shop’s words', async () => {
    const content = { subject: 'Your gift card', text: 'It is worth 20 €.' };
    await notify({ template: 'gift-card', content });
    await eventually(async () =>
      expect(await told()).toMatchObject([{ subject: 'Your gift card', body: 'It is worth 20 €.' }]),
    );
  });

  test('is sent once under one key, also when it failed before', async () => {
    const content = { subject: 'Hello', text: 'There' };
    const notification = { template: 'hello', content, idempotency_key: `hello-${people}` };
    await gate.shut();
    await expect(notify(notification)).rejects.toThrow('Failed to send notification');
    await gate.open();
    // Medusa sends it again, and then answers an error: it looks for the notification under a new id.
    for (const _ of [1, 2]) await notify(notification).catch(() => {});
    expect(await told()).toHaveLength(1);
  });

  test('that says nothing is refused with a sentence', async () => {
    await expect(notify({ template: 'who-knows' })).rejects.toThrow('is no order status');
  });
});

test('nothing that Medusa printed names a person or the key', () => {
  const printed = store.printed();
  expect(printed).toContain('waypost: shipment.created tells nothing: no_notification');
  expect(
    printed
      .split('\n')
      .filter((line) => /waypost/i.test(line))
      .join('\n'),
  ).not.toMatch(/@example|way_live/);
});

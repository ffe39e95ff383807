import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { earlier, MINUTE } from '../../src/kit/clock.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { joinShop, type MemberBrowser, searchIn, signedIn } from './memberBrowser.ts';

let service: TestService;
let shop: Shop;
let browser: MemberBrowser;
beforeAll(async () => {
  service = await startService();
  shop = await service.business({ name: 'Acme Books' });
  const { id } = await joinShop(service, shop.businessId, 'support@shop.example', 'viewer');
  browser = await signedIn(service, id);
});
afterAll(() => service.close());

const order = (reference: string, at: Shop = shop) =>
  browser.get(`/dashboard/${at.businessId}/orders?${new URLSearchParams({ reference })}`);

const orderApi = (reference: string): string => `/api/v1/orders/${encodeURIComponent(reference)}`;
const putShipment = async (reference: string, trackingNumber: string, facts: object = {}, at = shop) =>
  expectStatus(200, await at.put(`${orderApi(reference)}/shipments/${trackingNumber}`, facts));
const minutesAgo = (minutes: number): string => earlier(service.clock.now(), minutes * MINUTE).toISOString();

interface Reported {
  nudged: boolean;
  message_id: string | null;
}
let events = 0;
async function report(reference: string, event: Record<string, unknown>): Promise<Reported> {
  events += 1;
  const body = { tracking_number: 'JD01', at: minutesAgo(60), recipient_email: 'ann@example.com', ...event };
  const call = { body, idempotencyKey: `event ${events}` };
  return expectStatus(202, await shop.call('POST', `${orderApi(reference)}/tracking`, call));
}

/** The texts of a page, one after another. */
const textOf = (html: string): string =>
  html
    .slice(html.indexOf('<main'))
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');

test('an order’s page says where it stands, whose it is, and tells its messages in order', async () => {
  const confirmed = await shop.pushed({ reference: '#7/..', order_status: 'confirmed' });
  const shipped = await shop.pushed({ reference: '#7/..', order_status: 'shipped' });
  const mistake = await shop.pushed({ reference: '#7/..', order_status: 'cancelled' });
  await shop.post(`/api/v1/messages/${mistake.id}/retract`);
  const { status, text } = await order('#7/..');
  expect(status).toBe(200);
  expect(text).toContain('<p class="big-figure">Shipped</p>');
  const ids = [...text.matchAll(/id="m-([a-z0-9]+)"/g)].map(([, id]) => id);
  expect(ids).toEqual([confirmed.id, shipped.id, mistake.id]);
  expect(text).toMatch(/href="[^"]*\/recipients\/[a-z0-9]+">ann@example.com</);
  const message = await browser.get(`/dashboard/${shop.businessId}/messages/${shipped.id}`);
  const [, link = ''] = /href="([^"]*\/orders\?[^"]*)"/.exec(message.text) ?? [];
  expect((await browser.get(link)).text).toContain('<p class="big-figure">Shipped</p>');
});

test('a reference that is used for many shows the first customers, and how many more there are', async () => {
  for (let count = 1; count <= 7; count += 1)
    await shop.pushed({ reference: 'reused', recipient_email: `c${count}@example.com` });
  const customers = textOf((await order('reused')).text).split('Its messages')[0];
  expect(customers).toContain('Customers c1@example.com c2@example.com');
  expect(customers).toMatch(/c5@example.com And 2 more. $/);
});

test('an order without a known status says so', async () => {
  await shop.pushed({ reference: 'odd', order_status: 'lost in space' });
  expect((await order('odd')).text).toContain(
    'No message and no tracking event names a status that we know.',
  );
});

test('an order that is unknown or another shop’s is not found', async () => {
  const elsewhere = await service.business();
  await elsewhere.pushed({ reference: 'theirs' });
  await putShipment('sent-by-them', 'X1', {}, elsewhere);
  for (const reference of [
    'theirs',
    'sent-by-them',
    'nobody’s',
    '..',
    '\ud800',
    `"><script>alert(1)</script>`,
  ])
    expect((await order(reference)).status, reference).toBe(404);
  expect((await order('a\0b')).status).toBe(422);
  expect((await browser.get(`/dashboard/${shop.businessId}/orders`)).location).toBe(
    `/dashboard/${shop.businessId}/messages`,
  );
});

test('what customers and carriers are called, and what they write, is shown as text', async () => {
  const hostile = '"><script>alert(1)</script>';
  await shop.pushed({ reference: 'hostile', subject: hostile });
  await putShipment('hostile', 'JD01', { carrier: hostile });
  await report('hostile', { status: 'in_transit', description: hostile, location: hostile });
  const { text } = await order('hostile');
  expect(text).not.toContain('<script>alert');
  expect(text.match(/&lt;script>alert\(1\)&lt;\/script>/g)).toHaveLength(4);
});

describe('an order that no message names', () => {
  test('has a page as soon as a shipment names it, and is found by its number', async () => {
    await putShipment('#S-1', 'JD 01', {
      carrier: 'Nordic Parcel Express',
      tracking_url: 'https://track.example/JD01?a=1&b=2',
      expected_on: '2030-12-13',
      expected_until: '2030-12-15',
    });
    const page = await order('#S-1');
    expect(page.status).toBe(200);
    expect(page.text).toContain('<h3><bdi>JD 01</bdi></h3>');
    expect(page.text).toContain('<bdi>Nordic Parcel Express</bdi>');
    expect(page.text).toContain(
      '<a href="https://track.example/JD01?a=1&amp;b=2" rel="noopener noreferrer nofollow">Follow it at track.example</a>',
    );
    expect(textOf(page.text)).toMatch(/No news yet .* Expected 13 – 15 December 2030/);
    expect(page.text).toContain('None yet: the order is known by its shipments.');
    expect(page.text).toContain('No message and no tracking event names one yet.');
    const found = await searchIn(browser, shop, 's-1');
    expect((await browser.get(found.location ?? '')).text).toContain('<h1 dir="auto">Order #S-1</h1>');
  });

  test('names a customer to whom nothing was pushed, without a page about them', async () => {
    await report('E-1', { status: 'in_transit', recipient_email: 'new@example.com' });
    const { text } = await order('E-1');
    expect(textOf(text)).toContain('Customer new@example.com Named by a tracking event');
    expect(text).not.toMatch(/<a [^>]*>new@example.com/);
  });
});

describe('tracking', () => {
  test('is told by shipment, the newest event first, with its place and what the carrier wrote', async () => {
    await putShipment('T-1', 'JD01', { carrier: 'Nordic Parcel Express' });
    await report('T-1', { status: 'picked_up', at: minutesAgo(200), location: 'Tallinn' });
    await report('T-1', { status: 'exception', at: minutesAgo(100), description: 'The label is torn' });
    await report('T-1', { tracking_number: 'JD02', status: 'in_transit', at: minutesAgo(50) });
    const { text } = await order('T-1');
    const [stands = '', shipments = ''] = textOf(text).split(' Shipments 2 ');
    expect(text).toContain('<p class="big-figure">In transit</p>');
    expect(stands).toMatch(
      /In transit .*JD02.* A problem on the way .*JD01.* Picked up by the carrier .*JD01/,
    );
    expect(shipments).toMatch(
      /^JD01 A problem on the way Carrier Nordic Parcel Express A problem on the way .* The label is torn Picked up by the carrier .* Tallinn JD02 In transit Carrier Not named/,
    );
  });

  test('folds all but the newest three events', async () => {
    for (let count = 1; count <= 30; count += 1)
      await report('T-30', { status: 'in_transit', at: minutesAgo(count), location: `Stop ${count}` });
    const { text } = await order('T-30');
    expect(text).toContain('Earlier (27)');
    const [open, folded] = text.split('<details id="shipment-1-earlier">');
    expect(textOf(open ?? '')).toMatch(/Stop 1 .*Stop 2 .*Stop 3 /);
    expect(textOf(`<main${folded}`)).toMatch(/Stop 4 .*Stop 30 /);
  });

  test('a page that is not https is not linked', async () => {
    await putShipment('T-2', 'JD01', { carrier: 'Odd' });
    await service.pool.query(
      `update shipments set tracking_url = 'javascript:alert(1)' where reference = 'T-2'`,
    );
    const { text } = await order('T-2');
    expect(text).toContain('<bdi>Odd</bdi>');
    expect(text).not.toMatch(/javascript:|Follow it/);
  });

  test('the message that a milestone made says so, and leads to its page', async () => {
    const { message_id: id } = await report('T-3', { status: 'out_for_delivery' });
    const { text } = await order('T-3');
    expect(text).toContain(`href="/dashboard/${shop.businessId}/messages/${id}"`);
    expect(text.match(/A tracking event made the message\./g)).toHaveLength(1);
    await report('T-3', { tracking_number: 'JD02', status: 'out_for_delivery' });
    expect((await order('T-3')).text.match(/A tracking event updated the message\./g)).toHaveLength(1);
  });

  test('a push by hand that told a milestone says that nothing was sent for it', async () => {
    const { id } = await shop.pushed({ reference: 'T-4', order_status: 'delivered' });
    const other = await shop.pushed({ reference: 'T-4', subject: 'A receipt' });
    expect(await report('T-4', { status: 'delivered' })).toMatchObject({ nudged: false });
    const { text } = await order('T-4');
    const rows = text.split('id="m-').slice(1);
    const told = 'Nothing was sent for a tracking event: this message had told it already.';
    expect(rows.map((row) => [row.includes(id), row.includes(told)])).toEqual([
      [true, true],
      [false, false],
    ]);
    expect(rows[1]).toContain(other.id);
    const story = await browser.get(`/dashboard/${shop.businessId}/messages/${id}`);
    expect(story.text).toContain(told);
  });

  test('what was expected is said, also once it has passed', async () => {
    await putShipment('T-5', 'JD01', { expected_on: '2020-01-02' });
    expect(textOf((await order('T-5')).text)).toContain('Expected Thursday, 2 January 2020');
  });
});

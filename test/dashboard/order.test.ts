import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { joinShop, type MemberBrowser, signedIn } from './memberBrowser.ts';

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

test('an order without a known status says so', async () => {
  await shop.pushed({ reference: 'odd', order_status: 'lost in space' });
  expect((await order('odd')).text).toContain('No message about it names a status that we know.');
});

test('an order that is unknown or another shop’s is not found', async () => {
  const elsewhere = await service.business();
  await elsewhere.pushed({ reference: 'theirs' });
  for (const reference of ['theirs', 'nobody’s']) expect((await order(reference)).status).toBe(404);
  expect((await browser.get(`/dashboard/${shop.businessId}/orders`)).location).toBe(
    `/dashboard/${shop.businessId}/messages`,
  );
});

test('a hostile subject is shown as text', async () => {
  await shop.pushed({ reference: 'hostile', subject: '"><script>alert(1)</script>' });
  const { text } = await order('hostile');
  expect(text).not.toContain('<script>alert');
  expect(text).toContain('&lt;script>alert(1)&lt;/script>');
});

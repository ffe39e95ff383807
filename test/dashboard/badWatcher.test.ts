import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { cookieOf, openLivePage, openStream } from './heldOpen.ts';
import { joinShop, type MemberBrowser, signedIn } from './memberBrowser.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

async function shopWithMember(email: string): Promise<{ shop: Shop; id: string; member: MemberBrowser }> {
  const shop = await service.business();
  const { id } = await joinShop(service, shop.businessId, email, 'member');
  return { shop, id, member: await signedIn(service, id) };
}

test('a live page with a parameter that cannot be stored is refused, and the pages of others go on', async () => {
  const bad = await shopWithMember('bad@shop.example');
  const live = `/dashboard/${bad.shop.businessId}/live`;
  const held = await Promise.all(
    ['%00', 'a%00b', '%ff', '%ED%A0%80', '2', 'x'.repeat(5_000), "'; drop table messages"].map((message) =>
      openStream(bad.member, `${live}?message=${message}`),
    ),
  );
  const good = await shopWithMember('good@shop.example');
  const list = `/dashboard/${good.shop.businessId}/messages`;
  const guest = await joinShop(service, good.shop.businessId, 'guest@shop.example', 'viewer');
  const [stays, leaves] = [
    await openLivePage(good.member, list),
    await openLivePage(await signedIn(service, guest.id), list),
  ];
  await good.shop.pushed();
  await eventually(() => expect([stays.changes(), leaves.changes()]).toEqual([1, 1]));
  await service.pool.query('delete from memberships where member_id = $1', [guest.id]);
  await eventually(() => expect(leaves.isOver()).toBe(true));
  expect(stays.isOver()).toBe(false);

  for (const { status, type } of held) expect([status, type]).toEqual([422, 'text/html; charset=utf-8']);
  expect(held[0]?.said()).toContain('This request cannot be understood');
  for (const stream of [...held, stays]) stream.hangUp();
});

test.each([
  ['a filter', (shop: string) => `/dashboard/${shop}/messages?reference=%00`],
  ['the filter of a file', (shop: string) => `/dashboard/${shop}/messages.csv?recipient=%ff`],
])('a NUL in %s gets a page that says that it is wrong', async (_what, path) => {
  const { shop, member } = await shopWithMember('nul@shop.example');
  // As an open page asks for itself, which reads a message together with those of others.
  const response = await fetch(service.url + path(shop.businessId), {
    headers: { cookie: cookieOf(member), 'x-by-itself': 'yes' },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([422, 'text/html; charset=utf-8']);
  expect(await response.text()).toContain('This request cannot be understood');
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { Shop } from '../support/shop.ts';
import {
  csrfIn,
  joinAsOperator,
  joinShop,
  type MemberBrowser,
  mailedLink,
  type ReadPage,
  signedIn,
} from './memberBrowser.ts';

/** Dangerous acts ask to sign in again; revoking a key that has children stands for all of them. */
let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService();
  shop = await service.business();
});
afterAll(() => service.close());

let count = 0;
async function newOwner(): Promise<{ email: string; browser: MemberBrowser }> {
  count += 1;
  const email = `owner${count}@shop.example`;
  const { id } = await joinShop(service, shop.businessId, email, 'owner');
  return { email, browser: await signedIn(service, id) };
}

/** A key with a child, and the address that revokes it. */
async function keyWithChild(): Promise<{ id: string; path: string }> {
  const parent = JSON.parse((await shop.call('POST', '/api/v1/keys', { body: { detach: true } })).text);
  await new Shop(service.url, shop.businessId, parent.key).post('/api/v1/keys');
  return { id: parent.id, path: `/dashboard/${shop.businessId}/keys/${parent.id}/revoke` };
}
const isActive = async (id: string): Promise<boolean> =>
  (await shop.get('/api/v1/keys')).text.includes(`"id":"${id}"`);
/** What the audit log has of this member's acts. */
async function actsOf(email: string): Promise<object[]> {
  const { rows } = await service.pool.query(
    `select action from audit_entries where actor = 'member:' || (select id from members where email = $1)`,
    [email],
  );
  return rows;
}
const again = (path: string): string => `/dashboard/sign-in-again?to=${path}`;
const askForLink = (browser: MemberBrowser, to: string): Promise<ReadPage> =>
  browser.submit(again(to), '/dashboard/sign-in-again', { to });

test('within 10 minutes of signing in nothing more is asked', async () => {
  const { browser } = await newOwner();
  const { id, path } = await keyWithChild();
  await service.advance({ minutes: 9 });
  expect((await browser.submit(path, path)).status).toBe(303);
  expect(await isActive(id)).toBe(false);
});

test('after that the member is asked to sign in again, and comes back to where they were', async () => {
  const { email, browser } = await newOwner();
  const { id, path } = await keyWithChild();
  await service.advance({ minutes: 11 });
  const asked = await browser.get(path);
  expect([asked.status, asked.location]).toEqual([303, again(path)]);
  const page = await browser.get(asked.location ?? '');
  expect(page.text).toContain('Please sign in again');
  expect(page.text).toContain(email);
  const sent = await askForLink(browser, path);
  expect([sent.status, sent.text]).toEqual([200, expect.stringContaining('Check your mail')]);
  const signed = await browser.post(await mailedLink(service, email));
  expect([signed.status, signed.location]).toEqual([303, path]);
  expect(await isActive(id), 'nothing is repeated by itself').toBe(true);
  expect((await browser.submit(path, path)).location).toContain('?flash=revoked_with_children');
  expect(await isActive(id)).toBe(false);
});

test('a form that was opened in time and sent too late changes nothing', async () => {
  const { browser } = await newOwner();
  const { id, path } = await keyWithChild();
  const csrf = csrfIn((await browser.get(path)).text);
  await service.advance({ minutes: 11 });
  const late = await browser.post(path, { csrf });
  expect([late.status, late.location]).toEqual([303, again(path)]);
  expect(await isActive(id)).toBe(true);
});

test('what is not dangerous asks for nothing, however long ago the sign-in was', async () => {
  const { browser } = await newOwner();
  const { id } = JSON.parse((await shop.call('POST', '/api/v1/keys', { body: { detach: true } })).text);
  await service.advance({ hours: 2 });
  const path = `/dashboard/${shop.businessId}/keys/${id}/revoke`;
  expect((await browser.submit(path, path)).location).toContain('?flash=revoked');
  expect(await isActive(id)).toBe(false);
});

/** Forms that give an owner's power away, and forms beside them that do not. */
const OWNERS_FORMS = [
  {
    does: 'adds an owner asks',
    below: 'settings/members',
    fields: { email: 'a@shop.example', role: 'owner' },
  },
  { does: 'makes a viewer an owner asks', below: 'settings/members/:viewer', fields: { role: 'owner' } },
  { does: 'creates a key with full access asks', below: 'keys', fields: { access: 'full' } },
  { does: 'creates a key of the default access asks', below: 'keys', fields: { name: 'Mine' } },
];
const OTHER_FORMS = [
  { does: 'adds a member', below: 'settings/members', fields: { email: 'b@shop.example', role: 'member' } },
  { does: 'makes a viewer a member', below: 'settings/members/:viewer', fields: { role: 'member' } },
  { does: 'creates a key that sends', below: 'keys', fields: { access: 'send' } },
];
async function ownerAtForm(below: string) {
  const owner = await newOwner();
  const viewer = await joinShop(service, shop.businessId, `viewer.${owner.email}`, 'viewer');
  await service.advance({ minutes: 11 });
  return { ...owner, page: `/dashboard/${shop.businessId}/${below.replace(':viewer', viewer.id)}` };
}

test.each(OWNERS_FORMS)('a form that $does to sign in again', async ({ below, fields }) => {
  const { email, browser, page } = await ownerAtForm(below);
  const late = await browser.submit(page, page, fields);
  expect([late.status, late.location]).toEqual([303, again(page)]);
  expect(await actsOf(email), 'nothing was done').toEqual([]);
  await askForLink(browser, page);
  expect((await browser.post(await mailedLink(service, email))).location).toBe(page);
  await browser.submit(page, page, fields);
  expect(await actsOf(email)).toHaveLength(1);
});

test.each(OTHER_FORMS)('a form that $does asks for nothing', async ({ below, fields }) => {
  const { email, browser, page } = await ownerAtForm(below);
  await browser.submit(page, page, fields);
  expect(await actsOf(email)).toHaveLength(1);
});

test('the role is asked for first, and a stranger is told nothing of the shop', async () => {
  const { path } = await keyWithChild();
  const { id } = await joinShop(service, shop.businessId, 'viewer@shop.example', 'viewer');
  const other = await service.business();
  const stranger = await joinShop(service, other.businessId, 'stranger@shop.example', 'owner');
  const [viewer, elsewhere] = [await signedIn(service, id), await signedIn(service, stranger.id)];
  await service.advance({ minutes: 11 });
  expect((await viewer.get(path)).status).toBe(403);
  expect((await elsewhere.get(path)).status).toBe(404);
});

test('an operator is asked, too', async () => {
  const operator = await signedIn(service, (await joinAsOperator(service, 'op@waypost.example')).id);
  const { path } = await keyWithChild();
  await service.advance({ minutes: 11 });
  expect((await operator.get(path)).location).toBe(again(path));
});

test.each(['https://evil.example/dashboard/account', '//evil.example', '/sandbox', '/dashboard/../sandbox'])(
  'the way back leads to the dashboard and not to %s',
  async (to) => {
    const { email, browser } = await newOwner();
    expect((await browser.get(again(encodeURIComponent(to)))).text).not.toContain('evil.example');
    await askForLink(browser, encodeURIComponent(to));
    await browser.submit('/dashboard/account', '/dashboard/sign-in-again', { to });
    const link = await mailedLink(service, email, 2);
    // Not by a cookie of another making, either.
    browser.cookies.set('waypost_return', to);
    expect((await browser.post(link)).location).toBe('/dashboard');
  },
);

test('the way back is forgotten by signing out, and by asking for an ordinary link', async () => {
  const { email, browser } = await newOwner();
  const { path } = await keyWithChild();
  await askForLink(browser, path);
  expect(browser.cookies.get('waypost_return')).toBe(path);
  await browser.submit('/dashboard/account', '/dashboard/sign-out');
  expect(browser.cookies.has('waypost_return')).toBe(false);
  const second = await newOwner();
  await askForLink(second.browser, path);
  await second.browser.post('/dashboard/sign-in', { email });
  expect(second.browser.cookies.has('waypost_return')).toBe(false);
});

test('signing in again replaces the session, and its old token is worth nothing', async () => {
  const { email, browser } = await newOwner();
  const { path } = await keyWithChild();
  const before = browser.cookies.get('waypost_dashboard') ?? '';
  await askForLink(browser, path);
  await browser.post(await mailedLink(service, email));
  const account = (await browser.get('/dashboard/account')).text;
  expect(account.match(/Firefox on Linux<\/strong>/g)).toHaveLength(1);
  browser.cookies.set('waypost_dashboard', before);
  expect((await browser.get('/dashboard/account')).location).toBe('/dashboard/sign-in');
});

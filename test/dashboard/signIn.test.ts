import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureDemo } from '../../src/businesses/demo.ts';
import { transaction } from '../../src/db/transaction.ts';
import { later } from '../../src/kit/clock.ts';
import { DEMO_OWNER } from '../../src/members/demoLink.ts';
import { removeMember } from '../../src/members/members.ts';
import { signInWithLink, writeLink } from '../../src/members/signIn.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { capturedMessages } from '../support/waiting.ts';
import { csrfIn, joinAsOperator, joinShop, MemberBrowser, mailedLink, signedIn } from './memberBrowser.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService();
  shop = await service.business({ name: 'Acme Books' });
});
afterAll(() => service.close());

let count = 0;
const newAddress = (): string => {
  count += 1;
  return `member${count}@shop.example`;
};

async function newMember(role: 'owner' | 'member' | 'viewer' = 'owner') {
  const email = newAddress();
  const { id } = await joinShop(service, shop.businessId, email, role);
  return { email, id };
}

const ask = (browser: MemberBrowser, email: string) => browser.post('/dashboard/sign-in', { email });

test('a member signs in by the link in the mail, which the sandbox shows', async () => {
  const { email } = await newMember();
  const browser = new MemberBrowser(service.url);
  expect((await browser.get('/dashboard')).location).toBe('/dashboard/sign-in');
  const asked = await ask(browser, email);
  expect([asked.status, asked.text]).toEqual([200, expect.stringContaining('Check your mail')]);
  const link = await mailedLink(service, email);
  expect((await browser.get(link)).text).toContain('Welcome back');
  expect((await browser.post(link)).location).toBe('/dashboard');
  expect((await browser.get('/dashboard')).location).toBe(`/dashboard/${shop.businessId}`);
});

test('an address that is no member’s gets the same page in the same time, and no mail', async () => {
  const { email } = await newMember();
  const stranger = newAddress();
  const timed = async (address: string) => {
    const browser = new MemberBrowser(service.url);
    const began = performance.now();
    const page = await ask(browser, address);
    return {
      ms: performance.now() - began,
      status: page.status,
      text: page.text,
      cookie: browser.lastCookies.length,
    };
  };
  const [known, unknown, malformed] = [await timed(email), await timed(stranger), await timed('nobody')];
  const { ms: _, ...seen } = known;
  expect(unknown).toMatchObject(seen);
  expect(malformed).toMatchObject(seen);
  for (const { ms } of [known, unknown, malformed]) expect(ms).toBeGreaterThanOrEqual(249);
  // Each takes the fixed time, unless the machine itself stalls: the work for a member is done within it.
  expect(Math.min(known.ms, (await timed(email)).ms, (await timed(email)).ms)).toBeLessThan(500);
  await mailedLink(service, email);
  expect(await capturedMessages(service.url, { to: stranger })).toEqual([]);
});

test('a link signs in once', async () => {
  const { email } = await newMember();
  const browser = new MemberBrowser(service.url);
  await ask(browser, email);
  const link = await mailedLink(service, email);
  const cookie = new Map(browser.cookies);
  const both = await Promise.all([browser.post(link), browser.post(link)]);
  expect(both.map(({ status }) => status).sort()).toEqual([303, 404]);
  for (const [name, value] of cookie) browser.cookies.set(name, value);
  expect((await browser.post(link)).status).toBe(404);
  expect((await browser.get(link)).text).toContain('This link does not work here');
});

test('a link signs in once, also when the second request has the earlier time', async () => {
  const { id } = await newMember();
  const now = service.clock.now();
  const token = await writeLink(service.pool, id, null, now);
  const use = { token, browserToken: null, browser: 'Firefox on Linux' };
  expect(await signInWithLink(service.pool, use, later(now, 2_000))).toMatch(/^[\w-]{43}$/);
  expect(await signInWithLink(service.pool, use, later(now, 1_000))).toBeNull();
});

test('fetching a link, as mail scanners do, uses nothing up and signs nobody in', async () => {
  const { email } = await newMember();
  const browser = new MemberBrowser(service.url);
  await ask(browser, email);
  const link = await mailedLink(service, email);
  const scanner = new MemberBrowser(service.url);
  await scanner.get(link);
  await browser.get(link);
  expect([scanner.lastCookies, browser.lastCookies]).toEqual([[], []]);
  expect((await browser.post(link)).status).toBe(303);
});

test('a link works only in the browser that asked for it', async () => {
  const { email } = await newMember();
  const browser = new MemberBrowser(service.url);
  await ask(browser, email);
  const link = await mailedLink(service, email);
  const other = new MemberBrowser(service.url);
  await ask(other, newAddress());
  expect((await other.get(link)).status).toBe(404);
  expect((await other.post(link)).status).toBe(404);
  expect((await new MemberBrowser(service.url).post(link)).status).toBe(404);
  expect((await browser.post(link)).status).toBe(303);
});

test('a link of another site’s form signs nobody in', async () => {
  const { email } = await newMember();
  const browser = new MemberBrowser(service.url);
  await ask(browser, email);
  const link = await mailedLink(service, email);
  expect((await browser.post(link, {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect((await browser.post(link)).status).toBe(303);
});

test('only hashes of links and sessions are stored', async () => {
  const { email, id } = await newMember();
  const browser = new MemberBrowser(service.url);
  await ask(browser, email);
  const link = await mailedLink(service, email);
  await browser.post(link);
  const { rows } = await service.pool.query<{ row: string }>(
    `select row_to_json(l)::text as row from sign_in_links l where member_id = $1
     union all select row_to_json(s)::text from dashboard_sessions s where member_id = $1`,
    [id],
  );
  expect(rows).toHaveLength(2);
  const secrets = [link.split('/').at(-1) ?? '', ...browser.cookies.values()];
  for (const { row } of rows)
    for (const secret of secrets) {
      expect(secret).toMatch(/^[\w-]{43}$/);
      expect(row).not.toContain(secret);
      expect(row).not.toContain(Buffer.from(secret).toString('hex'));
    }
});

test('the cookie is unreadable for scripts and not sent with other sites’ forms', async () => {
  const { id } = await newMember();
  const browser = await signedIn(service, id);
  expect(browser.lastCookies[0]).toMatch(
    /^waypost_dashboard=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
  );
});

test('over https every cookie is this host’s alone', async () => {
  const secure = await startService({}, { publicUrl: 'https://waypost.example' });
  const { businessId } = await secure.business();
  const { id } = await joinShop(secure, businessId, newAddress(), 'owner');
  const stranger = new MemberBrowser(secure.url);
  await ask(stranger, newAddress());
  const flags = 'Path=/; Max-Age=\\d+; HttpOnly; SameSite=Lax; Secure$';
  expect(stranger.lastCookies[0]).toMatch(new RegExp(`^__Host-waypost_sign_in=[\\w-]{43}; ${flags}`));
  const browser = await signedIn(secure, id);
  expect(browser.lastCookies[0]).toMatch(new RegExp(`^__Host-waypost_dashboard=[\\w-]{43}; ${flags}`));
  for (const cookie of browser.lastCookies) expect(cookie).toMatch(/^__Host-.*; Secure$/);
  expect((await browser.get('/dashboard/account')).status).toBe(200);
  // A cookie of the plain name, which another host of the domain could plant, is not looked at.
  const planted = new MemberBrowser(secure.url);
  planted.cookies.set('waypost_dashboard', browser.cookies.get('__Host-waypost_dashboard') ?? '');
  expect((await planted.get('/dashboard/account')).location).toBe('/dashboard/sign-in');
  await secure.close();
});

test('every page has strict headers, also those that fail', async () => {
  const { id } = await newMember();
  const member = await signedIn(service, id);
  const stranger = new MemberBrowser(service.url);
  const pages = [
    await member.get('/dashboard/account'),
    await member.get('/dashboard/shops'),
    await member.get('/dashboard/nothing/at/all'),
    await member.post('/dashboard/sign-out', { csrf: 'wrong' }),
    await stranger.get('/dashboard'),
    await stranger.get('/dashboard/sign-in'),
    await stranger.get('/dashboard/sign-in/nothing'),
    await stranger.post('/dashboard/sign-in', { email: 'x'.repeat(20_000) }),
  ];
  for (const { headers, text } of pages) {
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(text).not.toMatch(/<script>|style="|onclick=/);
  }
});

test('a form without the session’s token, or with another session’s, does nothing', async () => {
  const [one, two] = [await newMember(), await newMember()];
  const [mine, other] = [await signedIn(service, one.id), await signedIn(service, two.id)];
  const stolen = csrfIn((await other.get('/dashboard/account')).text);
  for (const fields of [{}, { csrf: '' }, { csrf: stolen }])
    expect((await mine.post('/dashboard/sign-out', fields)).status).toBe(403);
  expect((await mine.get('/dashboard/account')).status).toBe(200);
});

test('a member signs out, and the session is gone', async () => {
  const { id } = await newMember();
  const browser = await signedIn(service, id);
  const kept = new Map(browser.cookies);
  expect((await browser.submit('/dashboard/account', '/dashboard/sign-out')).location).toBe(
    '/dashboard/sign-in',
  );
  expect(browser.cookies.size).toBe(0);
  for (const [name, value] of kept) browser.cookies.set(name, value);
  expect((await browser.get('/dashboard/account')).location).toBe('/dashboard/sign-in');
});

test('a member sees their sessions and ends one of them, but nobody else’s', async () => {
  const { id } = await newMember();
  const stranger = await signedIn(service, (await newMember()).id);
  const [here, there] = [await signedIn(service, id), await signedIn(service, id)];
  const page = (await here.get('/dashboard/account')).text;
  expect(page.match(/Firefox on Linux<\/strong>/g)).toHaveLength(2);
  const [, end] = /action="(\/dashboard\/account\/sessions\/[^"]+)"/.exec(page) ?? [];
  expect((await stranger.submit('/dashboard/account', end ?? '')).status).toBe(404);
  expect((await there.get('/dashboard/account')).status).toBe(200);
  expect((await here.submit('/dashboard/account', end ?? '')).location).toBe(
    '/dashboard/account?flash=session_ended',
  );
  expect((await there.get('/dashboard/account')).location).toBe('/dashboard/sign-in');
  expect((await here.get('/dashboard/account')).status).toBe(200);
});

test('signing in again in the same browser replaces its session', async () => {
  const { email, id } = await newMember();
  const browser = await signedIn(service, id);
  await ask(browser, email);
  await browser.post(await mailedLink(service, email));
  const page = (await browser.get('/dashboard/account')).text;
  expect(page.match(/Firefox on Linux<\/strong>/g)).toHaveLength(1);
});

test('a removed member’s sessions and links end at once', async () => {
  const { email, id } = await newMember();
  const browser = await signedIn(service, id);
  await ask(browser, email);
  const link = await mailedLink(service, email);
  const where = { businessId: shop.businessId, email };
  await transaction(service.pool, (tx) => removeMember(tx, service.clock.now(), where));
  expect((await browser.get('/dashboard/account')).location).toBe('/dashboard/sign-in');
  expect((await browser.post(link)).status).toBe(404);
  await ask(browser, email);
  expect(await capturedMessages(service.url, { to: email })).toHaveLength(1);
});

test('a member of several shops switches between them, and an operator sees all', async () => {
  const [second, third] = [
    await service.business({ name: 'Second' }),
    await service.business({ name: 'Third' }),
  ];
  const { email, id } = await newMember();
  await joinShop(service, second.businessId, email, 'viewer');
  const browser = await signedIn(service, id);
  expect((await browser.get('/dashboard')).location).toBe('/dashboard/shops');
  const page = (await browser.get('/dashboard/shops')).text;
  expect(page).toContain(`href="/dashboard/${shop.businessId}"`);
  expect(page).toContain(`href="/dashboard/${second.businessId}"`);
  expect(page).not.toContain(third.businessId);
  const operator = await signedIn(service, (await joinAsOperator(service, newAddress())).id);
  expect((await operator.get('/dashboard')).location).toBe('/dashboard/operator');
  const all = (await operator.get('/dashboard/shops')).text;
  for (const { businessId } of [shop, second, third])
    expect(all).toContain(`href="/dashboard/${businessId}"`);
});

test('an operator lands at the shops that they operate, unless they came for another page', async () => {
  const { id } = await joinAsOperator(service, newAddress());
  // A shop of their own does not change that.
  const email = newAddress();
  const both = await joinShop(service, shop.businessId, email, 'owner');
  await joinAsOperator(service, email);
  for (const operator of [id, both.id]) {
    const browser = new MemberBrowser(service.url);
    const { location } = await browser.post(
      `/dashboard/sign-in/${await writeLink(service.pool, operator, null, service.clock.now())}`,
    );
    expect((await browser.get(location ?? '')).location).toBe('/dashboard/operator');
  }
  const browser = new MemberBrowser(service.url);
  const page = `/dashboard/${shop.businessId}/keys`;
  const asks = await browser.get(page);
  expect(asks.location).toBe(`/dashboard/sign-in?to=${page}`);
  await browser.post('/dashboard/sign-in', { email, to: page });
  expect((await browser.post(await mailedLink(service, email))).location).toBe(page);
});

test('an operator without a shop gets the mail, too', async () => {
  const email = newAddress();
  await joinAsOperator(service, email);
  const browser = new MemberBrowser(service.url);
  await ask(browser, email);
  expect((await browser.post(await mailedLink(service, email))).status).toBe(303);
});

test('the sandbox signs in to the demo shop, each link once', async () => {
  const browser = new MemberBrowser(service.url);
  expect((await browser.get('/sandbox/dashboard')).status).toBe(404);
  const dataDir = await mkdtemp(join(tmpdir(), 'waypost-demo-'));
  const demo = await ensureDemo(service.pool, service.clock, { dataDir, baseUrl: service.url });
  const { location } = await browser.get('/sandbox/dashboard');
  expect(location).toMatch(/^\/dashboard\/sign-in\/[\w-]{43}$/);
  expect((await browser.post(location ?? '')).location).toBe('/dashboard');
  expect((await browser.get('/dashboard')).location).toBe(`/dashboard/${demo.business_id}`);
  expect((await browser.get('/dashboard/account')).text).toContain(DEMO_OWNER);
  expect((await new MemberBrowser(service.url).post(location ?? '')).status).toBe(404);
  await rm(dataDir, { recursive: true });
});

test('nothing of a link, a session or an address is in the log', async () => {
  const { email } = await newMember();
  const browser = new MemberBrowser(service.url);
  await ask(browser, email);
  const link = await mailedLink(service, email);
  await browser.get(link);
  await browser.post(link);
  await browser.get('/dashboard/account');
  const log = JSON.stringify(service.logged);
  for (const secret of [email, link.split('/').at(-1) ?? '', ...browser.cookies.values()])
    expect(log).not.toContain(secret);
});

/* Last, because they move the clock of the service. */

test('a link ends after 15 minutes', async () => {
  const { email } = await newMember();
  const browser = new MemberBrowser(service.url);
  await ask(browser, email);
  const link = await mailedLink(service, email);
  await service.advance({ minutes: 15 });
  expect((await browser.post(link)).status).toBe(404);
});

test('a session ends after 12 hours without use, and after 30 days in any case', {
  timeout: 60_000,
}, async () => {
  const { id } = await newMember();
  const idle = await signedIn(service, id);
  const used = await signedIn(service, id);
  await service.advance({ hours: 11 });
  expect((await used.get('/dashboard/account')).status).toBe(200);
  await service.advance({ hours: 2 });
  expect((await idle.get('/dashboard/account')).location).toBe('/dashboard/sign-in');
  expect((await used.get('/dashboard/account')).status).toBe(200);
  for (let hours = 13; hours + 11 < 30 * 24; hours += 11) {
    await service.advance({ hours: 11 });
    await used.get('/dashboard/account');
  }
  expect((await used.get('/dashboard/account')).status).toBe(200);
  await service.advance({ hours: 11 });
  expect((await used.get('/dashboard/account')).location).toBe('/dashboard/sign-in');
});

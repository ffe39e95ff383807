import { afterAll, beforeAll, expect, test } from 'vitest';
import { SIGN_IN_CODE_TRIES, SIGN_IN_CODE_TRIES_PER_MEMBER_A_DAY } from '../../src/config/limits.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { capturedMessages } from '../support/waiting.ts';
import { joinShop, MemberBrowser, mailedLink, type ReadPage, signedIn } from './memberBrowser.ts';

/** Signing in by the six digits in the mail. Each `MemberBrowser` asks from an address of its own. */
let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService();
  shop = await service.business();
});
afterAll(() => service.close());

let count = 0;
const newAddress = (): string => {
  count += 1;
  return `member${count}@shop.example`;
};

/** A member, and a browser that asked for a mail, with what the mail says. */
async function asked() {
  const email = newAddress();
  const { id } = await joinShop(service, shop.businessId, email, 'owner');
  const browser = new MemberBrowser(service.url);
  return { email, id, browser, ...(await askFor(browser, email, 1)) };
}

/** `mails`: how many the address has then. */
async function askFor(browser: MemberBrowser, email: string, mails: number) {
  const page = await browser.post('/dashboard/sign-in', { email });
  const link = await mailedLink(service, email, mails);
  const [mail] = await capturedMessages(service.url, { to: email, channel: 'email' });
  const code = /^\d{6}$/m.exec(mail?.text ?? '')?.[0] ?? '';
  expect(mail?.html).toContain(`>${code}</p>`);
  return { page, link, code };
}

const type = (browser: MemberBrowser, code: string): Promise<ReadPage> =>
  browser.post('/dashboard/sign-in/code', { code });
/** Another code than this one. */
const wrong = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');
async function typeWrong(browser: MemberBrowser, code: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) expect((await type(browser, wrong(code))).status).toBe(422);
}

test('the code of the mail, read on another device, signs in the browser that asked', async () => {
  const { page, browser, code } = await asked();
  expect(page.text).toMatch(/<input id="code"[^>]*inputmode="numeric"[^>]*autocomplete="one-time-code"/);
  expect((await type(browser, ` ${code.slice(0, 3)} ${code.slice(3)}`)).location).toBe('/dashboard');
  expect((await browser.get('/dashboard')).location).toBe(`/dashboard/${shop.businessId}`);
});

test('the code leads to the page that was asked for', async () => {
  const { email } = await asked();
  const browser = new MemberBrowser(service.url);
  const to = `/dashboard/${shop.businessId}/keys`;
  await browser.post('/dashboard/sign-in', { email, to });
  await mailedLink(service, email, 2);
  const [mail] = await capturedMessages(service.url, { to: email, channel: 'email' });
  expect((await type(browser, /^\d{6}$/m.exec(mail?.text ?? '')?.[0] ?? '')).location).toBe(to);
});

test('the code works in no browser but the one that asked, be it one that asked for another member', async () => {
  const [one, other] = [await asked(), await asked()];
  expect((await type(new MemberBrowser(service.url), one.code)).status).toBe(422);
  expect((await type(other.browser, one.code)).status).toBe(422);
  expect((await type(one.browser, one.code)).status).toBe(303);
});

test('code and link are one: using either uses up both', async () => {
  const [byCode, byLink] = [await asked(), await asked()];
  const cookies = new Map(byCode.browser.cookies);
  expect((await type(byCode.browser, byCode.code)).status).toBe(303);
  for (const [name, value] of cookies) byCode.browser.cookies.set(name, value);
  expect((await byCode.browser.post(byCode.link)).status).toBe(404);
  expect((await type(byCode.browser, byCode.code)).status).toBe(422);
  const before = new Map(byLink.browser.cookies);
  expect((await byLink.browser.post(byLink.link)).status).toBe(303);
  for (const [name, value] of before) byLink.browser.cookies.set(name, value);
  expect((await type(byLink.browser, byLink.code)).status).toBe(422);
});

test('a code signs in once, also when it is sent twice at a moment', async () => {
  const { browser, code } = await asked();
  const both = await Promise.all([type(browser, code), type(browser, code)]);
  expect(both.map(({ status }) => status).sort()).toEqual([303, 422]);
});

test('after five wrong codes the code and the link are dead, and a new mail works', async () => {
  const { browser, email, code, link } = await asked();
  await typeWrong(browser, code, SIGN_IN_CODE_TRIES);
  expect((await type(browser, code)).status).toBe(422);
  expect((await browser.post(link)).status).toBe(404);
  const next = await askFor(browser, email, 2);
  await typeWrong(browser, next.code, SIGN_IN_CODE_TRIES - 1);
  expect((await type(browser, next.code)).status).toBe(303);
});

test('of many wrong codes at once no more than five are tried', async () => {
  const { browser, id, code } = await asked();
  await Promise.all(Array.from({ length: 12 }, () => type(browser, wrong(code))));
  const { rows } = await service.pool.query('select code_tries from sign_in_links where member_id = $1', [
    id,
  ]);
  expect(rows).toEqual([{ code_tries: SIGN_IN_CODE_TRIES }]);
});

test('a stranger who tries codes in a member’s name does not end the member’s own', async () => {
  const { browser, email, code } = await asked();
  const stranger = new MemberBrowser(service.url);
  const theirs = await askFor(stranger, email, 2);
  await typeWrong(stranger, theirs.code, SIGN_IN_CODE_TRIES + 2);
  expect((await type(browser, code)).status).toBe(303);
});

test('strangers in many networks get so many tries a day, and the link is not in danger', async () => {
  const { browser, email, link, code } = await asked();
  const strangers = SIGN_IN_CODE_TRIES_PER_MEMBER_A_DAY / SIGN_IN_CODE_TRIES;
  for (let stranger = 0; stranger < strangers; stranger += 1) {
    const one = new MemberBrowser(service.url);
    const theirs = await askFor(one, email, stranger + 2);
    await Promise.all(Array.from({ length: SIGN_IN_CODE_TRIES }, () => type(one, wrong(theirs.code))));
  }
  expect((await type(browser, code)).status).toBe(422);
  expect((await browser.post(link)).status).toBe(303);
});

test('looking at the pages uses nothing up', async () => {
  const { browser, code, link, id } = await asked();
  expect((await browser.get('/dashboard/sign-in/code')).status).toBe(200);
  expect((await browser.get(link)).status).toBe(200);
  const { rows } = await service.pool.query('select code_tries from sign_in_links where member_id = $1', [
    id,
  ]);
  expect(rows).toEqual([{ code_tries: 0 }]);
  expect((await type(browser, code)).status).toBe(303);
});

test('who is no member sees the same answers, in the same time', async () => {
  const { browser, code } = await asked();
  const stranger = new MemberBrowser(service.url);
  await stranger.post('/dashboard/sign-in', { email: newAddress() });
  for (const typed of [wrong(code), 'no code', '']) {
    const began = performance.now();
    const [theirs, ours] = [await type(stranger, typed), await type(browser, typed)];
    expect(theirs.text).toBe(ours.text);
    expect(theirs.text).toContain('This code does not work.');
    expect(performance.now() - began).toBeGreaterThanOrEqual(2 * 249);
  }
});

test('one client cannot try any number of codes', async () => {
  const browser = new MemberBrowser(service.url);
  const answers = await Promise.all(Array.from({ length: 60 }, () => type(browser, '123456')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([422]));
  const refused = await type(browser, '123456');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '600']);
});

test('a form of another site tries no code', async () => {
  const { browser, code } = await asked();
  const foreign = { 'sec-fetch-site': 'cross-site' };
  expect((await browser.post('/dashboard/sign-in/code', { code }, foreign)).status).toBe(403);
  expect((await type(browser, code)).status).toBe(303);
});

test('signing in again takes a code, too', async () => {
  const { email, id } = await asked();
  const browser = await signedIn(service, id);
  const page = await browser.submit('/dashboard/sign-in-again', '/dashboard/sign-in-again');
  expect(page.text).toContain('id="code"');
  await mailedLink(service, email, 2);
  const [mail] = await capturedMessages(service.url, { to: email, channel: 'email' });
  const session = browser.cookies.get('waypost_dashboard');
  expect((await type(browser, /^\d{6}$/m.exec(mail?.text ?? '')?.[0] ?? '')).status).toBe(303);
  expect(browser.cookies.get('waypost_dashboard')).not.toBe(session);
});

test('the code is stored as a hash that needs our key, and is in no log and no audit', async () => {
  const { browser, id, code } = await asked();
  await type(browser, wrong(code));
  await type(browser, code);
  const { rows } = await service.pool.query<{ token_hash: Buffer; code_hash: Buffer; row: string }>(
    'select token_hash, code_hash, row_to_json(l)::text as row from sign_in_links l where member_id = $1',
    [id],
  );
  const [stored] = rows;
  expect(stored?.code_hash).toEqual(
    service.hash('sign_in_code', `${stored?.token_hash.toString('hex')} ${code}`),
  );
  const audit = await service.pool.query<{ row: string }>(
    `select row_to_json(a)::text as row from audit_entries a where row_to_json(a)::text like $1`,
    [`%${id}%`],
  );
  for (const { row } of [...rows, ...audit.rows]) expect(row).not.toMatch(new RegExp(`\\b${code}\\b`));
  expect(JSON.stringify(service.logged)).not.toMatch(new RegExp(`"${code}"|code=${code}`));
});

/* Last, because it moves the clock of the service. */

test('a code ends after 15 minutes', async () => {
  const { browser, code } = await asked();
  const late = await asked();
  await service.advance({ minutes: 14, seconds: 50 });
  expect((await type(browser, code)).status).toBe(303);
  await service.advance({ seconds: 11 });
  expect((await type(late.browser, late.code)).status).toBe(422);
});

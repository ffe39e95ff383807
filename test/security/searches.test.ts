import { afterAll, beforeAll, expect, test } from 'vitest';
import { csrfIn, joinShop, type MemberBrowser, searchIn, signedIn } from '../dashboard/memberBrowser.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';

/** The search box against hostile text, removed members and members of other shops. */
let service: TestService;
let shop: Shop;
let other: Shop;
let memberId: string;
let browser: MemberBrowser;
beforeAll(async () => {
  service = await startService();
  [shop, other] = [await service.business({ name: 'Acme' }), await service.business({ name: 'Other' })];
  memberId = (await joinShop(service, shop.businessId, 'support@shop.example', 'viewer')).id;
  browser = await signedIn(service, memberId);
  await shop.pushed({ recipient_email: 'ours@example.com', subject: 'Ours', reference: '#ours' });
  await other.pushed({ recipient_email: 'theirs@example.com', subject: 'Theirs', reference: '#theirs' });
});
afterAll(() => service.close());

const searchPath = ({ businessId }: Shop): string => `/dashboard/${businessId}/search`;
const suggest = (text: string, at: Shop = shop, by = browser) =>
  by.submit('/dashboard/account', `${searchPath(at)}/suggestions`, { text });
const NOTHING = ['No suggestions', 'Nothing was found'];

test.each([
  ['a NUL', '\0'],
  ['a NUL within', 'ou\0rs\0x'],
  ['a percent sign', '%'],
  ['a pattern', 'o_rs%'],
  ['a backslash', '\\'],
  ['an escaped pattern', '\\%\\_'],
  ['a quote', `' or 1=1 --`],
  ['markup', '"><script>alert(1)</script>'],
  ['right to left', '\u202eطلبك\u202c'],
  ['an emoji', '👩‍👩‍👧‍👦'],
  ['half an emoji', '\ud83d'],
  ['a cut emoji', `${'x'.repeat(319)}👍`],
  ['the last character', '\u{10FFFF}'],
  ['marks alone', '\u0301'.repeat(300)],
  ['signs', '#'.repeat(300)],
  ['many words', 'o u r s '.repeat(40)],
  ['a long number', `+${'9'.repeat(300)}`],
  ['a long address', `${'a'.repeat(250)}@${'b'.repeat(60)}.example`],
])('%s finds nothing and breaks nothing', async (_, text) => {
  const [answer, page] = [await suggest(text), await searchIn(browser, shop, text)];
  expect([answer.status, [200, 303].includes(page.status)]).toEqual([200, true]);
  for (const shown of [answer.text, page.text]) {
    expect(shown).not.toContain('ours@example.com');
    expect(shown).not.toContain('<script>alert');
  }
  if (text.replaceAll('\0', '') !== '') expect(NOTHING.some((words) => page.text.includes(words))).toBe(true);
});

test('two mebibytes are refused, and what is longer than a search is cut', async () => {
  const csrf = csrfIn((await browser.get(searchPath(shop))).text);
  for (const path of ['', '/suggestions']) {
    const sent = await browser.post(searchPath(shop) + path, { csrf, text: 'o'.repeat(2 ** 21) });
    expect(sent.status).toBe(413);
  }
  const { location } = await searchIn(browser, shop, 'o'.repeat(20_000));
  expect(location?.length).toBeLessThan(2_000);
});

test('nothing of another shop is found or suggested', async () => {
  const theirs = await other.pushed({ recipient_email: 'theirs@example.com', subject: 'Theirs too' });
  const { rows } = await service.pool.query<{ id: string }>(
    'select id from recipients where business_id = $1',
    [other.businessId],
  );
  for (const text of [
    'theirs@example.com',
    'theirs',
    'the',
    '#theirs',
    theirs.id,
    rows[0]?.id ?? 'none',
    't',
  ]) {
    expect((await suggest(text)).text).not.toContain('href');
    expect((await searchIn(browser, shop, text)).text).toContain('Nothing was found');
  }
  expect((await suggest('ours')).text).toContain('ours@example.com');
});

test('a search of another shop, or one that was altered, leads nowhere', async () => {
  const { location } = await searchIn(browser, shop, 'our');
  const find = new URL(location ?? '', service.url).searchParams.get('find') ?? '';
  await joinShop(service, other.businessId, 'support@shop.example', 'viewer');
  for (const path of [
    `${searchPath(other)}?find=${find}`,
    `${searchPath(shop)}?find=${find.slice(0, -2)}`,
    `${searchPath(shop)}?find=ours`,
    `${searchPath(shop)}?find=`,
    `${searchPath(shop)}?find=${find}&of=customers&after=ours`,
    `/dashboard/${other.businessId}/messages?find=${find}`,
  ])
    expect([path, (await browser.get(path)).status]).toEqual([path, 404]);
  expect((await browser.get(`${searchPath(shop)}?find=${find}&of=nothing`)).status).toBe(200);
});

test('suggestions need the form of a session, and a member who was removed gets none', async () => {
  const { id } = await joinShop(service, shop.businessId, 'leaves@shop.example', 'viewer');
  // In a second shop, so that the session goes on.
  await joinShop(service, other.businessId, 'leaves@shop.example', 'viewer');
  const leaving = await signedIn(service, id);
  expect((await suggest('ours', shop, leaving)).text).toContain('ours@example.com');
  expect((await leaving.post(`${searchPath(shop)}/suggestions`, { text: 'ours' })).status).toBe(403);
  await service.pool.query('delete from memberships where member_id = $1 and business_id = $2', [
    id,
    shop.businessId,
  ]);
  for (const path of ['', '/suggestions']) {
    const answer = await leaving.submit('/dashboard/account', searchPath(shop) + path, { text: 'ours' });
    expect([answer.status, answer.text.includes('ours@')]).toEqual([404, false]);
  }
});

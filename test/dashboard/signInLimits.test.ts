import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  SIGN_IN_LINKS_PER_MEMBER_AN_HOUR,
  SIGN_IN_LINKS_PER_SESSION_AN_HOUR,
  SIGN_IN_LINKS_PER_SOURCE_AN_HOUR,
} from '../../src/config/limits.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { capturedMessages } from '../support/waiting.ts';
import { joinShop, MemberBrowser, mailedLink, type ReadPage, signedIn } from './memberBrowser.ts';

/** How many sign-in mails somebody can ask for. Each `MemberBrowser` asks from an address of its own. */
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
async function newMember() {
  const email = newAddress();
  return { email, id: (await joinShop(service, shop.businessId, email, 'owner')).id };
}
const ask = (browser: MemberBrowser, email: string): Promise<ReadPage> =>
  browser.post('/dashboard/sign-in', { email });
const askAgain = (browser: MemberBrowser): Promise<ReadPage> =>
  browser.submit('/dashboard/sign-in-again', '/dashboard/sign-in-again');
const askFrom = (browser: MemberBrowser, email: string, times: number): Promise<ReadPage[]> =>
  Promise.all(Array.from({ length: times }, () => ask(browser, email)));

test('a second link works beside the first in the same browser, and too many are not sent', async () => {
  const { email } = await newMember();
  const browser = new MemberBrowser(service.url);
  await ask(browser, email);
  const first = await mailedLink(service, email);
  for (let mails = 2; mails <= SIGN_IN_LINKS_PER_SOURCE_AN_HOUR; mails += 1) {
    await ask(browser, email);
    await mailedLink(service, email, mails);
  }
  await ask(browser, email);
  await ask(browser, email);
  expect(await capturedMessages(service.url, { to: email })).toHaveLength(SIGN_IN_LINKS_PER_SOURCE_AN_HOUR);
  expect((await browser.post(first)).status).toBe(303);
});

test('a stranger who asks for links in a member’s name does not keep the member out', async () => {
  const { email } = await newMember();
  await askFrom(new MemberBrowser(service.url), email, 15);
  await mailedLink(service, email, SIGN_IN_LINKS_PER_SOURCE_AN_HOUR);
  const member = new MemberBrowser(service.url);
  await ask(member, email);
  const link = await mailedLink(service, email, SIGN_IN_LINKS_PER_SOURCE_AN_HOUR + 1);
  expect((await member.post(link)).status).toBe(303);
});

test('strangers at many addresses cannot fill a mailbox, nor keep a member who is signed in from signing in again', async () => {
  const { email, id } = await newMember();
  const member = await signedIn(service, id);
  const strangers = Array.from({ length: 10 }, () => new MemberBrowser(service.url));
  const answers = await Promise.all(
    strangers.map((stranger) => askFrom(stranger, email, SIGN_IN_LINKS_PER_SOURCE_AN_HOUR)),
  );
  // The link that signed the member in is one of them.
  const mails = SIGN_IN_LINKS_PER_MEMBER_AN_HOUR - 1;
  await mailedLink(service, email, mails);
  expect(await capturedMessages(service.url, { to: email })).toHaveLength(mails);
  const unknown = await ask(new MemberBrowser(service.url), newAddress());
  for (const { status, text } of answers.flat()) expect([status, text]).toEqual([200, unknown.text]);
  expect((await askAgain(member)).status).toBe(200);
  expect((await member.post(await mailedLink(service, email, mails + 1))).status).toBe(303);
});

test('links to sign in again are limited for each session, and the page says so', async () => {
  const { email, id } = await newMember();
  const [one, other] = [await signedIn(service, id), await signedIn(service, id)];
  for (let mails = 1; mails <= SIGN_IN_LINKS_PER_SESSION_AN_HOUR; mails += 1)
    expect((await askAgain(one)).status).toBe(200);
  const refused = await askAgain(one);
  expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('Please wait an hour')]);
  expect((await askAgain(other)).status).toBe(200);
  await mailedLink(service, email, SIGN_IN_LINKS_PER_SESSION_AN_HOUR + 1);
});

test('one client cannot ask for any number of links', async () => {
  const browser = new MemberBrowser(service.url);
  const answers = await Promise.all(Array.from({ length: 21 }, () => ask(browser, newAddress())));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(['600']);
});

test('the client’s address is stored only as a hash that needs our key', async () => {
  const { email, id } = await newMember();
  const browser = new MemberBrowser(service.url);
  await ask(browser, email);
  await mailedLink(service, email);
  const { rows } = await service.pool.query<{ requested_by: Buffer }>(
    'select requested_by from sign_in_links where member_id = $1',
    [id],
  );
  expect(rows).toEqual([{ requested_by: service.hash('source', browser.address) }]);
});

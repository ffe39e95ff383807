import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { writeLink } from '../../src/members/signIn.ts';
import { DESKTOP_SCREEN, openBrowser, type TestBrowser, browserTest as test } from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { joinShop, mailedLink } from './memberBrowser.ts';

/** Getting in and out in real browsers: one person with several tabs, several browsers of one person, and a stranger. */
let service: TestService;
let browser: TestBrowser;
let shop: Shop;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), openBrowser()]);
  shop = await service.business({ name: 'Acme Books' });
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

let count = 0;
async function newMember(): Promise<{ id: string; email: string }> {
  count += 1;
  const email = `member${count}@shop.example`;
  return { email, ...(await joinShop(service, shop.businessId, email, 'owner')) };
}

const profile = (): Promise<BrowserContext> => browser.newProfile({ viewport: DESKTOP_SCREEN });
const open = (page: Page, path: string) => page.goto(service.url + path);

async function askForLink(page: Page, email: string): Promise<void> {
  await open(page, '/dashboard/sign-in');
  await page.getByLabel('Your email address').fill(email);
  await page.getByRole('button', { name: 'Mail me a link' }).click();
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
}

async function followLink(page: Page, path: string): Promise<void> {
  await open(page, path);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${service.url}/dashboard/${shop.businessId}`);
}

async function signedInPage(context: BrowserContext, memberId: string): Promise<Page> {
  const page = await context.newPage();
  const token = await writeLink(service.pool, memberId, null, service.clock.now());
  await followLink(page, `/dashboard/sign-in/${token}`);
  return page;
}

const isAskedToSignIn = (page: Page) => page.waitForURL(/\/dashboard\/sign-in(?:\?to=|$)/);

test('a person asks for a link, finds it in the sandbox, and signs in; another browser and a second use get nowhere', async () => {
  const { email } = await newMember();
  const [mine, theirs] = [await profile(), await profile()];
  const [page, stranger] = [await mine.newPage(), await theirs.newPage()];
  await askForLink(page, email);
  const link = await mailedLink(service, email);
  await open(page, '/sandbox');
  await page.getByRole('main').getByText(email).first().waitFor();
  await open(stranger, link);
  await stranger.getByRole('heading', { name: 'This link does not work here' }).waitFor();
  await followLink(page, link);
  await open(page, link);
  await page.getByRole('heading', { name: 'This link does not work here' }).waitFor();
  await open(page, '/dashboard/account');
  await page.getByRole('main').getByText(email).waitFor();
  expect(await page.evaluate('document.cookie')).toBe('');
  await Promise.all([mine.close(), theirs.close()]);
});

test('two tabs: both ask for a link, and each link works once', async () => {
  const { email } = await newMember();
  const context = await profile();
  const [first, second] = [await context.newPage(), await context.newPage()];
  await askForLink(first, email);
  const firstLink = await mailedLink(service, email);
  await askForLink(second, email);
  const secondLink = await mailedLink(service, email, 2);
  expect(secondLink).not.toBe(firstLink);
  await followLink(first, firstLink);
  await open(second, '/dashboard/account');
  await second.getByRole('main').getByText(email).waitFor();
  await context.close();
});

test('two tabs: signing out in one ends the other, at its next step', async () => {
  const { id } = await newMember();
  const context = await profile();
  const first = await signedInPage(context, id);
  const second = await context.newPage();
  await open(second, `/dashboard/${shop.businessId}/keys`);
  await open(first, '/dashboard/account');
  await first.getByRole('button', { name: 'Sign out of this browser' }).click();
  await isAskedToSignIn(first);
  await second.getByLabel('Name').fill('Never made');
  await second.getByRole('button', { name: 'Create the key' }).click();
  await isAskedToSignIn(second);
  expect((await shop.get('/api/v1/keys')).text).not.toContain('Never made');
  await context.close();
});

test('two tabs: a form from before another sign-in does nothing, and says so', async () => {
  const [one, two] = [await newMember(), await newMember()];
  const context = await profile();
  const first = await signedInPage(context, one.id);
  await open(first, `/dashboard/${shop.businessId}/keys`);
  await signedInPage(context, two.id);
  await first.getByLabel('Name').fill('Whose is it');
  await first.getByRole('button', { name: 'Create the key' }).click();
  await first.getByRole('heading', { name: 'This form is out of date' }).waitFor();
  expect((await shop.get('/api/v1/keys')).text).not.toContain('Whose is it');
  await context.close();
});

test('a session ended from another browser is over there, and its forms do nothing', async () => {
  const { id } = await newMember();
  const [home, office] = [await profile(), await profile()];
  const there = await signedInPage(office, id);
  await open(there, `/dashboard/${shop.businessId}/keys`);
  const here = await signedInPage(home, id);
  await open(here, '/dashboard/account');
  await here.getByRole('button', { name: /^Sign out Chrome/ }).click();
  await here.getByText('That browser is signed out.').waitFor();
  expect(await here.getByRole('button', { name: /^Sign out Chrome/ }).count()).toBe(0);
  await there.getByLabel('Name').fill('Too late');
  await there.getByRole('button', { name: 'Create the key' }).click();
  await isAskedToSignIn(there);
  expect((await shop.get('/api/v1/keys')).text).not.toContain('Too late');
  await open(here, '/dashboard/account');
  await here.getByRole('heading', { name: 'Account' }).waitFor();
  await Promise.all([home.close(), office.close()]);
});

/* Last, because it moves the clock of the service. */

test('a session that was not used for 12 hours, and a link of yesterday, ask to sign in again', async () => {
  const { id, email } = await newMember();
  const context = await profile();
  const page = await signedInPage(context, id);
  const asking = await context.newPage();
  await askForLink(asking, email);
  const link = await mailedLink(service, email);
  await service.advance({ hours: 13 });
  await page.reload();
  await isAskedToSignIn(page);
  await open(asking, link);
  await asking.getByRole('heading', { name: 'This link does not work here' }).waitFor();
  await context.close();
});

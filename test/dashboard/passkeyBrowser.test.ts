import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { writeLink } from '../../src/members/signIn.ts';
import { consoleErrorsOf, openBrowser, type TestBrowser, browserTest as test } from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';
import { Shop } from '../support/shop.ts';
import { joinShop, signInProfile } from './memberBrowser.ts';

/** Passkeys in a real browser, with its virtual authenticator. */
let service: TestService;
let browser: TestBrowser;
let shop: Shop;
let site: string;
let memberId: string;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService({}, { publicHost: 'localhost' }), openBrowser()]);
  site = service.url.replace('127.0.0.1', 'localhost');
  shop = await service.business();
  memberId = (await joinShop(service, shop.businessId, 'owner@shop.example', 'owner')).id;
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

/** A device that verifies whoever holds it. */
async function withAuthenticator(
  context: BrowserContext,
): Promise<{ page: Page; device: CDPSession; authenticatorId: string }> {
  const page = await context.newPage();
  const device = await context.newCDPSession(page);
  await device.send('WebAuthn.enable');
  const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { page, device, authenticatorId };
}

async function signInByLink(page: Page): Promise<void> {
  await page.goto(
    `${site}/dashboard/sign-in/${await writeLink(service.pool, memberId, null, service.clock.now())}`,
  );
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/dashboard\/\w+$/);
}

async function signInByPasskey(page: Page): Promise<void> {
  await page.goto(`${site}/dashboard/sign-in`);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.goto(`${site}/dashboard/account`);
  await page.getByRole('link', { name: 'Add a passkey …' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Add it' }).click();
}

test('a member adds a passkey, signs out, signs in with it, and removes it', async () => {
  const context = await browser.newProfile();
  const { page, device, authenticatorId } = await withAuthenticator(context);
  const complaints = consoleErrorsOf(page);
  await signInByLink(page);
  await addPasskey(page, 'My phone');
  await page.getByText('The passkey was added.', { exact: false }).waitFor();
  const { credentials } = await device.send('WebAuthn.getCredentials', { authenticatorId });
  expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }]);
  await page.getByRole('button', { name: 'Sign out of this browser' }).click();
  await page.waitForURL(`${site}/dashboard/sign-in`);

  await signInByPasskey(page);
  await page.waitForURL(`${site}/dashboard/${shop.businessId}`);
  await page.goto(`${site}/dashboard/account`);
  await page.getByRole('button', { name: 'Remove My phone' }).click();
  await page.getByText('The passkey was removed.', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Sign out of this browser' }).click();
  await page.waitForURL(`${site}/dashboard/sign-in`);
  expect(complaints).toEqual([]);

  await signInByPasskey(page);
  await page.getByRole('heading', { name: 'This passkey does not work here' }).waitFor();
  await context.close();
});

test('a device that has a passkey makes no second one, and a person who declines is told', async () => {
  const context = await browser.newProfile();
  const { page, device, authenticatorId } = await withAuthenticator(context);
  await signInProfile(context, service, memberId, site);
  await addPasskey(page, 'First');
  await page.getByText('The passkey was added.', { exact: false }).waitFor();
  await addPasskey(page, 'Second');
  await page.getByText('This device has a passkey for Waypost already.').waitFor();
  await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await signInByPasskey(page);
  await page.getByText('No passkey was used.', { exact: false }).waitFor();
  await context.close();
});

test('a passkey serves to sign in again before a dangerous act, and leads back to it', async () => {
  const context = await browser.newProfile();
  const { page } = await withAuthenticator(context);
  await signInProfile(context, service, memberId, site);
  await addPasskey(page, 'Again');
  await page.getByText('The passkey was added.', { exact: false }).waitFor();
  const parent = JSON.parse((await shop.call('POST', '/api/v1/keys', { body: { name: 'Parent' } })).text);
  await new Shop(service.url, shop.businessId, parent.key).call('POST', '/api/v1/keys', {
    body: { name: 'Child' },
  });
  await service.advance({ minutes: 11 });
  await page.goto(`${site}/dashboard/${shop.businessId}/keys`);
  await page.getByRole('link', { name: 'Revoke Parent …' }).click();
  await page.getByRole('heading', { name: 'Please sign in again' }).waitFor();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('heading', { name: 'Revoke this key?' }).waitFor();
  await page.getByText('This key falls with it:').waitFor();
  await page.getByRole('button', { name: 'Revoke 2 keys' }).click();
  await page.getByText('The key and those below it were revoked.', { exact: false }).waitFor();
  const left = JSON.parse((await shop.get('/api/v1/keys')).text).items;
  expect(left.map(({ name }: { name: string }) => name)).not.toContain('Child');
  await context.close();
});

test('without JavaScript the link is the way in, and no button is there that does nothing', async () => {
  const context = await browser.newProfile({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${site}/dashboard/sign-in`);
  await page.getByRole('button', { name: 'Mail me a link' }).waitFor();
  expect(await page.getByText('Sign in with a passkey').isVisible()).toBe(false);
  await signInByLink(page);
  await page.goto(`${site}/dashboard/account/passkeys/new`);
  await page.getByText('JavaScript is switched off', { exact: false }).waitFor();
  expect(await page.getByRole('button', { name: 'Add it' }).isVisible()).toBe(false);
  await context.close();
});

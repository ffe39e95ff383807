import { afterAll, beforeAll, expect } from 'vitest';
import { DESKTOP_SCREEN, openBrowser, type TestBrowser, browserTest as test } from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Issuer, startIssuer } from './issuer.ts';
import { joinShop } from './memberBrowser.ts';

/** In a real browser, whose content security policy lets no form lead to another site. */
let issuer: Issuer;
let service: TestService;
let browser: TestBrowser;
beforeAll(async () => {
  [issuer, browser] = await Promise.all([startIssuer(), openBrowser()]);
  service = await startService(issuer.environment);
  issuer.serve(service.url);
});
afterAll(async () => {
  await browser.close();
  await service.close();
  issuer.close();
});

test('a member signs in at the issuer, and out again there, too', async () => {
  const { businessId } = await service.business();
  const email = 'ann@shop.example';
  await joinShop(service, businessId, email, 'owner');
  issuer.people.set('ann', { email, email_verified: true });
  const profile = await browser.newProfile({
    viewport: DESKTOP_SCREEN,
    extraHTTPHeaders: { 'x-person': 'ann' },
  });
  const page = await profile.newPage();
  await page.goto(`${service.url}/dashboard/${businessId}/keys`);
  await page.getByRole('link', { name: 'Sign in with 127.0.0.1' }).click();
  await page.waitForURL(`${service.url}/dashboard/${businessId}/keys`);
  await page.goto(`${service.url}/dashboard/account`);
  await page.getByRole('main').getByText(email).waitFor();
  await page.getByRole('button', { name: 'Sign out of this browser' }).click();
  await page.waitForURL(`${issuer.url}/session/end?*`);
  await page.getByRole('button', { name: 'Yes, sign me out' }).click();
  await page.waitForURL(`${service.url}/dashboard/sign-in`);
  expect((await profile.cookies()).filter(({ name }) => name === 'waypost_dashboard')).toEqual([]);
  await profile.close();
});

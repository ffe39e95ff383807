import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  consoleErrorsOf,
  DESKTOP_SCREEN,
  openBrowser,
  type TestBrowser,
  browserTest as test,
} from '../support/browser.ts';
import { PLAIN_JPEG, plainPng } from '../support/images.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { joinShop, signInProfile } from './memberBrowser.ts';

let service: TestService;
let browser: TestBrowser;
let shop: Shop;
let ownerId: string;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService({}, { publicHost: 'localhost' }), openBrowser()]);
  shop = await service.business({ name: 'Acme Books' });
  ownerId = (await joinShop(service, shop.businessId, 'owner@shop.example', 'owner')).id;
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

const url = (path = ''): string =>
  `${service.url.replace('127.0.0.1', 'localhost')}/dashboard/${shop.businessId}/settings${path}`;

async function openSettings(options: { javaScriptEnabled?: boolean } = {}): Promise<Page> {
  const context = await browser.newProfile({ viewport: DESKTOP_SCREEN, ...options });
  const page = await context.newPage();
  await signInProfile(context, service, ownerId, new URL(url()).origin);
  await page.goto(url());
  return page;
}

const inFrame = async (page: Page, which: 'mail' | 'inbox', expression: string): Promise<unknown> => {
  await page.locator(`iframe[src*="/preview/${which}"]`).scrollIntoViewIfNeeded();
  const frame = await eventually(() => {
    const shown = page.frames().find((one) => one.url().includes(`/preview/${which}`));
    if (!shown) throw new Error(`no frame shows the ${which}`);
    return shown;
  });
  await frame.waitForLoadState();
  return frame.evaluate(expression);
};

test('the preview follows what is typed, and nothing is saved until it is asked for', async () => {
  const page = await openSettings();
  const errors = consoleErrorsOf(page);
  await page.getByLabel('Name').fill('Typed & Told');
  await page.getByLabel('Colour').fill('#aa0000');
  await page.getByText('Typed & Told: your order #1001 has shipped. Reply').waitFor();
  const mail = page.frameLocator('iframe[title="The email"]');
  await mail.getByText('Typed & Told', { exact: true }).waitFor();
  // The frame may still show what was typed before the colour.
  await eventually(async () =>
    expect(
      await inFrame(page, 'mail', `getComputedStyle(document.querySelector('.button')).backgroundColor`),
    ).toBe('rgb(170, 0, 0)'),
  );
  const inbox = page.frameLocator('iframe[title="The inbox"]');
  await inbox.locator('strong', { hasText: 'Typed & Told' }).waitFor();
  expect(
    await inFrame(page, 'inbox', `getComputedStyle(document.querySelector('.sign')).backgroundColor`),
  ).toBe('rgb(170, 0, 0)');
  expect(await page.getByLabel('Name').inputValue()).toBe('Typed & Told');
  await page.reload();
  expect(await page.getByLabel('Name').inputValue()).toBe('Acme Books');
  expect(errors).toEqual([]);
  await page.context().close();
});

test('without JavaScript a button shows the preview, and another one saves', async () => {
  const page = await openSettings({ javaScriptEnabled: false });
  await page.getByLabel('Name').fill('By hand');
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByText('By hand: your order #1001 has shipped. Reply').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. It holds from now on.').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('By hand');
  await page.context().close();
});

test('an uploaded logo is an image in the page, in the mail and in the inbox', async () => {
  const page = await openSettings();
  const width = (image: string): string =>
    `(async () => { const image = document.querySelector('${image}'); await image.decode(); return image.naturalWidth; })()`;
  for (const [name, buffer] of [
    ['logo.png', plainPng(64)],
    ['logo.jpg', PLAIN_JPEG],
  ] as const) {
    await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'image/png', buffer });
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText('The logo was changed.').waitFor();
    await page.frameLocator('iframe[title="The inbox"]').locator('img.logo').waitFor();
    expect(await page.evaluate(width('.logo-shown img')), name).toBeGreaterThan(0);
    expect(await inFrame(page, 'inbox', width('img.logo')), name).toBeGreaterThan(0);
    expect(await inFrame(page, 'mail', width('img')), name).toBeGreaterThan(0);
  }
  await page.getByRole('button', { name: 'Remove the logo' }).click();
  await page.getByText('The logo was removed').waitFor();
  expect(await page.frameLocator('iframe[title="The inbox"]').locator('.sign').textContent()).toBe('B');
  await page.context().close();
});

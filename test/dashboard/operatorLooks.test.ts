import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { changePrice } from '../../src/businesses/prices.ts';
import { setSender } from '../../src/businesses/sql.ts';
import { transaction } from '../../src/db/transaction.ts';
import { writeLink } from '../../src/members/signIn.ts';
import { openBrowser, type TestBrowser, browserTest as test } from '../support/browser.ts';
import { faultsOnPages, type Pages, variantOf } from '../support/pageFaults.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { joinAsOperator, joinShop } from './memberBrowser.ts';

const SLOW_MS = 240_000;
const LONG = `Donaudampfschifffahrtsgesellschaftskapitänsmütze${'W'.repeat(52)}`;

let service: TestService;
let browser: TestBrowser;
let operatorId: string;
let shop: Shop;
let quiet: Shop;

/** Without workers, so that there is something in the outbox to look at. */
beforeAll(async () => {
  [service, browser] = await Promise.all([startService({ ROLES: 'api' }), openBrowser()]);
  shop = await service.business({ name: LONG, credits: 1_000_000 });
  quiet = await service.business({ name: 'مكتبة "الشجرة"' });
  for (let made = 0; made < 26; made += 1) await service.business({ name: `Shop ${made}` });
  operatorId = (await joinAsOperator(service, `operator.${'o'.repeat(50)}@waypost.example`)).id;
  await joinShop(service, shop.businessId, `${'a'.repeat(60)}@shop.example`, 'owner');
  await joinShop(service, quiet.businessId, `${'a'.repeat(60)}@shop.example`, 'viewer');
  await service.change(shop, {
    paused: true,
    plan: 'past_due',
    countriesCeiling: [
      'EE',
      'FI',
      'LV',
      'LT',
      'SE',
      'NO',
      'DK',
      'DE',
      'PL',
      'GB',
      'IE',
      'FR',
      'ES',
      'PT',
      'IT',
    ],
    dailyEmailCap: 1_000_000,
  });
  await service.change(quiet, { active: false });
  await transaction(service.pool, async (tx) => {
    await setSender(tx, shop.businessId, 'email', `${'o'.repeat(60)}@${'a'.repeat(50)}.example`);
    await changePrice(tx, service.clock.now(), { country: 'BA', credits: 1_000, actor: 'operator' });
  });
  await shop.call('POST', '/api/v1/webhook-endpoints', {
    body: { url: `https://${'h'.repeat(60)}.shop.example/x` },
  });
  await service.pool.query(`update webhook_endpoints set consecutive_failures = 7, last_error = $1`, [
    'W'.repeat(200),
  ]);
  await service.change(shop, { paused: false });
  for (const email of ['ann@example.com', 'ben@example.com']) await shop.pushed({ recipient_email: email });
  await service.pool.query(`update sends set due_at = due_at - interval '3 hours' where channel = 'email'`);
  await service.pool.query(`insert into platform_suppressions (email_hash, at) values ($1, now())`, [
    service.hash('email', 'bounced@example.com'),
  ]);
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

/** Every page of the operator, in an order in which a person could come by them. */
const pages = (): Pages => {
  const at = (path: string) => (page: Page) => page.goto(`${service.url}/dashboard/operator${path}`);
  const send = (button: string, heading: string | RegExp) => async (page: Page) => {
    await page.getByRole('button', { name: button, exact: true }).click();
    await page.getByText(heading).first().waitFor();
  };
  const lookUp = (path: string, email: string, heading: string | RegExp) => async (page: Page) => {
    await at(path)(page);
    await page.getByRole('textbox', { name: 'Address' }).fill(email);
    await send('Look it up', heading)(page);
  };
  const ofShop = `/shops/${shop.businessId}`;
  return {
    'signed in as an operator': async (page) => {
      const token = await writeLink(service.pool, operatorId, null, service.clock.now());
      await page.goto(`${service.url}/dashboard/sign-in/${token}`);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Shops', exact: true }).waitFor();
    },
    'all shops': at(''),
    'no shop found': variantOf('all shops', at('?find=nobody')),
    'a new shop': variantOf('a new shop with mistakes', at('/shops/new')),
    'a new shop with mistakes': async (page) => {
      await page.getByLabel('Name').fill('x');
      await page.getByLabel('Address of the owner').fill('mari@kuusk.example');
      await page.getByLabel('Countries').fill('W'.repeat(200));
      await send('Create the shop', /two-letter country codes/)(page);
    },
    'a shop': at(ofShop),
    'a shop after an act': variantOf('a shop', at(`${ofShop}?flash=created`)),
    'a sender that is none': variantOf('a shop', async (page) => {
      await page.getByLabel('Sender', { exact: true }).fill('W'.repeat(100));
      await send('Set the sender', /The sender must be/)(page);
    }),
    'a deactivated shop': variantOf('a shop', at(`/shops/${quiet.businessId}`)),
    'adding credits': at(`${ofShop}/credits`),
    'changing a plan': at(`${ofShop}/plan`),
    'changing limits': at(`${ofShop}/limits`),
    deactivating: at(`${ofShop}/deactivate`),
    'counting anew': at(`${ofShop}/usage`),
    'an address of a shop': lookUp(
      `${ofShop}/suppressions`,
      `${'n'.repeat(60)}@example.com`,
      'The shop may email',
    ),
    prices: at('/prices'),
    templates: at('/templates'),
    providers: at('/providers'),
    outbox: at('/outbox'),
    suppressions: lookUp('/suppressions', 'bounced@example.com', 'Let all shops email it again'),
    people: at('/people'),
    'a new operator': at('/operators/new'),
    'the audit log': at('/audit'),
    'nothing in the audit log': variantOf('the audit log', at('/audit?action=nothing')),
    'the operator in a shop': async (page) => page.goto(`${service.url}/dashboard/${shop.businessId}`),
  };
};

test('every page of the operator can be used by everyone, and none is wider than its screen', {
  timeout: SLOW_MS,
}, async () => {
  expect(await faultsOnPages(browser, 'operator', pages())).toEqual({});
});

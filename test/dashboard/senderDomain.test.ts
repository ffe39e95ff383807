import { afterAll, beforeAll, expect, test } from 'vitest';
import { openConsole } from '../cli/console.ts';
import { nameServer, type Texts } from '../support/nameServer.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { joinAsOperator, joinShop, type MemberBrowser, signedIn } from './memberBrowser.ts';

/** The sandbox signs nothing, and shows the records like a mail server of one's own would need them. */
let service: TestService;
let operator: MemberBrowser;
const texts: Texts = {};

beforeAll(async () => {
  const server = await nameServer({}, texts, afterAll);
  service = await startService({}, { nameServers: [server] });
  operator = await signedIn(service, (await joinAsOperator(service, 'op@waypost.example')).id);
});
afterAll(() => service.close());

async function shopWithDomain(name: string) {
  const shop = await service.business({ name });
  const owner = await signedIn(
    service,
    (await joinShop(service, shop.businessId, `${name}@o.example`, 'owner')).id,
  );
  const viewer = await signedIn(
    service,
    (await joinShop(service, shop.businessId, `${name}@v.example`, 'viewer')).id,
  );
  const sheet = `/dashboard/operator/shops/${shop.businessId}`;
  const added = await operator.submit(sheet, `${sheet}/domain`, { email: `orders@${name}.example` });
  const page = `/dashboard/${shop.businessId}/settings`;
  return { shop, owner, viewer, sheet, page, added };
}

const stored = async ({ businessId }: Shop) => {
  const { rows } = await service.pool.query('select * from sender_domains where business_id = $1', [
    businessId,
  ]);
  return rows[0];
};
const publish = async (shop: Shop) => {
  const { selector, domain, public_key } = await stored(shop);
  const value = `v=DKIM1; k=rsa; p=${public_key}`;
  texts[`${selector}._domainkey.${domain}`] = [[value.slice(0, 255), value.slice(255)]];
};
/** As if the last check were longer ago. */
const wait = ({ businessId }: Shop) =>
  service.pool.query(
    "update sender_domains set checked_at = checked_at - interval '1 minute' where business_id = $1",
    [businessId],
  );

test('an operator adds an address, and the shop sees the records and what is found of them', async () => {
  const { shop, owner, sheet, page, added } = await shopWithDomain('acme');
  expect(added.location).toBe(`${sheet}?flash=domain_added`);
  const { selector, public_key } = await stored(shop);
  for (const [browser, path] of [
    [owner, page],
    [operator, sheet],
  ] as const) {
    const { text } = await browser.get(path);
    for (const says of [
      'Not verified yet',
      `<code>${selector}._domainkey.acme.example</code>`,
      `<code>v=DKIM1; k=rsa; p=${public_key}</code>`,
      '<code>_dmarc.acme.example</code>',
      `There is no record at ${selector}._domainkey.acme.example`,
    ])
      expect(text).toContain(says);
    expect(text).not.toContain('PRIVATE');
  }
  expect((await owner.get(`/dashboard/${shop.businessId}`)).text).toContain(
    'acme.example is not verified yet',
  );
});

test('an owner checks now, once in a while, and sees it verified', async () => {
  const { shop, owner, page } = await shopWithDomain('books');
  const check = async () => (await owner.submit(page, `${page}/domain/check`)).location;
  await publish(shop);
  expect(await check()).toBe(`${page}?flash=domain_not_checked`);
  expect((await stored(shop)).state).toBe('pending');
  await wait(shop);
  expect(await check()).toBe(`${page}?flash=domain_checked`);
  const { text } = await owner.get(page);
  expect(text).toContain('<span class="badge good">Verified</span>');
  expect(text).not.toContain('PRIVATE');
  expect((await owner.get(`/dashboard/${shop.businessId}`)).text).not.toContain('not verified yet');
  const log = await owner.get(`/dashboard/${shop.businessId}/settings/audit`);
  for (const says of [
    'Added an address whose domain is checked',
    'Found the key of the domain',
    'books.example',
  ])
    expect(log.text).toContain(says);
});

test('a viewer sees it and may not check', async () => {
  const { owner, viewer, page } = await shopWithDomain('looked');
  const { text } = await viewer.get(page);
  expect(text).toContain('Not verified yet');
  expect(text).not.toContain('Check now');
  expect((await owner.get(page)).text).toContain('Check now');
  expect((await viewer.post(`${page}/domain/check`, {})).status).toBe(403);
});

test('an operator checks from the shop’s page, and a wrong address is said', async () => {
  const { shop, sheet } = await shopWithDomain('toys');
  await publish(shop);
  expect((await operator.submit(sheet, `${sheet}/domain/check`)).location).toBe(
    `${sheet}?flash=domain_not_checked`,
  );
  await wait(shop);
  expect((await operator.submit(sheet, `${sheet}/domain/check`)).location).toBe(
    `${sheet}?flash=domain_checked`,
  );
  expect((await stored(shop)).state).toBe('verified');
  expect((await operator.submit(sheet, `${sheet}/domain`, { email: 'toys' })).status).toBe(422);
});

test('the sender that is removed takes its domain along', async () => {
  const { shop, owner, page } = await shopWithDomain('gone');
  await openConsole(service.database.url).json('sender', 'remove', shop.businessId, 'email');
  expect((await owner.get(page)).text).not.toContain('gone.example');
});

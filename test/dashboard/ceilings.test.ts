import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openConsole, type TestConsole } from '../cli/console.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { joinAsOperator, joinShop, type MemberBrowser, type ReadPage, signedIn } from './memberBrowser.ts';

let service: TestService;
let console: TestConsole;
let shop: Shop;
let owner: MemberBrowser;
let viewer: MemberBrowser;
let operator: MemberBrowser;
beforeAll(async () => {
  service = await startService();
  console = openConsole(service.database.url);
  operator = await signedIn(service, (await joinAsOperator(service, 'operator@waypost.example')).id);
});
beforeEach(async () => {
  shop = await service.business({ credits: 100 });
  owner = await signedIn(service, (await joinShop(service, shop.businessId, 'o@shop.example', 'owner')).id);
  viewer = await signedIn(service, (await joinShop(service, shop.businessId, 'v@shop.example', 'viewer')).id);
});
afterAll(() => service.close());

interface Limits {
  countries?: string;
  paid_per_recipient_hour?: string;
}
const channels = (): string => `/dashboard/${shop.businessId}/settings/channels`;
const operated = (below = ''): string => `/dashboard/operator/shops/${shop.businessId}${below}`;

const ownerSaves = (limits: Limits): Promise<ReadPage> => owner.submit(channels(), channels(), { ...limits });
const operatorSets = (limits: Limits): Promise<ReadPage> =>
  operator.submit(operated('/limits'), operated('/limits'), { warmup: 'false', ...limits });
const shown = () => console.json('business', 'show', shop.businessId);

/** Why the next text to a customer there is not sent; null: it is queued. */
async function skipped(recipient_phone: string): Promise<unknown> {
  const push = { recipient_email: `${recipient_phone}@example.com`, recipient_phone, channels: ['sms'] };
  const { sms }: { sms: { skipped_reason: unknown } } = expectStatus(201, await shop.push(push));
  return sms.skipped_reason;
}
const [ESTONIA, FINLAND] = ['+37255500123', '+358401234567'];

test('an owner who clears the shop’s own limits keeps those of the operator', async () => {
  await operatorSets({ countries: 'EE', paid_per_recipient_hour: '1' });
  expect((await ownerSaves({ countries: '', paid_per_recipient_hour: '' })).status).toBe(303);
  expect(await skipped(FINLAND)).toBe('country_not_allowed');
  expect(await skipped(ESTONIA)).toBe(null);
  // The limit counts texts that were sent.
  await service.advance({ seconds: 1 });
  expect(await skipped(ESTONIA)).toBe('rate_limited');
  expect(await shown()).toMatchObject({ countries: ['EE'], paid_per_recipient_hour: 1 });
});

test('an owner cannot choose more than the operator allows, and reads how much that is', async () => {
  await operatorSets({ countries: 'EE,LV', paid_per_recipient_hour: '3' });
  const refused = await ownerSaves({ countries: 'EE, FI', paid_per_recipient_hour: '4' });
  expect(refused.status).toBe(422);
  expect(refused.text).toContain('The operator allows only EE, LV.');
  expect(refused.text).toContain('The operator allows at most 3.');
  expect(refused.text).toContain('value="EE, FI"');
  expect(await shown()).toMatchObject({ own_countries: null, own_paid_per_recipient_hour: null });
});

test('the stricter of both applies, and the shop’s own value again once the operator allows more', async () => {
  await operatorSets({ countries: 'EE,FI', paid_per_recipient_hour: '3' });
  await ownerSaves({ countries: 'fi', paid_per_recipient_hour: '2' });
  expect(await shown()).toMatchObject({ countries: ['FI'], paid_per_recipient_hour: 2 });
  expect(await skipped(ESTONIA)).toBe('country_not_allowed');

  await operatorSets({ countries: 'EE', paid_per_recipient_hour: '1' });
  expect(await shown()).toMatchObject({ countries: [], paid_per_recipient_hour: 1 });
  expect([await skipped(ESTONIA), await skipped(FINLAND)]).toEqual(
    Array.from({ length: 2 }, () => 'country_not_allowed'),
  );

  await operatorSets({});
  expect(await shown()).toMatchObject({
    countries: ['FI'],
    countries_ceiling: null,
    own_countries: ['FI'],
    paid_per_recipient_hour: 2,
    paid_per_recipient_hour_ceiling: null,
    own_paid_per_recipient_hour: 2,
  });
  expect(await skipped(FINLAND)).toBe(null);
});

test('the command line sets the ceiling and leaves the shop’s own value', async () => {
  await ownerSaves({ countries: 'EE, FI', paid_per_recipient_hour: '2' });
  const flags = ['--countries', 'FI,SE', '--paid-per-recipient-hour', '5'];
  expect(await console.json('business', 'set', shop.businessId, ...flags)).toMatchObject({
    countries: ['FI'],
    countries_ceiling: ['FI', 'SE'],
    own_countries: ['EE', 'FI'],
    paid_per_recipient_hour: 2,
    paid_per_recipient_hour_ceiling: 5,
  });
});

test('owner, viewer and operator see what applies and why', async () => {
  await operatorSets({ countries: 'EE,FI', paid_per_recipient_hour: '5' });
  await ownerSaves({ countries: 'FI', paid_per_recipient_hour: '2' });
  await operatorSets({ countries: 'EE', paid_per_recipient_hour: '1' });
  const countries = 'The operator allows only EE; the shop chose FI. In force: no country.';
  const hourly = 'The operator allows at most 1; the shop chose 2. In force: 1.';
  for (const { text } of [
    await owner.get(channels()),
    await viewer.get(channels()),
    await operator.get(operated()),
  ]) {
    expect(text).toContain(countries);
    expect(text).toContain(hourly);
  }
  expect((await owner.get(channels())).text).toContain('name="countries" type="text" value="FI"');
  expect((await operator.get(operated('/limits'))).text).toContain('name="countries" type="text" value="EE"');
  const { text } = await viewer.get(`/dashboard/${shop.businessId}/settings/audit`);
  expect(text).toContain('Countries that the operator allows: EE, FI → EE');
  expect(text).toContain('The shop’s own hourly limit: none → 2');
});

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DAY, later } from '../../src/kit/clock.ts';
import { readShopList } from '../../src/pages/operator/shops/shopList.tsx';
import { countTotals } from '../../src/pages/operator/shops/totals.ts';
import { TROUBLE_COUNTED_MAX } from '../../src/pages/operator/shops/troubles.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { joinAsOperator, type MemberBrowser, signedIn } from './memberBrowser.ts';

let service: TestService;
let operator: MemberBrowser;

beforeAll(async () => {
  service = await startService();
  operator = await signedIn(service, (await joinAsOperator(service, 'op@waypost.example')).id);
});
afterAll(() => service.close());

/** Nothing is wrong with the shops that were there before. */
beforeEach(async () => {
  await service.pool.query(`update businesses set active = true, paused = false, plan = 'active'`);
  await service.pool.query(`update credit_accounts set low_balance_notified = false`);
  await service.pool.query(`update webhook_endpoints set disabled_at = null, consecutive_failures = 0`);
});

const HOME = '/dashboard/operator';
const read = async (query = '') => (await operator.get(`${HOME}${query}`)).text;

/** The counts above the list, by their words. */
const countsOn = (page: string): Record<string, string> =>
  Object.fromEntries(
    [...page.matchAll(/<a class="[a-z]+" href="[^"]*needs=[a-z_]+"[^>]*>([^<]+)<strong>([^<]+)</g)].map(
      ([, words = '', count = '']) => [words.trim(), count],
    ),
  );

/** The shops that a page lists, in its order. */
const listedOn = (page: string): string[] =>
  [...page.matchAll(/operator\/shops\/([0-9a-z]{24})"/g)].map(([, id = '']) => id);

async function withEndpoint(facts: string): Promise<Shop> {
  const shop = await service.business();
  await shop.call('POST', '/api/v1/webhook-endpoints', { body: { url: 'https://hooks.shop.example/x' } });
  await service.pool.query(`update webhook_endpoints set ${facts} where business_id = $1`, [shop.businessId]);
  return shop;
}

test('each kind of trouble is counted, leads to its shops, and comes before all others', async () => {
  const well = await service.business({ credits: 100 });
  const off = await withEndpoint('disabled_at = now()');
  const losing = await withEndpoint(`consecutive_failures = 2, last_error = 'answered 500'`);
  const spent = await service.business();
  await service.pool.query('update credit_accounts set low_balance_notified = true where business_id = $1', [
    spent.businessId,
  ]);
  const [paused, lapsed, pastDue, closed] = [
    await service.business(),
    await service.business(),
    await service.business(),
    await service.business(),
  ];
  await service.change(paused, { paused: true });
  await service.change(lapsed, { plan: 'lapsed' });
  await service.change(pastDue, { plan: 'past_due' });
  await service.change(closed, { active: false, paused: true });
  const newest = await service.business({ credits: 100 });

  const page = await read();
  expect(countsOn(page)).toEqual({
    'Webhook switched off': '1',
    'Events lost': '1',
    'No credits left': '1',
    'Plan lapsed': '1',
    Paused: '1',
    'Plan past due': '1',
    Deactivated: '1',
  });
  const urgent = [off, losing, spent, lapsed, paused, pastDue].map(({ businessId }) => businessId);
  expect(listedOn(page).slice(0, urgent.length + 2)).toEqual([
    ...urgent,
    newest.businessId,
    closed.businessId,
  ]);
  expect(listedOn(page)).toContain(well.businessId);
  for (const [needs, shop] of [
    ['endpoint_off', off],
    ['events_lost', losing],
    ['no_credits', spent],
    ['lapsed', lapsed],
    ['paused', paused],
    ['past_due', pastDue],
    ['deactivated', closed],
  ] as const)
    expect(listedOn(await read(`?needs=${needs}`)), needs).toEqual([shop.businessId]);
  expect(await read('?needs=credits_low')).toContain('No shop is so');
  await service.pool.query('update credit_accounts set balance = 7 where business_id = $1', [
    spent.businessId,
  ]);
  expect(countsOn(await read())).toMatchObject({ 'Credits low': '1' });
});

test('where nothing is wrong, the page says so in grey', async () => {
  await service.business({ name: 'Calm', credits: 100 });
  await service.pool.query('update credit_accounts set balance = 100');
  const page = await read();
  expect(page).toContain('No shop is paused, unpaid, out of the credits that it had');
  expect(page).not.toContain('class="badge bad"');
  expect(page).not.toContain('class="badge good"');
  expect(await read('?find=calm')).toContain('<span class="badge plain">Nothing to do</span>');
});

test('a shop that had credits and spent them is counted; one that never had any is not', async () => {
  const spending = await service.business({ credits: 20, smsMode: 'on' });
  await service.business({ credits: 0, smsMode: 'on' });
  await spending.pushed({ recipient_phone: '+37255512345', channels: ['sms'] });
  await service.advance({ seconds: 10 });
  expect(listedOn(await read('?needs=credits_low'))).toEqual([spending.businessId]);
});

test('many shops of one kind are counted up to a limit, and go on page by page', async () => {
  await service.pool.query(
    `insert into businesses (id, name, paused, created_at)
     select 'p' || lpad(n::text, 23, '0'), 'Paused ' || n, true, now() from generate_series(1, $1::int) n`,
    [TROUBLE_COUNTED_MAX + 20],
  );
  expect(countsOn(await read())).toEqual({ Paused: `${TROUBLE_COUNTED_MAX - 1}+` });
  const seen: string[] = [];
  for (let path: string | undefined = '?needs=paused'; path !== undefined; ) {
    const page = await read(path);
    seen.push(...listedOn(page));
    path = /href="[^"?]*(\?[^"]*cursor=[^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&');
  }
  expect(seen).toHaveLength(TROUBLE_COUNTED_MAX + 20);
  expect(new Set(seen)).toHaveLength(TROUBLE_COUNTED_MAX + 20);
  await service.pool.query(`delete from businesses where name like 'Paused %'`);
});

test('a page of 1, 10 and 50 shops takes the same number of statements', async () => {
  let asked = 0;
  const query = new Proxy(service.pool.query, {
    apply(target, _self, parameters) {
      asked += 1;
      return Reflect.apply(target, service.pool, parameters);
    },
  });
  const counting = { query };
  const now = service.clock.now();
  const statementsFor = async (shops: number): Promise<number> => {
    asked = 0;
    const find = `sized${shops}of`;
    const list = await readShopList(counting, { find, trouble: null, cursor: null }, now);
    expect(list.shops).toHaveLength(shops);
    await countTotals(counting, now);
    return asked;
  };
  for (const shops of [1, 10, 50])
    for (let made = 0; made < shops; made += 1) {
      const shop = await service.business({ name: `Sized${shops}of ${made}` });
      if (made % 2 === 0)
        await shop.call('POST', '/api/v1/webhook-endpoints', {
          body: { url: 'https://hooks.shop.example/' },
        });
    }
  const one = await statementsFor(1);
  expect(await statementsFor(10)).toBe(one);
  expect(await statementsFor(50)).toBe(one);
});

test('the figures of all shops are those of their usage, counted again after some minutes', async () => {
  const { total: before, sold } = await countTotals(service.pool, service.clock.now());
  const [one, other] = [await service.business({ credits: 70 }), await service.business({ credits: 5 })];
  for (const shop of [one, one, other])
    await shop.pushed({ subject: `Message ${Math.random()}`, recipient_email: 'ann@example.com' });
  await service.advance({ minutes: 6 });
  const { total, days, sold: soldNow } = await countTotals(service.pool, service.clock.now());
  expect(soldNow - sold).toBe(75);
  const ofLastMonth = later(service.clock.now(), -31 * DAY);
  await service.pool.query('update credit_ledger set at = $2 where business_id = $1', [
    other.businessId,
    ofLastMonth,
  ]);
  expect((await countTotals(service.pool, service.clock.now())).sold - sold).toBe(70);
  expect(total.messages - before.messages).toBe(3);
  expect(total.delivered - before.delivered).toBe(3);
  expect(days).toHaveLength(30);
  expect(days.at(-1)?.messages).toBe(total.messages);
  // The first look begins the count anew; the next one has it.
  await read();
  await expect
    .poll(read)
    .toMatch(new RegExp(`<strong>${total.messages}</strong>\\s*<span class="hint">pushed`));
});

test('what is late and who does not send is said on top', async () => {
  expect(await read()).toMatch(/Outbox<\/a>\s*<span class="state plain">Nothing is late/);
  expect(await read()).toMatch(/Providers<\/a>\s*<span class="state/);
});

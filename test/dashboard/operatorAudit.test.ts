import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuditFilter, readAuditLog } from '../../src/pages/dashboard/audit/reads.ts';
import { openConsole } from '../cli/console.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { joinAsOperator, joinShop, type MemberBrowser, signedIn } from './memberBrowser.ts';

let service: TestService;
let operator: MemberBrowser;
let shop: Shop;
let other: Shop;
const PATH = '/dashboard/operator/audit';

beforeAll(async () => {
  service = await startService();
  operator = await signedIn(service, (await joinAsOperator(service, 'op@waypost.example')).id);
  shop = await service.business({ name: '<b>Acme</b> "Books"' });
  other = await service.business({ name: 'Other Shop' });
  const owner = await signedIn(
    service,
    (await joinShop(service, shop.businessId, 'owner@shop.example', 'owner')).id,
  );
  const threshold = `/dashboard/${shop.businessId}/credits`;
  await owner.submit(threshold, `${threshold}/threshold`, { threshold: '7' });
  await shop.call('POST', '/api/v1/keys', { body: { name: 'By a key' } });
  await openConsole(service.database.url).json('credits', 'add', other.businessId, '5');
  await shop.pushed({ recipient_email: 'ann@example.com' });
  await shop.post('/api/v1/recipients/ann@example.com/erase');
});
afterAll(() => service.close());

const actionsOn = (text: string): string[] =>
  [...text.matchAll(/<code>([a-z_.]+)<\/code><\/a>/g)].map(([, action = '']) => action);
const read = async (query: Record<string, string> = {}): Promise<string> =>
  (await operator.get(`${PATH}?${new URLSearchParams(query)}`)).text;

test('the log has what happened in every shop and in none, newest first, with who did it', async () => {
  const text = await read();
  const actions = actionsOn(text);
  for (const action of [
    'operator.added',
    'business.created',
    'member.added',
    'settings.changed',
    'key.created',
    'credits.granted',
    'recipient.erased',
  ])
    expect(actions).toContain(action);
  expect(actions.indexOf('recipient.erased')).toBeLessThan(actions.indexOf('operator.added'));
  expect(text).toContain('owner@shop.example');
  expect(text).toContain('lowBalanceThreshold: 20 → 7');
  expect(text).toContain('&lt;b>Acme&lt;/b>');
  expect(text).not.toContain('<b>Acme');
  expect(text, 'an erased customer').not.toContain('ann@example.com');
});

test('it is narrowed by shop, by who acted and by action, and by all of them', async () => {
  const ofOther = actionsOn(await read({ business: other.businessId }));
  expect(ofOther[0]).toBe('credits.granted');
  expect(ofOther.toSorted()).toEqual(['business.created', 'credits.granted', 'key.created']);
  expect(actionsOn(await read({ business: 'platform' }))).toEqual(['operator.added']);
  expect(actionsOn(await read({ actor: 'member' }))).toEqual(['settings.changed']);
  expect(new Set(actionsOn(await read({ action: 'business.created' })))).toEqual(
    new Set(['business.created']),
  );
  expect(actionsOn(await read({ business: shop.businessId, actor: 'key', action: 'key.created' }))).toEqual([
    'key.created',
  ]);
  expect(await read({ business: 'nobody' })).toContain('There is no such entry');
  expect(actionsOn(await read({ actor: 'nonsense', cursor: 'nonsense' }))).toEqual(actionsOn(await read()));
});

test('a page that looked through its part of the log says that older entries may match, and goes on', async () => {
  const walk = async (filter: Partial<AuditFilter>, size: number, scanned: number): Promise<string[]> => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const whole: AuditFilter = { business: null, actor: null, action: null, ...filter };
      const page: Awaited<ReturnType<typeof readAuditLog>> = await readAuditLog(service.pool, whole, cursor, {
        size,
        scanned,
      });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    return seen;
  };
  for (const filter of [
    {},
    { action: 'business.created' },
    { actor: 'operator' as const },
    { business: shop.businessId, action: 'key.created' },
    { business: 'platform', action: 'operator.added' },
  ]) {
    const whole = await walk(filter, 1_000, 10_000);
    expect(whole.length).toBeGreaterThan(0);
    for (const [size, scanned] of [
      [1, 1],
      [2, 3],
      [50, 2],
    ] as const)
      expect(await walk(filter, size, scanned), JSON.stringify({ filter, size, scanned })).toEqual(whole);
  }
});

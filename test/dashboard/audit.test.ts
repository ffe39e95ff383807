import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAuditLog } from '../../src/pages/dashboard/audit/reads.ts';
import { auditActions } from '../../src/pages/dashboard/audit/words.ts';
import { openConsole, type TestConsole } from '../cli/console.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { joinShop, type MemberBrowser, type ReadPage, signedIn } from './memberBrowser.ts';

let service: TestService;
let console: TestConsole;
let shop: Shop;
let owner: MemberBrowser;
let viewer: MemberBrowser;
beforeAll(async () => {
  service = await startService();
  console = openConsole(service.database.url);
  shop = await service.business({ name: 'Acme Books' });
  owner = await signedIn(
    service,
    (await joinShop(service, shop.businessId, 'owner@shop.example', 'owner')).id,
  );
  viewer = await signedIn(service, (await joinShop(service, shop.businessId, 'v@shop.example', 'viewer')).id);
});
afterAll(() => service.close());

const at = (query = '', other: Shop = shop): string =>
  `/dashboard/${other.businessId}/settings/audit${query}`;
/** Who did what, as the page has it. */
const entries = ({ text }: ReadPage): string[] =>
  [...text.matchAll(/<tr><th scope="row">(.*?)<\/tr>/gs)].map(([, row = '']) =>
    row
      .replace(/<time.*?<\/time>/, '')
      .replace(/<\/?(?:span|a|div|td)[^>]*>/g, '|')
      .replace(/<[^>]*>/g, '')
      .split('|')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .join(' | '),
  );

test('acts from the dashboard, the API and the command line stand together, newest first', async () => {
  await shop.pushed({ recipient_email: 'ann@example.com' });
  await shop.call('PUT', '/api/v1/recipients/ann%40example.com/phone', { body: { phone: '+37255500123' } });
  // Each process dates its entries by its own view of the clock, some milliseconds apart.
  await service.advance({ seconds: 5 });
  await console.json('business', 'set', shop.businessId, '--paused', 'true');
  await service.advance({ seconds: 5 });
  await owner.submit(`/dashboard/${shop.businessId}/keys`, `/dashboard/${shop.businessId}/keys`, {
    name: 'Reports',
    access: 'read',
  });
  expect(entries(await viewer.get(at())).slice(0, 3)).toEqual([
    'owner@shop.example | in the dashboard | Created an API key | Access: read',
    'The operator | on the command line | Changed settings | Paused: no → yes',
    'API key “First key” | through the API | Entered a customer’s number | ann@example.com',
  ]);
});

test('filters by where it came from and by what it was', async () => {
  const from = async (kind: string) => entries(await owner.get(at(`?from=${kind}`)));
  expect((await from('member')).every((entry) => entry.includes('in the dashboard'))).toBe(true);
  expect(await from('key')).toEqual([
    'API key “First key” | through the API | Entered a customer’s number | ann@example.com',
  ]);
  expect((await from('operator')).length).toBeGreaterThan(3);
  const keys = entries(await owner.get(at('?action=key.created')));
  expect(keys).toHaveLength(2);
  expect(entries(await owner.get(at('?action=key.created&from=member')))).toHaveLength(1);
  expect((await owner.get(at('?action=recipient.erased'))).text).toContain('Nobody did this yet.');
  // What is no filter of ours filters nothing.
  expect(entries(await owner.get(at('?action=%3Cscript%3E&from=nobody'))).length).toBeGreaterThan(5);
});

test('a member has their address while they are one, a key its name while it is known', async () => {
  const { id } = await joinShop(service, shop.businessId, 'gone@shop.example', 'owner');
  const browser = await signedIn(service, id);
  const { id: keyId, key } = JSON.parse(
    (await shop.call('POST', '/api/v1/keys', { body: { name: '<b>"Evil"</b> مفتاح' } })).text,
  );
  expect(key).toBeDefined();
  await browser.submit(
    `/dashboard/${shop.businessId}/keys`,
    `/dashboard/${shop.businessId}/keys/${keyId}/revoke`,
  );
  expect(entries(await viewer.get(at()))[0]).toBe(
    'gone@shop.example | in the dashboard | Revoked an API key',
  );
  await console.json('member', 'remove', shop.businessId, 'gone@shop.example');
  const [removed, revoked] = entries(await viewer.get(at()));
  expect(removed).toBe('The operator | on the command line | Removed a member | somebody who left, owner');
  expect(revoked).toBe('Somebody who left the shop | in the dashboard | Revoked an API key');
  await service.pool.query(
    `update audit_entries set actor = $2 where business_id = $1 and actor like 'key:%'`,
    [shop.businessId, `key:${keyId}`],
  );
  const { text } = await viewer.get(at('?from=key'));
  expect(text).toContain('API key “&lt;b>&#34;Evil&#34;&lt;/b> مفتاح”');
  await service.pool.query(
    `update audit_entries set actor = 'key:gone' where business_id = $1 and actor like 'key:%'`,
    [shop.businessId],
  );
  expect((await viewer.get(at('?from=key'))).text).toContain('An API key that is gone');
});

test('what is erased is gone from here, too', async () => {
  await shop.post('/api/v1/recipients/ann%40example.com/erase');
  const { text } = await viewer.get(at());
  expect(text).not.toContain('ann@example.com');
  expect(text).toMatch(/Erased a customer<[\s\S]*A customer who was erased/);
});

test('a long log is read page by page, each entry once', async () => {
  const long = await service.business({ name: 'Long' });
  await joinShop(service, long.businessId, 'owner@shop.example', 'owner');
  await service.pool.query(
    `insert into audit_entries (business_id, id, actor, action, detail, at)
     select $1, 'a' || lpad(n::text, 23, '0'), 'operator', 'credits.granted', jsonb_build_object('credits', n), now()
     from generate_series(1, 120) n`,
    [long.businessId],
  );
  const seen: string[] = [];
  for (let next: string | undefined = at('?action=credits.granted', long); next !== undefined; ) {
    const page: ReadPage = await owner.get(next);
    seen.push(...entries(page));
    next = /<a href="([^"]*cursor=[^"]*)">Older entries/.exec(page.text)?.[1]?.replaceAll('&amp;', '&');
  }
  expect(seen).toHaveLength(120);
  expect(new Set(seen).size).toBe(120);
  expect(seen[0]).toContain('Credits: 120');
});

test('a rare act in a long log is found by looking on, a bounded part at a time', async () => {
  const rare = await service.business({ name: 'Rare' });
  await service.pool.query(
    `insert into audit_entries (business_id, id, actor, action, at)
     select $1, 'a' || lpad(n::text, 23, '0'), 'operator', case when n = 1 then 'usage.rebuilt' else 'reply.read' end, now()
     from generate_series(1, 100) n`,
    [rare.businessId],
  );
  const filter = { business: rare.businessId, actor: null, action: 'usage.rebuilt' };
  const pages = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof readAuditLog>> = await readAuditLog(service.pool, filter, cursor, {
      size: 10,
      scanned: 30,
    });
    pages.push(page);
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(pages.map(({ items }) => items.length)).toEqual([0, 0, 0, 1]);
  expect(pages.map(({ isCut }) => isCut)).toEqual([true, true, true, false]);
});

test('every action that is recorded has its words', () => {
  const source = fileURLToPath(new URL('../../src', import.meta.url));
  const recorded = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.ts$/.test(file))
    .map((file) => readFileSync(join(source, file), 'utf8'))
    .filter((text) => /\b(?:recordAudit|auditEndpoint)\b/.test(text))
    .flatMap((text) => [
      ...text.matchAll(
        /'((?:business|settings|member|key|message|recipient|suppression|reply|replies|endpoint|credits|sender|usage)\.[a-z_]+|phone_[a-z]+)'/g,
      ),
    ])
    .map(([, action = '']) => action);
  const codes = ['key.not_found', 'key.limit_reached', 'recipient.not_found', 'business.invalid_api_key'];
  const known = new Set(auditActions.map(([action]) => action));
  expect(recorded.length).toBeGreaterThan(20);
  expect([...new Set(recorded)].filter((action) => !known.has(action) && !codes.includes(action))).toEqual(
    [],
  );
});

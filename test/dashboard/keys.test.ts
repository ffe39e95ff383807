import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { csrfIn, joinAsOperator, joinShop, type MemberBrowser, signedIn } from './memberBrowser.ts';

let service: TestService;
let shop: Shop;
let owner: MemberBrowser;
let ownerId: string;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Each test has a shop of its own: keys are limited per shop. */
async function openShop(): Promise<void> {
  shop = await service.business({ name: 'Acme Books' });
  ownerId = (await joinShop(service, shop.businessId, `owner@${shop.businessId}.example`, 'owner')).id;
  owner = await signedIn(service, ownerId);
}
const page = (): string => `/dashboard/${shop.businessId}/keys`;
const create = (fields: Record<string, string>, browser = owner) => browser.submit(page(), page(), fields);
const revoke = (id: string, browser = owner) =>
  browser.submit(`${page()}/${id}/revoke`, `${page()}/${id}/revoke`);

async function keyOf(by: Shop, body: object = {}): Promise<{ id: string; shop: Shop }> {
  const { id, key } = JSON.parse((await by.call('POST', '/api/v1/keys', { body })).text);
  return { id, shop: new Shop(service.url, shop.businessId, key) };
}
const idsOf = async (): Promise<string[]> =>
  JSON.parse((await shop.get('/api/v1/keys')).text).items.map(({ id }: { id: string }) => id);
const keyIn = (text: string): string => /way_live_[0-9a-z]{40}/.exec(text)?.[0] ?? '';

async function auditOf(action: string): Promise<{ actor: string; detail: object }[]> {
  const { rows } = await service.pool.query<{ actor: string; detail: object }>(
    'select actor, detail from audit_entries where business_id = $1 and action = $2 order by at',
    [shop.businessId, action],
  );
  return rows;
}

test('an owner creates a key that works, and sees it once', async () => {
  await openShop();
  const created = await create({ name: 'Shop backend', access: 'send' });
  expect([created.status, created.location]).toEqual([201, null]);
  expect(created.headers.get('cache-control')).toBe('no-store');
  const key = keyIn(created.text);
  const made = new Shop(service.url, shop.businessId, key);
  expect((await made.get('/api/v1/credits')).status).toBe(200);
  expect((await made.get('/api/v1/keys')).status).toBe(403);
  const list = (await owner.get(page())).text;
  expect(list).toContain('Shop backend');
  expect(list).toContain(`…${key.slice(-4)}`);
  expect(keyIn(list)).toBe('');
  expect(JSON.stringify(service.logged)).not.toContain(key);
  const item = JSON.parse((await shop.get('/api/v1/keys')).text).items[0];
  expect(item).toMatchObject({ name: 'Shop backend', access: 'send', minted_by: null });
  expect(await auditOf('key.created')).toContainEqual({
    actor: `member:${ownerId}`,
    detail: { key_id: item.id, detached: false, access: 'send' },
  });
});

test('a key says who made it: a member, another key or the operator', async () => {
  await openShop();
  await create({ name: 'From the page' });
  const child = await keyOf(shop, { name: 'A child' });
  const free = await keyOf(shop, { name: 'Detached', detach: true });
  const list = (await owner.get(page())).text;
  const factsOf = (name: string): string =>
    new RegExp(`${name}</strong>[\\s\\S]*?<code>[\\s\\S]*?</span></span>`).exec(list)?.[0] ?? '';
  expect(factsOf('From the page')).toContain(`by owner@${shop.businessId}.example`);
  expect(factsOf('A child')).toContain('by another key');
  expect(factsOf('Detached')).toContain('by another key, detached');
  expect(factsOf('First key')).toContain('by the operator');
  expect([child.id, free.id].every((id) => list.includes(id))).toBe(true);
  const operator = await signedIn(service, (await joinAsOperator(service, 'op@waypost.example')).id);
  await create({ name: 'From outside' }, operator);
  expect((await owner.get(page())).text).not.toContain('op@waypost.example');
});

test('keys stand below the ones that they fall with', async () => {
  await openShop();
  const child = await keyOf(shop, { name: 'Child' });
  const grandchild = await keyOf(child.shop, { name: 'Grandchild' });
  await keyOf(child.shop, { name: 'Free', detach: true });
  const list = (await owner.get(page())).text;
  const depthAt = (name: string): number => {
    const before = list.slice(0, list.indexOf(`>${name}</strong>`));
    return (before.match(/<ul class="key-branch"/g) ?? []).length - (before.match(/<\/ul>/g) ?? []).length;
  };
  expect(['First key', 'Child', 'Grandchild', 'Free'].map(depthAt)).toEqual([1, 2, 3, 1]);
  expect(grandchild.id).not.toBe('');
});

test('the list says when a key was last used, to the minute', async () => {
  await openShop();
  const quiet = await keyOf(shop, { name: 'Quiet' });
  const used = await keyOf(shop, { name: 'Used' });
  const lastUsed = async (id: string): Promise<Date | null> => {
    const { rows } = await service.pool.query<{ last_used_at: Date | null }>(
      'select last_used_at from api_keys where business_id = $1 and id = $2',
      [shop.businessId, id],
    );
    return rows[0]?.last_used_at ?? null;
  };
  await used.shop.pushed();
  await eventually(async () => expect(await lastUsed(used.id)).not.toBeNull());
  const first = await lastUsed(used.id);
  const list = (await owner.get(page())).text;
  expect(/Quiet<\/strong>[\s\S]*?(Not used yet|Last used)/.exec(list)?.[1]).toBe('Not used yet');
  expect(/Used<\/strong>[\s\S]*?Last used <time datetime="([^"]+)"/.exec(list)?.[1]).toBe(
    first?.toISOString(),
  );
  await used.shop.get('/api/v1/credits');
  expect(await lastUsed(used.id)).toEqual(first);
  await service.advance({ minutes: 2 });
  await used.shop.get('/api/v1/credits');
  await eventually(async () => expect(await lastUsed(used.id)).not.toEqual(first));
  expect(await lastUsed(quiet.id)).toBeNull();
});

test('a page lists what falls with a key, and then it falls', async () => {
  await openShop();
  const child = await keyOf(shop, { name: 'Child' });
  const grandchild = await keyOf(child.shop, { name: 'Grandchild' });
  const free = await keyOf(child.shop, { name: 'Free', detach: true });
  const asked = (await owner.get(`${page()}/${child.id}/revoke`)).text;
  expect(asked).toMatch(
    /Child[\s\S]*This key falls with it:[\s\S]*Grandchild[\s\S]*detached key[\s\S]*stays[\s\S]*Free/,
  );
  expect(asked).toContain('Revoke 2 keys');
  expect(asked).not.toContain('First key');
  const done = await revoke(child.id);
  expect(done.location).toBe(`${page()}?flash=revoked_with_children`);
  expect((await owner.get(done.location ?? '')).text).toContain('The key and those below it were revoked');
  expect((await child.shop.get('/api/v1/credits')).status).toBe(401);
  expect((await grandchild.shop.get('/api/v1/credits')).status).toBe(401);
  expect((await free.shop.get('/api/v1/credits')).status).toBe(200);
  expect(await idsOf()).not.toContain(child.id);
  const [entry] = await auditOf('key.revoked');
  expect(entry).toMatchObject({ actor: `member:${ownerId}`, detail: { key_id: child.id } });
  expect((await owner.get(`${page()}/${child.id}/revoke`)).status).toBe(404);
  const csrf = csrfIn((await owner.get(page())).text);
  expect((await owner.post(`${page()}/${child.id}/revoke`, { csrf })).status).toBe(404);
});

test('a viewer and a member see the list and can do nothing to it', async () => {
  await openShop();
  for (const role of ['viewer', 'member'] as const) {
    const email = `${role}@${shop.businessId}.example`;
    const browser = await signedIn(service, (await joinShop(service, shop.businessId, email, role)).id);
    const list = (await browser.get(page())).text;
    expect(list).toContain('First key');
    expect(list).not.toMatch(/Revoke|Create a key/);
    const csrf = csrfIn((await browser.get('/dashboard/account')).text);
    expect((await browser.post(page(), { csrf, name: 'Mine' })).status).toBe(403);
    const [id] = await idsOf();
    expect((await browser.get(`${page()}/${id}/revoke`)).status).toBe(403);
    expect((await browser.post(`${page()}/${id}/revoke`, { csrf })).status).toBe(403);
  }
  expect(await idsOf()).toHaveLength(1);
});

test('a hostile name stays text', async () => {
  await openShop();
  const name = `"><script>alert('x')</script> \u202eyek`;
  const created = await create({ name });
  const [id] = await idsOf();
  for (const text of [
    created.text,
    (await owner.get(page())).text,
    (await owner.get(`${page()}/${id}/revoke`)).text,
  ]) {
    expect(text).not.toContain('<script>');
    expect(text).toContain('&lt;script>');
  }
  expect(JSON.parse((await shop.get('/api/v1/keys')).text).items[0].name).toBe(name);
});

test('what the API refuses is refused here, with a sentence', async () => {
  await openShop();
  expect((await create({ name: 'x'.repeat(121) })).status).toBe(422);
  expect((await create({ name: 'a\nb' })).text).toContain('One line of at most 120 characters.');
  expect((await create({ access: 'everything' })).status).toBe(422);
  for (let keys = 1; keys < 25; keys += 1) await keyOf(shop, { detach: true });
  const csrf = csrfIn((await owner.get('/dashboard/account')).text);
  const refused = await owner.post(page(), { csrf });
  expect([refused.status, refused.text]).toEqual([
    409,
    expect.stringContaining('The business has as many active keys as it may have.'),
  ]);
  expect((await owner.get(page())).text).toContain('A shop has at most 25 active keys.');
  expect(await idsOf()).toHaveLength(25);
});

test('a shop without a key says what to do', async () => {
  await openShop();
  const [id] = await idsOf();
  expect((await revoke(id ?? '')).location).toBe(`${page()}?flash=revoked`);
  expect((await owner.get(page())).text).toMatch(/No active key[\s\S]*Create one below/);
  expect((await create({})).status).toBe(201);
});

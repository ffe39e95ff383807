import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Connection, findConnection, secretsAndCredentials } from '../../src/connections/connections.ts';
import { DAY, earlier } from '../../src/kit/clock.ts';
import { createSealer } from '../../src/kit/seal.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { callOf, connectionOf, wooOrder, wouldPushOf } from './connectionRows.ts';
import { joinShop, type MemberBrowser, type ReadPage, signedIn } from './memberBrowser.ts';

/** What people of a shop see of its connections, and what an owner does with them. */
let service: TestService;
let shop: Shop;
let owner: MemberBrowser;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business({ name: 'Acme Books' });
  owner = await signedIn(service, await memberOf('owner'));
});

const memberOf = async (role: Parameters<typeof joinShop>[3]): Promise<string> =>
  (await joinShop(service, shop.businessId, `${role}@${shop.businessId}.example`, role)).id;
const list = (): string => `/dashboard/${shop.businessId}/connections`;
const connected = async (kind?: Parameters<typeof connectionOf>[2]): Promise<string> =>
  (await connectionOf(service, shop.businessId, kind)).connection.id;
const stored = async (id: string): Promise<Connection> => {
  const connection = await findConnection(service.pool, id);
  if (connection === null) throw new Error('it is gone');
  return connection;
};
const secretsOf = (id: string) =>
  secretsAndCredentials(service.pool, createSealer([service.secretKey]), id, service.clock.now());
const call = (id: string, of: Parameters<typeof callOf>[2]) =>
  callOf(service, { businessId: shop.businessId, id }, of);
const submit = (path: string, fields: Record<string, string> = {}, page = path): Promise<ReadPage> =>
  owner.submit(list() + page, list() + path, fields);

/** A form with several fields of one name. */
const submitPairs = async (path: string, pairs: [string, string][]): Promise<ReadPage> => {
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec((await owner.get(list() + path)).text) ?? [];
  const body = new URLSearchParams([['csrf', csrf], ...pairs]);
  const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { cookie, 'sec-fetch-site': 'same-origin' };
  const options = { method: 'POST', redirect: 'manual', headers, body } as const;
  const answer = await fetch(service.url + list() + path, options);
  const { status } = answer;
  return {
    status,
    headers: answer.headers,
    location: answer.headers.get('location'),
    text: await answer.text(),
  };
};

test('a shop without a connection is offered its store and its tracking service; a viewer is told who can connect them', async () => {
  const { text } = await owner.get(list());
  for (const kind of ['WooCommerce', 'Shopify', 'Saleor', 'AfterShip', 'EasyPost', 'Shippo', 'karrio'])
    expect(text).toContain(`Connect ${kind}`);
  const viewer = await signedIn(service, await memberOf('viewer'));
  const shown = (await viewer.get(list())).text;
  expect(shown).toContain('An owner of the shop can connect its store.');
  expect(shown).not.toContain('Connect WooCommerce');
});

test('an owner connects WooCommerce: the answer shows the secret, the address and the steps, and no later page shows the secret', async () => {
  const page = await submit('/new/woocommerce', { name: 'The shop' });
  expect(page.status).toBe(201);
  const [, id = ''] = /connect\/woocommerce\/([0-9a-z]+)/.exec(page.text) ?? [];
  const { secrets } = await secretsOf(id);
  expect(page.text).toContain(secrets[0]);
  expect(page.text).toContain('Waiting for the first call from WooCommerce');
  for (const word of ['Settings → Advanced → Webhooks', 'Order created', 'Order restored', 'API Version'])
    expect(page.text).toContain(word);
  expect(await stored(id)).toMatchObject({
    name: 'The shop',
    status: 'watching',
    businessId: shop.businessId,
  });
  for (const below of ['', '/setup', '/statuses', '/log', '/settings', '/rotate']) {
    const { status, text } = await owner.get(`${list()}/${id}${below}`);
    expect(status, below).toBe(200);
    expect(text, below).not.toContain(secrets[0]);
  }
});

test.each([
  ['woocommerce', 'consumer_key needs its secret', { key: 'ck_1' }, 'The key and its secret belong together'],
  ['woocommerce', 'a key needs the store', { key: 'ck_1', key_secret: 'cs_1' }, 'where is it?'],
  ['saleor', 'the store is needed', {}, 'Where is the store?'],
  ['saleor', 'the store is no https address', { store_url: 'http://store.example' }, 'must begin with https'],
  ['shopify', 'the name is long', { name: 'n'.repeat(61) }, 'at most 60 characters'],
])('%s is not connected with a wrong form: %s', async (kind, _what, fields, message) => {
  const page = await submit(`/new/${kind}`, fields);
  expect([page.status, page.text.includes(message)]).toEqual([422, true]);
  expect(page.text).not.toContain('cs_1');
  expect((await owner.get(list())).text).toContain('Connect your store');
});

test('Saleor gets a query to copy, and Shippo an address that ends in the secret', async () => {
  const saleor = await submit('/new/saleor', { store_url: 'https://store.example' });
  expect([saleor.status, saleor.text.includes('subscription {')]).toEqual([201, true]);
  const shippo = await submit('/new/shippo', { key: 'shippo_live_1' });
  expect(shippo.text).toMatch(/connect\/shippo\/[0-9a-z]+\?token=[0-9a-z]{32}</);
  expect(shippo.text).not.toContain('shippo_live_1');
});

test('the secret that Shopify shows is entered on the page of its steps, and another one later', async () => {
  const id = await connected({ kind: 'shopify' });
  expect((await owner.get(`${list()}/${id}`)).text).toContain('The signing secret is missing');
  expect((await submit(`/${id}/secret`, { secret: 'shpss_1' }, `/${id}`)).location).toBe(
    `${list()}/${id}/setup?flash=secret_saved`,
  );
  expect((await secretsOf(id)).secrets).toEqual(['shpss_1']);
  expect((await owner.get(`${list()}/${id}`)).text).not.toContain('The signing secret is missing');
  await submit(`/${id}/rotate`, { secret: 'shpss_2' });
  expect((await secretsOf(id)).secrets).toEqual(['shpss_2', 'shpss_1']);
  await submit(`/${id}/rotate`, { secret: 'shpss_3', at_once: 'yes' });
  expect((await secretsOf(id)).secrets).toEqual(['shpss_3']);
  expect((await submit(`/${id}/rotate`, { secret: '' })).status).toBe(422);
});

test('what would be sent stands beside what the store said, the newest first', async () => {
  const id = await connected();
  await call(id, {
    order: '1001',
    outcome: 'would_push',
    body: wooOrder('1001', 'processing'),
    wouldPush: [wouldPushOf({ subject: 'First' })],
  });
  await call(id, {
    order: '1002',
    outcome: 'would_push',
    body: wooOrder('1002', 'completed'),
    wouldPush: [wouldPushOf({ subject: 'Second', order_status: 'shipped', preview: null })],
  });
  const { text } = await owner.get(`${list()}/${id}`);
  expect(text).toContain('2 of 10 examples');
  const order = [
    'Order 1002',
    'completed',
    'Shipped',
    'Second',
    'Order 1001',
    'processing',
    'Confirmed',
    'First',
  ];
  const places = order.map((words) => text.indexOf(words));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(text).toContain('2 × Candle');
  expect(text).toContain('mari@example.com');
});

test('a connection is switched after a question; the one to live says that what was watched is never sent', async () => {
  const id = await connected();
  const path = `/${id}/switch/live`;
  expect((await owner.get(list() + path)).text).toContain('What was watched is never sent later');
  expect((await submit(path)).location).toBe(`${list()}/${id}?flash=live`);
  expect((await stored(id)).status).toBe('live');
  expect((await submit(path)).location).toBe(`${list()}/${id}?flash=same`);
  await submit(`/${id}/switch/off`);
  expect((await stored(id)).status).toBe('off');
  expect((await owner.get(`${list()}/${id}/switch/elsewhere`)).status).toBe(404);
});

test('the table of statuses has the store’s own ones, and saves only what differs from the default', async () => {
  const id = await connected();
  await service.pool.query(`update connections set statuses_seen = '{awaiting-pickup}' where id = $1`, [id]);
  expect((await owner.get(`${list()}/${id}/statuses`)).text).toContain('awaiting-pickup');
  const saved = await submitPairs(`/${id}/statuses`, [
    ['word', 'processing'],
    ['told', 'confirmed'],
    ['word', 'completed'],
    ['told', ''],
    ['word', 'awaiting-pickup'],
    ['told', 'ready_for_pickup'],
    ['word', 'never-seen'],
    ['told', 'shipped'],
    ['channels_of', 'shipped'],
    ['channels_shipped', 'sms'],
    ['channels_shipped', 'pigeon'],
    ['escalate_minutes', '60'],
    ['phone_use', 'if_consented'],
    ['consent_field', '_sms_ok'],
  ]);
  expect(saved.location).toBe(`${list()}/${id}/statuses?flash=saved`);
  expect((await stored(id)).settings).toEqual({
    statuses: { completed: null, 'awaiting-pickup': 'ready_for_pickup' },
    channels: { shipped: ['sms'] },
    escalateMinutes: 60,
    phone: 'if_consented',
    consentField: '_sms_ok',
  });
});

test.each([
  ['minutes that are no number', { escalate_minutes: '3.5' }, 'A whole number from 5'],
  ['texts without the field that permits them', { phone_use: 'if_consented' }, 'Name the field'],
])('the table of statuses refuses %s, and changes nothing', async (_what, fields, message) => {
  const id = await connected();
  const page = await submit(`/${id}/statuses`, fields);
  expect([page.status, page.text.includes(message)]).toEqual([422, true]);
  expect((await stored(id)).settings.escalateMinutes).toBeNull();
});

test('the log is searched by order and filtered by outcome, and goes on with older calls', async () => {
  const id = await connected();
  for (let n = 0; n < 26; n += 1) await call(id, { order: `A-${n}`, reason: 'no_change' });
  await call(id, { order: 'B-1', outcome: 'not_understood', reason: 'not_json' });
  const first = (await owner.get(`${list()}/${id}/log`)).text;
  expect(first).toContain('The call is no JSON that can be read.');
  expect(first).not.toContain('A-0<');
  const [, older = ''] = /href="([^"]+)">Older calls/.exec(first) ?? [];
  expect((await owner.get(older.replaceAll('&amp;', '&'))).text).toContain('>A-0<');
  const found = (await owner.get(`${list()}/${id}/log?order=A-7`)).text;
  expect([found.includes('>A-7<'), found.includes('>A-8<')]).toEqual([true, false]);
  const wrong = (await owner.get(`${list()}/${id}/log?outcome=not_understood`)).text;
  expect([wrong.includes('>B-1<'), wrong.includes('>A-25<')]).toEqual([true, false]);
  expect((await owner.get(`${list()}/${id}/log?order=C-1`)).text).toContain('No call is like this');
});

test('a member runs a call again, and a viewer is not offered it', async () => {
  const id = await connected();
  const callId = await call(id, {
    topic: 'order.updated',
    outcome: 'not_understood',
    reason: 'not_json',
    body: '{',
  });
  const viewer = await signedIn(service, await memberOf('viewer'));
  expect((await viewer.get(`${list()}/${id}/log`)).text).not.toContain('Run again');
  const member = await signedIn(service, await memberOf('member'));
  const ran = await member.submit(`${list()}/${id}/log`, `${list()}/${id}/calls/${callId}/run`);
  expect(ran.location).toBe(`${list()}/${id}/log?flash=ran_not_understood`);
  expect((await member.get(ran.location ?? '')).text).toContain('still not understood');
});

test('the key for our own calls stays if nothing is entered, and is forgotten if the owner says so', async () => {
  const id = await connected();
  const settings = (fields: Record<string, string>) => submit(`/${id}/settings`, fields);
  const reach = { name: 'Shop', store_url: 'https://store.example' };
  await settings({ ...reach, key: 'ck_1', key_secret: 'cs_1' });
  expect((await secretsOf(id)).credentials).toEqual({ key: 'ck_1', secret: 'cs_1' });
  await settings({ ...reach, name: 'Renamed' });
  expect((await secretsOf(id)).credentials).toEqual({ key: 'ck_1', secret: 'cs_1' });
  expect((await stored(id)).name).toBe('Renamed');
  expect((await settings({ name: 'Renamed' })).status).toBe(422);
  await settings({ ...reach, keep_key: 'no' });
  expect((await stored(id)).hasCredentials).toBe(false);
  expect((await owner.get(`${list()}/${id}/settings`)).text).not.toContain('ck_1');
});

test('a new secret is shown once, and the old one counts for an hour more', async () => {
  const id = await connected();
  const [before] = (await secretsOf(id)).secrets;
  const page = await submit(`/${id}/rotate`);
  const { secrets } = await secretsOf(id);
  expect(secrets).toHaveLength(2);
  expect(secrets[1]).toBe(before);
  expect(page.text).toContain(secrets[0]);
  expect((await owner.get(`${list()}/${id}/settings`)).text).not.toContain(secrets[0]);
  // Shippo may give a secret of its own to who asks for signatures.
  const own = await submit(`/${id}/rotate`, { secret: 'theirs', at_once: 'yes' });
  expect(own.location).toBe(`${list()}/${id}/settings?flash=secret_saved`);
  expect((await secretsOf(id)).secrets).toEqual(['theirs']);
});

test('removing a connection asks to sign in again, says what goes with it, and is in the audit log', async () => {
  const id = await connected();
  await call(id, {});
  const path = `${list()}/${id}/remove`;
  await service.advance({ minutes: 11 });
  expect((await owner.get(path)).location).toContain('/dashboard/sign-in-again');
  owner = await signedIn(service, await memberOf('owner'));
  expect((await owner.get(path)).text).toContain('cannot be undone');
  expect((await owner.submit(path, path)).location).toBe(`${list()}?flash=removed`);
  expect(await findConnection(service.pool, id)).toBeNull();
  expect((await owner.get(`${list()}/${id}`)).status).toBe(404);
  const audit = (await owner.get(`/dashboard/${shop.businessId}/settings/audit`)).text;
  expect(audit).toContain('Removed a connection');
});

test('a store that was quiet for two days is told where to look', async () => {
  const id = await connected({ kind: 'shopify' });
  await call(id, { receivedAt: earlier(service.clock.now(), 3 * DAY) });
  for (const path of [list(), `${list()}/${id}`])
    expect((await owner.get(path)).text).toContain('Nothing came for two days.');
});

const HOSTILE = `"><script>alert('x')</script> \u202eyek`;

test('what a store, a customer or a colleague wrote is shown as text', async () => {
  const id = await connected({ name: HOSTILE.slice(0, 60) });
  await service.pool.query('update connections set statuses_seen = $2, last_error = $3 where id = $1', [
    id,
    [HOSTILE],
    HOSTILE,
  ]);
  const message = wouldPushOf({
    subject: HOSTILE,
    body: HOSTILE,
    recipient_email: HOSTILE,
    language: HOSTILE,
  });
  const body = wooOrder('1', 'processing', { line_items: [{ name: HOSTILE, quantity: 1 }] });
  await call(id, { topic: HOSTILE, order: HOSTILE, outcome: 'would_push', body, wouldPush: [message] });
  await call(id, { topic: HOSTILE, order: HOSTILE, outcome: 'refused', reason: HOSTILE });
  for (const below of [
    '',
    `/${id}`,
    `/${id}/statuses`,
    `/${id}/log`,
    `/${id}/settings`,
    `/${id}/switch/live`,
  ]) {
    const { status, text } = await owner.get(list() + below);
    expect(status, below).toBe(200);
    expect(text, below).toContain('&lt;script>alert(');
    expect(text, below).not.toContain('<script>alert');
  }
});

test.each(['nothing', 'a'.repeat(24), '%00', `${'a'.repeat(23)}%00`, '..%2f..%2fkeys', 'A'.repeat(5_000)])(
  'there is no connection and no call %j',
  async (id) => {
    const known = await connected();
    for (const below of [
      '',
      '/setup',
      '/statuses',
      '/log',
      '/settings',
      '/switch/live',
      '/rotate',
      '/remove',
    ])
      expect((await owner.get(`${list()}/${id}${below}`)).status, below).toBe(404);
    expect((await submit(`/${known}/calls/${id}/run`, {}, `/${known}/settings`)).status).toBe(404);
    expect((await owner.get(`${list()}/new/${id}`)).status).toBe(404);
  },
);

test('a NUL in what is typed or searched for makes no trouble', async () => {
  const id = await connected();
  expect((await owner.get(`${list()}/${id}/log?order=%00`)).status).toBe(422);
  expect((await submit(`/${id}/settings`, { name: 'A\0B' })).location).toContain('flash=saved');
  expect((await stored(id)).name).toBe('AB');
  expect(
    (
      await submitPairs(`/${id}/statuses`, [
        ['word', 'a\0'],
        ['told', '\0'],
      ])
    ).status,
  ).toBe(303);
});

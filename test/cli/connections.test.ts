import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findConnection, secretsAndCredentials } from '../../src/connections/connections.ts';
import { later, MINUTE, systemClock } from '../../src/kit/clock.ts';
import { newId } from '../../src/kit/ids.ts';
import { createSealer } from '../../src/kit/seal.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { CLI_SECRET_KEY, openConsole, type TestConsole } from './console.ts';

const PUBLIC_URL = 'https://updates.example';
const MADE_SECRET = /^[0-9a-z]{32}$/;
const STORE = ['--store', 'https://shop.example/'];
const CONSUMER = ['--consumer-key', 'ck_1', '--consumer-secret', 'cs_1'];

let database: TestDatabase;
let cli: TestConsole;
let shop: string;
beforeAll(async () => {
  database = await testDatabase();
  cli = openConsole(database.url, { PUBLIC_URL, WEBHOOK_ALLOW_HOSTS: '127.0.0.1:9000' });
});
afterAll(() => database.drop());
beforeEach(async () => {
  shop = (await cli.business()).id;
});

const add = async (...words: string[]) => {
  const added = await cli.json('connection', 'add', shop, ...words);
  return { id: String(added.connection_id), secret: added.secret, added };
};
const sealer = createSealer([CLI_SECRET_KEY]);
const kept = (id: string, now = systemClock.now()) => secretsAndCredentials(database.pool, sealer, id, now);
const nextRead = async (id: string) => (await findConnection(database.pool, id))?.nextReadAt ?? null;
const audited = async () => {
  const { rows } = await database.pool.query(
    `select actor, action, detail from audit_entries where business_id = $1 and action like 'connection.%' order by id`,
    [shop],
  );
  return rows;
};

/** A call as a store leaves it. */
async function addCall(
  connectionId: string,
  call: { at: Date; order: string; outcome?: string; reason?: string },
) {
  const callId = newId(call.at);
  await database.pool.query(
    `insert into connection_calls (business_id, connection_id, id, call_key, topic, order_number, headers, body, received_at,
       is_watched, outcome, reason)
     values ($1, $2, $3, $3, 'order.updated', $4, '{}', '{}', $5, true, $6, $7)`,
    [shop, connectionId, callId, call.order, call.at, call.outcome ?? null, call.reason ?? null],
  );
  return callId;
}

describe('connection add', () => {
  test('gives an address and a secret, and begins by watching', async () => {
    const { id, secret, added } = await add('woocommerce');
    expect(added).toEqual({
      connection_id: id,
      kind: 'woocommerce',
      status: 'watching',
      address: `${PUBLIC_URL}/connect/woocommerce/${id}`,
      secret: expect.stringMatching(MADE_SECRET),
    });
    expect(await kept(id)).toEqual({ secrets: [secret], credentials: null });
    expect(await nextRead(id)).toBeNull();
    expect(await audited()).toEqual([
      { actor: 'operator', action: 'connection.added', detail: { connection_id: id, kind: 'woocommerce' } },
    ]);
    const text = await cli.text('connection', 'add', shop, 'woocommerce');
    expect(text).toContain('Save the secret now: it is shown only once.');
  });

  test('takes the secret that the store shows', async () => {
    const { id, secret } = await add('shopify', '--secret', 'from the store');
    expect(secret).toBe('from the store');
    expect((await kept(id)).secrets).toEqual(['from the store']);
  });

  test('waits for a secret that the store makes', async () => {
    const { id, secret } = await add('aftership');
    expect(secret).toBeNull();
    expect((await kept(id)).secrets).toEqual([]);
    const text = await cli.text('connection', 'add', shop, 'shopify');
    expect(text).toContain('enter it by connection rotate ID --secret S');
  });

  test('reads a store at once whose keys it is given', async () => {
    const { id } = await add('woocommerce', ...STORE, ...CONSUMER);
    expect((await kept(id)).credentials).toEqual({ key: 'ck_1', secret: 'cs_1' });
    expect(await nextRead(id)).toBeInstanceOf(Date);
    const { id: named } = await add('easypost', '--api-key', 'ak_1');
    expect((await kept(named)).credentials).toEqual({ key: 'ak_1', secret: '' });
    expect(await nextRead(named)).toBeInstanceOf(Date);
    const { items } = await cli.json('connection', 'list', shop);
    expect(items).toMatchObject([{ store_url: 'https://shop.example' }, { store_url: null }]);
  });

  test('gives Saleor’s query', async () => {
    const { added } = await add('saleor', ...STORE);
    expect(added).toMatchObject({ secret: null, query: expect.stringMatching(/subscription[\s\S]+event/) });
    const text = await cli.text('connection', 'add', shop, 'saleor', ...STORE);
    expect(text).toContain('subscription');
  });

  test('shows the address with its secret for Shippo, which may sign nothing', async () => {
    const text = await cli.text('connection', 'add', shop, 'shippo', '--secret', 'a&b');
    expect(text).toMatch(/\/connect\/shippo\/\w+\?token=a%26b/);
  });

  test('takes a store on this machine only where the operator allows it', async () => {
    await add('saleor', '--store', 'http://127.0.0.1:9000');
    const refused = await cli.mistake(
      'connection',
      'add',
      shop,
      'saleor',
      '--store',
      'http://127.0.0.1:9001',
    );
    expect(refused).toBe('--store cannot be used: The URL must begin with https://.');
  });

  test.each<[string, string[], RegExp]>([
    ['an unknown kind', ['SHOP', 'magento'], /^KIND must be one of woocommerce, /],
    ['an unknown business', ['nobody', 'shopify'], /^No business has the id "nobody"\.$/],
    ['Saleor without its store', ['SHOP', 'saleor'], /^connection add needs --store URL for Saleor\.$/],
    [
      'a query',
      ['SHOP', 'saleor', '--store', 'https://a.example/?b'],
      /^--store cannot be used: .* query\.$/,
    ],
    ['a key of another kind', ['SHOP', 'shopify', '--api-key', 'k'], /^--api-key is not for Shopify\.$/],
    ['a long name', ['SHOP', 'shopify', '--name', 'x'.repeat(61)], /^--name must be one line of 1 to 60/],
    [
      'a long secret',
      ['SHOP', 'shopify', '--secret', 'x'.repeat(256)],
      /^--secret must be one line of 1 to 255/,
    ],
  ])('refuses %s', async (_, words, sentence) => {
    const argv = words.map((word) => (word === 'SHOP' ? shop : word));
    expect(await cli.mistake('connection', 'add', ...argv)).toMatch(sentence);
    expect(await audited()).toEqual([]);
  });

  test('refuses more than twenty for one business', async () => {
    for (let made = 0; made < 20; made += 1) await add('shopify');
    expect(await cli.mistake('connection', 'add', shop, 'shopify')).toBe(
      'A business has at most 20 connections: remove one first.',
    );
  });
});

describe('connection list', () => {
  test('lists those of a business, or of all', async () => {
    const { id } = await add('woocommerce', '--name', 'Our store');
    const own = {
      id,
      business_id: shop,
      kind: 'woocommerce',
      name: 'Our store',
      status: 'watching',
      created_at: expect.any(String),
      last_received_at: null,
      last_error: null,
      store_url: null,
      address: `${PUBLIC_URL}/connect/woocommerce/${id}`,
    };
    expect(await cli.json('connection', 'list', shop)).toEqual({ items: [own] });
    const { id: other } = await cli.business();
    await cli.json('connection', 'add', other, 'shopify');
    const { items } = await cli.json('connection', 'list');
    expect(items).toContainEqual(own);
    expect(items).toContainEqual(expect.objectContaining({ business_id: other, name: 'Shopify' }));
    expect(await cli.text('connection', 'list', shop)).toMatch(/Our store +watching/);
  });

  test('says so when there are none', async () => {
    expect(await cli.text('connection', 'list', shop)).toBe('No connections.\n');
    expect(await cli.mistake('connection', 'list', 'nobody')).toMatch(/^No business has the id/);
  });
});

describe('connection set', () => {
  const set = (id: string, ...flags: string[]) => cli.json('connection', 'set', id, ...flags);

  test('changes what is named, and leaves the rest', async () => {
    const { id } = await add('woocommerce');
    const statuses = { processing: 'confirmed', completed: 'shipped', 'on-hold': null };
    const first = await set(
      id,
      ...['--statuses', 'processing=confirmed,completed=shipped,on-hold='],
      ...['--channels', 'shipped=sms+whatsapp', '--escalate-minutes', '30'],
    );
    const chosen = { statuses, channels: { shipped: ['sms', 'whatsapp'] }, escalate_minutes: 30 };
    const before = { status: 'watching', name: 'WooCommerce', phone: 'never', consent_field: null };
    expect(first).toMatchObject({ connection_id: id, ...before, ...chosen });

    const after = { status: 'live', name: 'Store', phone: 'if_consented', consent_field: 'texts_ok' };
    const flags = [
      '--status',
      'live',
      '--name',
      'Store',
      '--phone',
      'if_consented',
      '--consent-field',
      'texts_ok',
    ];
    expect(await set(id, ...flags)).toMatchObject({ ...after, ...chosen });
    expect(await set(id, '--statuses', 'packed=shipped')).toMatchObject({ statuses: { packed: 'shipped' } });
    const none = [
      '--statuses',
      'default',
      '--channels',
      'none',
      '--escalate-minutes',
      'none',
      '--consent-field',
      'none',
    ];
    const bare = { statuses: {}, channels: {}, escalate_minutes: null, consent_field: null };
    expect(await set(id, ...none)).toMatchObject({ ...after, ...bare });
    expect(await cli.text('connection', 'set', id, '--name', 'Store')).toContain('Nobody is texted until');

    const entries = await audited();
    expect(entries).toHaveLength(5);
    expect(entries[2]).toMatchObject({
      action: 'connection.changed',
      detail: {
        connection_id: id,
        status: { from: 'watching', to: 'live' },
        phone: { from: 'never', to: 'if_consented' },
      },
    });
  });

  test('begins to read a store again when it has new keys, or is no longer off', async () => {
    const { id } = await add('woocommerce', ...STORE);
    expect(await nextRead(id)).toBeNull();
    await set(id, ...CONSUMER);
    expect(await nextRead(id)).toBeInstanceOf(Date);
    expect((await kept(id)).credentials).toEqual({ key: 'ck_1', secret: 'cs_1' });
    await set(id, '--status', 'off');
    expect(await nextRead(id)).toBeNull();
    await set(id, '--status', 'watching');
    expect(await nextRead(id)).toBeInstanceOf(Date);
    expect(JSON.stringify(await audited())).not.toMatch(/ck_1|cs_1/);
  });

  test.each<[string, string, string[], RegExp]>([
    ['nothing', 'shopify', [], /^connection set needs at least one flag; see connection set --help\.$/],
    ['a status', 'shopify', ['--status', 'on'], /^--status must be one of watching, live, off/],
    ['our status', 'shopify', ['--statuses', 'created=sent'], /^--statuses must be/],
    ['a channel', 'shopify', ['--channels', 'shipped=email'], /^--channels must be/],
    ['minutes', 'shopify', ['--escalate-minutes', '4'], /^--escalate-minutes must be a whole number from 5/],
    ['a use', 'shopify', ['--phone', 'always'], /^--phone must be one of never, if_consented/],
    [
      'statuses of parcels',
      'karrio',
      ['--statuses', 'a='],
      /^--statuses, .* are only for stores: karrio knows/,
    ],
  ])('refuses %s that it cannot do', async (_, kind, flags, sentence) => {
    const { id } = await add(kind);
    expect(await cli.mistake('connection', 'set', id, ...flags)).toMatch(sentence);
  });
});

describe('connection rotate', () => {
  const rotate = (id: string, ...flags: string[]) => cli.json('connection', 'rotate', id, ...flags);

  test('lets the secret before it count for another hour', async () => {
    const { id, secret } = await add('woocommerce');
    const rotated = await rotate(id);
    expect(rotated).toEqual({ connection_id: id, secret: expect.stringMatching(MADE_SECRET) });
    const now = systemClock.now();
    expect((await kept(id, later(now, 59 * MINUTE))).secrets).toEqual([rotated.secret, secret]);
    expect((await kept(id, later(now, 61 * MINUTE))).secrets).toEqual([rotated.secret]);
    expect(await audited()).toMatchObject([{}, { action: 'connection.secret_rotated', actor: 'operator' }]);
  });

  test('lets it count no longer with --now', async () => {
    const { id } = await add('woocommerce');
    const { secret } = await rotate(id, '--now');
    expect((await kept(id)).secrets).toEqual([secret]);
  });

  test('takes the secret that the store shows, also the first', async () => {
    const { id } = await add('shopify');
    await rotate(id, '--secret', 'one');
    expect((await kept(id)).secrets).toEqual(['one']);
    await rotate(id, '--secret', 'two');
    expect((await kept(id)).secrets).toEqual(['two', 'one']);
    expect(await cli.mistake('connection', 'rotate', id)).toBe(
      'connection rotate needs --secret S: Shopify makes the secret itself.',
    );
  });
});

describe('connection log and run', () => {
  test('shows the calls of a connection, newest first, and of one order', async () => {
    const { id } = await add('woocommerce');
    const now = systemClock.now();
    const old = await addCall(id, {
      at: later(now, -MINUTE),
      order: '7',
      outcome: 'not_understood',
      reason: 'not_json',
    });
    const young = await addCall(id, { at: now, order: '8' });
    const fields = { received_at: now.toISOString(), topic: 'order.updated', message_id: null };
    const newest = { id: young, ...fields, order: '8', outcome: null, reason: null };
    const { items } = await cli.json('connection', 'log', id);
    expect(items).toEqual([newest, expect.objectContaining({ id: old, reason: 'not_json' })]);
    expect(await cli.json('connection', 'log', id, '--limit', '1')).toEqual({ items: [newest] });
    expect(await cli.json('connection', 'log', id, '--order', '7')).toMatchObject({ items: [{ id: old }] });
    expect(await cli.text('connection', 'log', id)).toMatch(/not_understood +- +not_json/);
    expect(await cli.text('connection', 'log', id, '--order', '9')).toBe('No calls.\n');
  });

  test('runs a call again', async () => {
    const { id } = await add('woocommerce');
    const callId = await addCall(id, { at: systemClock.now(), order: '7', outcome: 'not_understood' });
    expect(await cli.json('connection', 'run', id, callId)).toMatchObject({
      id: callId,
      topic: 'order.updated',
    });
    expect(await cli.mistake('connection', 'run', id, 'nothing')).toBe(
      'This connection has no call "nothing".',
    );
  });
});

describe('connection remove', () => {
  test('takes the log and what is known of orders with it', async () => {
    const { id } = await add('woocommerce');
    const { id: other } = await add('woocommerce');
    for (const one of [id, other]) {
      await addCall(one, { at: systemClock.now(), order: '7' });
      const known = [shop, one];
      await database.pool.query(
        `insert into connection_orders (business_id, connection_id, store_order, known, revision, updated_at)
         values ($1, $2, '7', '{}', '1', now())`,
        known,
      );
      await database.pool.query(
        `insert into tracking_registrations (business_id, connection_id, tracking_number, created_at) values ($1, $2, 'T7', now())`,
        known,
      );
    }
    expect(await cli.json('connection', 'remove', id)).toEqual({ connection_id: id, removed: true });
    for (const table of ['connection_calls', 'connection_orders', 'tracking_registrations']) {
      const sql = `select connection_id from ${table} where business_id = $1`;
      expect((await database.pool.query(sql, [shop])).rows).toEqual([{ connection_id: other }]);
    }
    expect(await cli.json('connection', 'list', shop)).toMatchObject({ items: [{ id: other }] });
    expect((await audited()).at(-1)).toMatchObject({
      action: 'connection.removed',
      detail: { connection_id: id },
    });
  });

  test.each(['set', 'rotate', 'remove', 'log'])('of nothing says so, as %s does', async (verb) => {
    const flags = verb === 'set' ? ['--status', 'off'] : [];
    expect(await cli.mistake('connection', verb, 'nothing', ...flags)).toBe(
      'No connection has the id "nothing".',
    );
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createKey, findCallers, keyHash } from '../../src/businesses/keys.ts';
import { listKeys } from '../../src/businesses/keysSql.ts';
import { loadPepper } from '../../src/db/instanceSecrets.ts';
import { later, MINUTE, systemClock } from '../../src/kit/clock.ts';
import { createHasher, createSealer } from '../../src/kit/seal.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { CLI_SECRET_KEY, openConsole, type TestConsole } from './console.ts';
import { addRecipient, addSend } from './rows.ts';

let database: TestDatabase;
let cli: TestConsole;
let shop: { id: string; key: string };
beforeAll(async () => {
  database = await testDatabase();
  cli = openConsole(database.url);
});
afterAll(() => database.drop());
beforeEach(async () => {
  shop = await cli.business('--credits', '10');
});

const rows = async (sql: string, ...values: unknown[]) =>
  (await database.pool.query(sql, [shop.id, ...values])).rows;
const hasher = async () => createHasher(await loadPepper(database.pool, createSealer([CLI_SECRET_KEY])));
const balance = () =>
  rows('select balance, reserved, low_balance_notified from credit_accounts where business_id = $1');
const works = async (key: string) => (await findCallers(database.pool, [keyHash(key)]))[0] !== null;

describe('credits add', () => {
  test('raises the balance by a grant that the ledger explains', async () => {
    expect(await cli.json('credits', 'add', shop.id, '5', '--note', 'Invoice 7')).toEqual({
      business_id: shop.id,
      added: 5,
      balance: 15,
    });
    expect(
      await rows(
        'select kind, amount, note, send_id from credit_ledger where business_id = $1 order by id desc limit 1',
      ),
    ).toEqual([{ kind: 'grant', amount: 5, note: 'Invoice 7', send_id: null }]);
    expect(await rows('select sum(amount)::int from credit_ledger where business_id = $1')).toEqual([
      { sum: 15 },
    ]);
    expect(await cli.text('credits', 'add', shop.id, '1')).toMatch(/^balance +16$/m);
  });

  test('at once from several terminals loses none', async () => {
    await Promise.all(Array.from({ length: 8 }, () => cli.json('credits', 'add', shop.id, '3')));
    expect(await balance()).toMatchObject([{ balance: 34 }]);
  });

  test('over the threshold lets the merchant be told again, short of it does not', async () => {
    await database.pool.query(
      'update credit_accounts set low_balance_notified = true where business_id = $1',
      [shop.id],
    );
    await cli.json('credits', 'add', shop.id, '9');
    expect(await balance()).toMatchObject([{ balance: 19, low_balance_notified: true }]);
    await cli.json('credits', 'add', shop.id, '1');
    expect(await balance()).toMatchObject([{ balance: 20, low_balance_notified: false }]);
  });
});

describe('key', () => {
  test('create answers a key that works and has no creator', async () => {
    const made = await cli.json('key', 'create', shop.id, '--name', 'Till 2');
    expect(made).toMatchObject({ business_id: shop.id, name: 'Till 2', minted_by: null });
    expect(await works(String(made.api_key))).toBe(true);
    expect(await listKeys(database.pool, shop.id)).toMatchObject([{ id: made.key_id, name: 'Till 2' }, {}]);
    expect(await cli.text('key', 'create', shop.id)).toMatch(/^name +Untitled key$/m);
  });

  test('create takes what the key may call, full by default, and business show lists it', async () => {
    expect(await cli.json('key', 'create', shop.id)).toMatchObject({ access: 'full' });
    for (const access of ['full', 'send', 'read'] as const) {
      const made = await cli.json('key', 'create', shop.id, '--access', access);
      expect(made).toMatchObject({ access });
      expect(await listKeys(database.pool, shop.id)).toContainEqual(
        expect.objectContaining({ id: made.key_id, access }),
      );
    }
    expect(await cli.text('business', 'show', shop.id)).toMatch(/ read .*\n/);
    expect(await cli.mistake('key', 'create', shop.id, '--access', 'write')).toMatch(
      /must be one of full, send, read/,
    );
  });

  test('revoke takes the children along and says which', async () => {
    const [{ id: parent = '' } = {}] = await listKeys(database.pool, shop.id);
    const request = { businessId: shop.id, mintedBy: parent, name: null };
    const child = await createKey(database.pool, systemClock, { ...request, detach: false });
    const detached = await createKey(database.pool, systemClock, { ...request, detach: true });
    const { revoked } = await cli.json('key', 'revoke', parent);
    expect(revoked).toHaveLength(2);
    expect(revoked).toEqual(expect.arrayContaining([parent, child.id]));
    expect(await Promise.all([shop.key, child.key, detached.key].map(works))).toEqual([false, false, true]);
    expect(await cli.text('key', 'revoke', detached.id)).toBe(`REVOKED KEY\n${detached.id}\n`);
  });

  test('create on a lapsed plan, or past the limit, is refused in words', async () => {
    for (let made = 1; made < 25; made += 1) {
      await createKey(database.pool, systemClock, {
        businessId: shop.id,
        mintedBy: null,
        name: null,
        detach: false,
      });
    }
    expect(await cli.mistake('key', 'create', shop.id)).toMatch(/as many active keys as it may have/);
    await cli.json('business', 'set', shop.id, '--plan', 'lapsed');
    expect(await cli.mistake('key', 'create', shop.id)).toMatch(/plan has lapsed/);
  });
});

describe('recipient', () => {
  const EMAIL = 'jane@example.com';
  const PHONE = '+37255550134';
  let jane: string;
  beforeEach(async () => {
    jane = await addRecipient(database.pool, shop.id, EMAIL, PHONE);
  });
  const stops = () =>
    rows('select channel, made_by, number_hash from stops where business_id = $1 order by channel');
  const sends = () =>
    rows('select id, state, reason, reserved, due_at from sends where business_id = $1 order by id');

  test('show says what is known, the number masked', async () => {
    await cli.json('suppression', 'add', shop.id, EMAIL);
    expect(await cli.json('recipient', 'show', shop.id, ' Jane@Example.com')).toMatchObject({
      business_id: shop.id,
      recipient_id: jane,
      email: EMAIL,
      phone: '+372 •••• 0134',
      country: 'EE',
      sms_status: 'active',
      sms_stopped_by: null,
      whatsapp_status: 'active',
      unsubscribed_at: null,
      suppressed_for: ['operator'],
      messages: 0,
    });
    const text = await cli.text('recipient', 'show', shop.id, EMAIL);
    expect(text).toMatch(/^sms_status +active$/m);
    expect(text).not.toContain(PHONE);
  });

  test('stop of SMS holds for the person and the number, and is the dashboard’s', async () => {
    expect(await cli.json('recipient', 'stop', shop.id, EMAIL, '--channel', 'sms')).toMatchObject({
      recipient_id: jane,
      channel: 'sms',
      status: 'stopped',
      sends_skipped: 0,
    });
    expect(await cli.json('recipient', 'show', shop.id, EMAIL)).toMatchObject({
      sms_status: 'stopped',
      sms_stopped_by: 'dashboard',
      sms_status_at: expect.any(String),
      whatsapp_status: 'active',
    });
    expect(await stops()).toEqual([
      { channel: 'sms', made_by: 'dashboard', number_hash: (await hasher())('phone', PHONE) },
    ]);
    expect(
      await rows('select recipient_id, channel, action, source from consent_log where business_id = $1'),
    ).toEqual([{ recipient_id: jane, channel: 'sms', action: 'stopped', source: 'dashboard' }]);
    expect(
      await rows(
        `select recipient_id, subject from audit_entries where business_id = $1 and action = 'recipient.stopped'`,
      ),
    ).toEqual([{ recipient_id: jane, subject: EMAIL }]);
  });

  test('stop of a number that was stopped by text can no longer be lifted by one', async () => {
    const hash = await hasher();
    await database.pool.query(
      `update recipients set sms_status = 'stopped', sms_stopped_by = 'text', sms_status_at = '2026-01-01' where id = $1`,
      [jane],
    );
    await database.pool.query(
      `insert into stops (business_id, channel, number_hash, made_by, at) values ($1, 'sms', $2, 'text', now())`,
      [shop.id, hash('phone', PHONE)],
    );
    await cli.json('recipient', 'stop', shop.id, EMAIL, '--channel', 'sms');
    expect(await stops()).toMatchObject([{ channel: 'sms', made_by: 'dashboard' }]);
    expect(await cli.json('recipient', 'show', shop.id, EMAIL)).toMatchObject({
      sms_stopped_by: 'dashboard',
    });
  });

  test('stop of WhatsApp leaves texts alone', async () => {
    await cli.json('recipient', 'stop', shop.id, EMAIL, '--channel', 'whatsapp');
    expect(await cli.json('recipient', 'show', shop.id, EMAIL)).toMatchObject({
      sms_status: 'active',
      whatsapp_status: 'stopped',
    });
    expect(await stops()).toMatchObject([{ channel: 'whatsapp', made_by: 'dashboard' }]);
  });

  test('stop ends what waits on that channel and frees its credits, and touches nothing else', async () => {
    const texted = await addSend(database.pool, shop.id, jane, {
      channel: 'sms',
      state: 'queued',
      credits: 2,
    });
    const another = await addSend(database.pool, shop.id, jane, {
      channel: 'sms',
      state: 'queued',
      credits: 1,
    });
    const armed = await addSend(database.pool, shop.id, jane, { channel: 'sms', state: 'held' });
    const email = await addSend(database.pool, shop.id, jane, { channel: 'email', state: 'queued' });
    const running = await addSend(database.pool, shop.id, jane, { channel: 'sms', state: 'submitting' });
    const joe = await addRecipient(database.pool, shop.id, 'joe@example.com', null);
    const joes = await addSend(database.pool, shop.id, joe, { channel: 'sms', state: 'queued', credits: 4 });
    expect(await balance()).toMatchObject([{ balance: 10, reserved: 7 }]);

    expect(await cli.json('recipient', 'stop', shop.id, EMAIL, '--channel', 'sms')).toMatchObject({
      sends_skipped: 3,
    });
    const skipped = { state: 'skipped', reason: 'stopped', reserved: false, due_at: null };
    const after = new Map((await sends()).map(({ id, ...rest }) => [id, rest]));
    expect([texted, another, armed].map((id) => after.get(id))).toEqual([skipped, skipped, skipped]);
    expect([email, running, joes].map((id) => after.get(id).state)).toEqual([
      'queued',
      'submitting',
      'queued',
    ]);
    expect(await balance()).toMatchObject([{ balance: 10, reserved: 4 }]);
    expect(await rows('select 1 from credit_ledger where business_id = $1')).toHaveLength(1);
  });

  test('stop of WhatsApp cancels the text held as its fallback', async () => {
    const whatsapp = await addSend(database.pool, shop.id, jane, {
      channel: 'whatsapp',
      state: 'queued',
      credits: 1,
    });
    await database.pool.query(
      `insert into sends (business_id, id, message_id, recipient_id, channel, purpose, state, fallback_of, credits, created_at)
       select business_id, 'fallback', message_id, recipient_id, 'sms', 'fallback', 'held', id, 1, now() from sends where id = $1`,
      [whatsapp],
    );
    await cli.json('recipient', 'stop', shop.id, EMAIL, '--channel', 'whatsapp');
    const states = new Map((await sends()).map(({ id, state }) => [id, state]));
    expect([states.get(whatsapp), states.get('fallback')]).toEqual(['skipped', 'cancelled']);
    expect(await balance()).toMatchObject([{ balance: 10, reserved: 0 }]);
  });
});

describe('suppression', () => {
  const EMAIL = 'Jane@Example.com';
  const suppress = async (reason: string) =>
    database.pool.query(
      'insert into suppressions (business_id, email_hash, reason, email, at) values ($1, $2, $3, $4, now())',
      [shop.id, (await hasher())('email', 'jane@example.com'), reason, 'jane@example.com'],
    );

  test('add, list and remove speak of the same address, however it is written', async () => {
    expect(await cli.json('suppression', 'add', shop.id, EMAIL)).toEqual({
      business_id: shop.id,
      email: 'jane@example.com',
      reason: 'operator',
      added: true,
    });
    expect(await cli.json('suppression', 'add', shop.id, 'jane@example.com')).toMatchObject({ added: false });
    const listed = { email: 'jane@example.com', reason: 'operator', at: expect.any(String) };
    expect(await cli.json('suppression', 'list', shop.id)).toEqual({ items: [listed], more: false });
    expect(await cli.json('suppression', 'list', shop.id, EMAIL)).toMatchObject({ items: [listed] });
    expect(await cli.json('suppression', 'list', shop.id, 'joe@example.com')).toMatchObject({ items: [] });
    expect(await cli.text('suppression', 'list', shop.id)).toMatch(
      /^EMAIL +REASON +SINCE\njane@example.com +operator +20/,
    );
    expect(await cli.json('suppression', 'remove', shop.id, EMAIL)).toMatchObject({
      removed: ['operator'],
      kept: [],
    });
    expect(await cli.text('suppression', 'list', shop.id)).toBe('No address is suppressed.\n');
  });

  test('another business’s list is its own', async () => {
    const other = await cli.business();
    await cli.json('suppression', 'add', other.id, EMAIL);
    expect(await cli.json('suppression', 'list', shop.id)).toMatchObject({ items: [] });
    expect(await cli.mistake('suppression', 'remove', shop.id, EMAIL)).toBe(
      'jane@example.com is not suppressed for this business.',
    );
  });

  test('remove lifts a bounce everywhere it gates, and leaves an unsubscribe', async () => {
    await suppress('bounce');
    await suppress('unsubscribe');
    await database.pool.query('insert into platform_suppressions values ($1, now())', [
      (await hasher())('email', 'jane@example.com'),
    ]);
    expect(await cli.json('suppression', 'remove', shop.id, EMAIL)).toMatchObject({
      removed: ['bounce'],
      removed_for_all: true,
      kept: ['unsubscribe'],
    });
    expect((await database.pool.query('select 1 from platform_suppressions')).rows).toEqual([]);
    expect(await cli.mistake('suppression', 'remove', shop.id, EMAIL)).toBe(
      'jane@example.com unsubscribed from this business; only that customer can undo it.',
    );
  });

  test('an address that is no recipient’s is not written into the audit', async () => {
    await cli.json('suppression', 'add', shop.id, 'stranger@example.com');
    const entries = await rows(
      'select row_to_json(a)::text as text from audit_entries a where business_id = $1',
    );
    expect(entries.map(({ text }) => text).join()).not.toContain('stranger');
  });
});

test('template set decides whether a status may be sent on WhatsApp', async () => {
  const state = async () =>
    (await database.pool.query("select state from whatsapp_templates where order_status = 'shipped'")).rows;
  expect(await cli.json('template', 'set', '--status', 'shipped', '--state', 'in_review')).toEqual({
    order_status: 'shipped',
    state: 'in_review',
  });
  expect(await state()).toEqual([{ state: 'in_review' }]);
  expect(await cli.text('template', 'set', '--status', 'shipped', '--state', 'approved')).toMatch(
    /^state +approved$/m,
  );
  expect(await state()).toEqual([{ state: 'approved' }]);
});

test('price set makes a country’s messages cost more, and price list shows it', async () => {
  expect(await cli.text('price', 'list')).toBe('Every country costs 1 credit.\n');
  expect(await cli.json('price', 'set', 'ch', '2')).toEqual({ country: 'CH', credits: 2 });
  await cli.json('price', 'set', 'CH', '3');
  expect(await cli.json('price', 'list')).toEqual({ items: [{ country: 'CH', credits: 3 }] });
});

test('endpoint enable lets a disabled endpoint be tried again, its failures forgotten', async () => {
  await database.pool.query(
    `insert into webhook_endpoints (business_id, id, url, secret_sealed, secret_masked, consecutive_failures, disabled_at,
       created_at, last_error) values ($1, 'hook1', 'https://shop.example/hook', '', '', 20, now(), now(), 'HTTP 500')`,
    [shop.id],
  );
  expect(await cli.json('business', 'show', shop.id)).toMatchObject({
    endpoints: [{ endpoint_id: 'hook1', disabled: true, consecutive_failures: 20, last_error: 'HTTP 500' }],
  });
  expect(await cli.json('endpoint', 'enable', 'hook1')).toEqual({
    endpoint_id: 'hook1',
    business_id: shop.id,
    url: 'https://shop.example/hook',
    disabled: false,
    was_disabled: true,
  });
  expect(
    await rows('select disabled_at, consecutive_failures from webhook_endpoints where business_id = $1'),
  ).toEqual([{ disabled_at: null, consecutive_failures: 0 }]);
  expect(await cli.json('endpoint', 'enable', 'hook1')).toMatchObject({ was_disabled: false });
  await database.pool.query("update webhook_endpoints set deleted_at = now() where id = 'hook1'");
  expect(await cli.mistake('endpoint', 'enable', 'hook1')).toBe('No webhook endpoint has the id "hook1".');
});

test('outbox stats counts what waits, what is due and for how long', async () => {
  const fresh = await testDatabase();
  try {
    const console = openConsole(fresh.url);
    expect(await console.text('outbox', 'stats')).toContain('The outbox is empty.');
    const { id } = await console.business('--credits', '5');
    const jane = await addRecipient(fresh.pool, id, 'jane@example.com', null);
    const now = systemClock.now();
    await addSend(fresh.pool, id, jane, {
      channel: 'email',
      state: 'queued',
      dueAt: later(now, -2 * MINUTE),
    });
    await addSend(fresh.pool, id, jane, {
      channel: 'email',
      state: 'queued',
      dueAt: later(now, 60 * MINUTE),
    });
    await addSend(fresh.pool, id, jane, { channel: 'sms', state: 'held', dueAt: later(now, 60 * MINUTE) });
    const stats = await console.json('outbox', 'stats');
    expect(stats).toMatchObject({
      sends_waiting: 3,
      sends_due: 1,
      webhook_deliveries_waiting: 0,
      webhook_deliveries_lag_seconds: 0,
      sends: [
        { channel: 'email', state: 'queued', waiting: 2, due: 1 },
        { channel: 'sms', state: 'held', waiting: 1, due: 0 },
      ],
    });
    expect(stats.sends_lag_seconds).toBeGreaterThanOrEqual(120);
    expect(stats.sends_lag_seconds).toBeLessThan(150);
    expect(await console.text('outbox', 'stats')).toMatch(/^email +queued +2 +1$/m);
  } finally {
    await fresh.drop();
  }
});

describe('mistakes are one sentence', () => {
  test.each([
    [['credits', 'add'], 'credits add needs ID: the id of the business.'],
    [['credits', 'add', 'SHOP'], 'credits add needs N: how many credits.'],
    [['credits', 'add', 'nobody', '5'], 'No business has the id "nobody".'],
    [['credits', 'add', 'SHOP', '0'], 'N must be a whole number from 1 to 1000000000, but is "0".'],
    [['credits', 'add', 'SHOP', 'ten'], 'N must be a whole number from 1 to 1000000000, but is "ten".'],
    [['credits', 'add', 'SHOP', '5', '6'], 'credits add does not accept "6"; see credits add --help.'],
    [['key', 'create', 'nobody'], 'No business has the id "nobody".'],
    [['key', 'revoke', 'nothing'], 'No active key has the id "nothing".'],
    [['recipient', 'show', 'nobody', 'a@example.com'], 'No business has the id "nobody".'],
    [
      ['recipient', 'show', 'SHOP', 'stranger@example.com'],
      'stranger@example.com is not a recipient of this business.',
    ],
    [
      ['recipient', 'show', 'SHOP', 'not an address'],
      'EMAIL must be an email address, but is "not an address".',
    ],
    [['recipient', 'stop', 'SHOP', 'a@example.com'], 'recipient stop needs --channel CHANNEL: sms|whatsapp.'],
    [
      ['recipient', 'stop', 'SHOP', 'a@example.com', '--channel', 'email'],
      '--channel must be one of sms, whatsapp, but is "email".',
    ],
    [
      ['recipient', 'stop', 'SHOP', 'stranger@example.com', '--channel', 'sms'],
      'stranger@example.com is not a recipient of this business.',
    ],
    [['suppression', 'list'], 'suppression list needs ID: the id of the business.'],
    [['suppression', 'list', 'nobody'], 'No business has the id "nobody".'],
    [['suppression', 'add', 'SHOP'], 'suppression add needs EMAIL: an email address.'],
    [['suppression', 'add', 'nobody', 'a@example.com'], 'No business has the id "nobody".'],
    [
      ['suppression', 'remove', 'SHOP', 'a@example.com'],
      'a@example.com is not suppressed for this business.',
    ],
    [['template', 'set', '--status', 'shipped'], 'template set needs --state STATE: approved|in_review.'],
    [
      ['template', 'set', '--status', 'lost', '--state', 'approved'],
      '--status must be one of confirmed, shipped, in_transit, out_for_delivery, delivery_attempted, ready_for_pickup, delivered, cancelled, refunded, delayed, but is "lost".',
    ],
    [['price', 'set', 'XX', '2'], 'COUNTRY must be a two-letter country code such as EE, but is "XX".'],
    [['price', 'set', 'EE', '0'], 'N must be a whole number from 1 to 1000, but is "0".'],
    [
      ['endpoint', 'enable'],
      'endpoint enable needs ENDPOINT_ID: the id of the endpoint, as business show lists it.',
    ],
    [['endpoint', 'enable', 'nothing'], 'No webhook endpoint has the id "nothing".'],
  ])('%j', async (argv, sentence) => {
    expect(await cli.mistake(...argv.map((word) => (word === 'SHOP' ? shop.id : word)))).toBe(sentence);
  });
});

describe('order show', () => {
  test('has what the API has of an order, with what was pushed just now', async () => {
    await database.pool.query(
      `insert into order_changes (business_id, id, reference, status, at)
       values ($1, 'mh0q2z4k00x7c1v9b3n5m8l2', 'A-1', 'shipped', '2026-08-20T09:15:00Z')`,
      [shop.id],
    );
    await database.pool.query(
      `insert into shipments (business_id, reference, tracking_number, id, carrier, expected_on, updated_at)
       values ($1, 'A-1', 'CC1', 'a', 'Omniva', '2026-08-22', now())`,
      [shop.id],
    );
    expect(await cli.json('order', 'show', shop.id, 'A-1')).toMatchObject({
      business_id: shop.id,
      reference: 'A-1',
      status: 'shipped',
      shipments: [{ tracking_number: 'CC1', carrier: 'Omniva', expected_on: '2026-08-22', events: [] }],
      messages: [],
    });
    const text = await cli.text('order', 'show', shop.id, 'A-1');
    expect(text).toMatch(/^status +shipped$/m);
    expect(text).toMatch(/^CC1 +Omniva +2026-08-22/m);
  });

  test('of an unknown reference is refused', async () => {
    expect(await cli.mistake('order', 'show', shop.id, 'A-2')).toContain('has no order "A-2"');
  });
});

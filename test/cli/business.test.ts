import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_BUSINESS_ID } from '../../src/businesses/demo.ts';
import { findCallers, keyHash } from '../../src/businesses/keys.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { openConsole, type TestConsole } from './console.ts';

let database: TestDatabase;
let cli: TestConsole;
beforeAll(async () => {
  database = await testDatabase();
  cli = openConsole(database.url);
});
afterAll(() => database.drop());

describe('business create', () => {
  test('answers the id and a key that works', async () => {
    const made = await cli.json('business', 'create', '--name', 'Käsitöö & Co');
    expect(Object.keys(made)).toEqual(['business_id', 'api_key']);
    const [caller] = await findCallers(database.pool, [keyHash(String(made.api_key))]);
    expect(caller).toMatchObject({ businessId: made.business_id, active: true });
  });

  test('has paid channels on request, every country and no credits unless told otherwise', async () => {
    const { id } = await cli.business();
    expect(await cli.json('business', 'show', id)).toMatchObject({
      business_id: id,
      name: 'Shop',
      active: true,
      paused: false,
      plan: 'active',
      sms: 'on_request',
      whatsapp: 'on_request',
      warmup: false,
      countries: null,
      balance: 0,
      low_balance_threshold: 20,
      reply_forward: 'off',
      tracking_nudges: [
        'out_for_delivery',
        'delivery_attempted',
        'available_for_pickup',
        'delivered',
        'delayed',
      ],
      quiet_hours: null,
      quiet_hours_except: [],
      tracking_channels: [],
      tracking_escalate_minutes: null,
      daily_email_cap: null,
      keys: [{ masked: expect.stringMatching(/^way_live_….{4}$/), minted_by: null }],
      endpoints: [],
    });
  });

  test('takes credits, modes and countries', async () => {
    const flags = ['--credits', '50', '--sms=on', '--whatsapp', 'not_enabled', '--countries', 'ee, fi,GB'];
    const { id } = await cli.business(...flags);
    expect(await cli.json('business', 'show', id)).toMatchObject({
      balance: 50,
      sms: 'on',
      whatsapp: 'not_enabled',
      countries: ['EE', 'FI', 'GB'],
    });
  });

  test('shows a person the key once, plainly', async () => {
    const text = await cli.text('business', 'create', '--name', 'Shop');
    expect(text).toMatch(
      /^business_id {2}[0-9a-z]{24}\napi_key {6}way_live_[0-9a-z]{40}\n\nSave the key now/,
    );
  });
});

test('business list has every business, newest first, as columns or as JSON', async () => {
  const older = await cli.business('--credits', '3');
  const newer = await cli.business('--sms', 'off');
  const { items } = await cli.json('business', 'list');
  expect(items).toMatchObject([
    { business_id: newer.id, sms: 'off', balance: 0 },
    { business_id: older.id, name: 'Shop', active: true, paused: false, plan: 'active', balance: 3 },
    ...Array(Array.isArray(items) ? items.length - 2 : 0).fill({}),
  ]);
  const [heading, first = ''] = (await cli.text('business', 'list')).split('\n');
  expect(heading).toMatch(/^BUSINESS +NAME +ACTIVE +PAUSED +PLAN +SMS +WHATSAPP +BALANCE +CREATED$/);
  expect(first.indexOf('Shop')).toBe(heading?.indexOf('NAME'));
});

test('business show says it all to a person, too', async () => {
  const { id } = await cli.business('--credits', '12');
  const text = await cli.text('business', 'show', id);
  expect(text).toMatch(new RegExp(`^business_id +${id}$`, 'm'));
  expect(text).toMatch(/^balance +12$/m);
  expect(text).toMatch(/^warmup +no$/m);
  expect(text).toMatch(/^[0-9a-z]{24} +way_live_….{4} +First key/m);
  expect(text).toContain('No webhook endpoints.');
});

describe('business set', () => {
  test.each([
    ['--sms', 'on', { sms: 'on' }],
    ['--whatsapp', 'off', { whatsapp: 'off' }],
    ['--countries', 'EE', { countries: ['EE'], countries_ceiling: ['EE'] }],
    ['--countries', 'all', { countries: null }],
    ['--paused', 'true', { paused: true }],
    ['--active', 'false', { active: false }],
    ['--plan', 'lapsed', { plan: 'lapsed' }],
    ['--period-end', '2031-09-01T02:00:00+02:00', { period_end: '2031-09-01T00:00:00.000Z' }],
    ['--email-allowance', '10', { email_allowance: 10 }],
    ['--email-allowance', 'none', { email_allowance: null }],
    ['--daily-email-cap', '0', { daily_email_cap: 0 }],
    ['--daily-email-cap', 'none', { daily_email_cap: null }],
    ['--low-balance-threshold', '5', { low_balance_threshold: 5 }],
    ['--warmup', 'true', { warmup: true }],
    ['--reply-forward', 'link_only', { reply_forward: 'link_only' }],
    ['--reply-ack', 'off', { reply_ack: 'off' }],
    ['--reply-ack-credits', '2', { reply_ack_credits: 2 }],
    ['--name', 'Other', { name: 'Other' }],
    ['--contact-email', 'Owner@Shop.example', { contact_email: 'owner@shop.example' }],
    ['--contact', 'Help@Shop.example', { contact_email: 'help@shop.example' }],
    ['--support-email', 'Help@Shop.example', { support_email: 'help@shop.example' }],
    ['--support-email', 'none', { support_email: null }],
    ['--shop-url', 'https://Shop.example', { shop_url: 'https://shop.example/' }],
    ['--shop-url', 'none', { shop_url: null }],
    ['--colour', '#1F6FEB', { colour: '#1f6feb' }],
    ['--quiet-hours', '21:00-08:00', { quiet_hours: '21:00-08:00' }],
    ['--quiet-hours', 'off', { quiet_hours: null }],
    [
      '--quiet-hours-except',
      'delivered,out_for_delivery',
      { quiet_hours_except: ['out_for_delivery', 'delivered'] },
    ],
    ['--quiet-hours-except', 'none', { quiet_hours_except: [] }],
    ['--tracking-nudges', 'delivered, exception', { tracking_nudges: ['delivered', 'exception'] }],
    ['--tracking-nudges', 'none', { tracking_nudges: [] }],
    ['--tracking-channels', 'whatsapp,sms', { tracking_channels: ['sms', 'whatsapp'] }],
    ['--tracking-channels', 'none', { tracking_channels: [] }],
    ['--tracking-escalate-minutes', '5', { tracking_escalate_minutes: 5 }],
    ['--tracking-escalate-minutes', '10080', { tracking_escalate_minutes: 10_080 }],
    ['--tracking-escalate-minutes', 'none', { tracking_escalate_minutes: null }],
    ['--paid-per-recipient-hour', '4', { paid_per_recipient_hour: 4, paid_per_recipient_hour_ceiling: 4 }],
  ])('%s %s', async (flag, value, expected) => {
    const { id } = await cli.business();
    const before = await cli.json('business', 'show', id);
    const after = await cli.json('business', 'set', id, flag, value);
    expect(after).toMatchObject(expected);
    expect(await cli.json('business', 'show', id)).toEqual(after);
    const derived = { period_started_at: after.period_started_at, lapsed_at: after.lapsed_at };
    expect(after).toEqual({ ...before, ...expected, ...derived });
  });

  test('a plan that runs past its paid period shows as lapsed', async () => {
    const { id } = await cli.business();
    const after = await cli.json(
      'business',
      'set',
      id,
      '--plan',
      'past_due',
      '--period-end',
      '2020-01-01T00:00:00Z',
    );
    expect(after).toMatchObject({ plan: 'lapsed' });
  });

  const eventsOf = async (id: string) =>
    (
      await database.pool.query(
        `select e.type, e.data, count(d.event_id)::int as deliveries from events e
         left join webhook_deliveries d using (business_id) where e.business_id = $1 and (d.event_id is null or d.event_id = e.id)
         group by e.id, e.type, e.data order by e.id`,
        [id],
      )
    ).rows;

  test('tells the merchant’s endpoints of a failed payment and of a lapse, each once', async () => {
    const { id } = await cli.business();
    await database.pool.query(
      `insert into webhook_endpoints (business_id, id, url, secret_sealed, secret_masked, created_at)
       values ($1, 'hook', 'https://shop.example/hook', '', '', now())`,
      [id],
    );
    const periodEnd = '2031-09-01T00:00:00.000Z';
    await cli.json('business', 'set', id, '--period-end', periodEnd, '--plan', 'past_due');
    await cli.json('business', 'set', id, '--plan', 'past_due');
    await cli.json('business', 'set', id, '--plan', 'lapsed');
    const shown = await cli.json('business', 'set', id, '--plan', 'lapsed', '--paused', 'true');
    expect(await eventsOf(id)).toEqual([
      { type: 'plan.past_due', data: { period_end: periodEnd }, deliveries: 1 },
      { type: 'plan.lapsed', data: { lapsed_at: shown.lapsed_at }, deliveries: 1 },
    ]);
  });

  test('a renewed period counts its emails from zero', async () => {
    const { id } = await cli.business();
    await cli.json('business', 'set', id, '--period-end', '2031-09-01T00:00:00Z');
    await database.pool.query('update usage_slots set emails_in_period = 7 where business_id = $1', [id]);
    expect(await cli.json('business', 'set', id, '--period-end', '2031-10-01T00:00:00Z')).toMatchObject({
      emails_in_period: 0,
    });
  });

  test('enabling SMS starts the two weeks of warm-up', async () => {
    const { id } = await cli.business('--sms', 'not_enabled');
    expect(await cli.json('business', 'show', id)).toMatchObject({ sms_enabled_at: null });
    expect(await cli.json('business', 'set', id, '--sms', 'on_request', '--warmup', 'true')).toMatchObject({
      sms_enabled_at: expect.any(String),
      warmup: true,
    });
  });

  test('follows the moved clock of the sandbox', async () => {
    const moved = await testDatabase();
    try {
      await moved.pool.query('update service_clock set offset_ms = 86400000::bigint * 365');
      const console = openConsole(moved.url);
      const { id } = await console.business();
      const { lapsed_at } = await console.json('business', 'set', id, '--plan', 'lapsed');
      const { rows } = await moved.pool.query(
        "select $1::timestamptz > now() + interval '364 days' as later",
        [lapsed_at],
      );
      expect(rows).toEqual([{ later: true }]);
    } finally {
      await moved.drop();
    }
  });
});

describe('mistakes are one sentence', () => {
  test.each([
    [['business', 'create'], 'business create needs --name NAME: what recipients see as the sender.'],
    [['business', 'create', '--name', ' '], '--name must be one line of 1 to 100 characters, but is " ".'],
    [
      ['business', 'create', '--name', 'a\nb'],
      '--name must be one line of 1 to 100 characters, but is "a\u{fffd}b".',
    ],
    [
      ['business', 'create', '--name', 'S', '--credits', '-5'],
      '--credits must be a whole number from 0 to 1000000000, but is "-5".',
    ],
    [
      ['business', 'create', '--name', 'S', '--credits', '1.5'],
      '--credits must be a whole number from 0 to 1000000000, but is "1.5".',
    ],
    [
      ['business', 'create', '--name', 'S', '--sms', 'maybe'],
      '--sms must be one of on, on_request, off, not_enabled, but is "maybe".',
    ],
    [
      ['business', 'create', '--name', 'S', '--countries', 'EE,XX'],
      '--countries must be two-letter country codes separated by commas, such as EE,FI,GB, or all, but is "EE,XX".',
    ],
    [['business', 'show'], 'business show needs ID: the id of the business.'],
    [['business', 'show', 'nobody'], 'No business has the id "nobody".'],
    [['business', 'set', 'nobody', '--paused', 'true'], 'No business has the id "nobody".'],
    [['business', 'set', 'nobody'], 'business set needs at least one flag; see business set --help.'],
    [['business', 'set', 'nobody', '--paused'], '--paused needs a value.'],
    [['business', 'set', 'nobody', '--paused', '--json'], '--paused needs a value.'],
    [['business', 'set', 'nobody', '--paused', 'yes'], '--paused must be one of true, false, but is "yes".'],
    [
      ['business', 'set', 'nobody', '--credits', '5'],
      'business set has no flag --credits; see business set --help.',
    ],
    [
      ['business', 'set', 'nobody', '--period-end', '2026-09-01'],
      '--period-end must be a time with its timezone, such as 2026-09-01T00:00:00Z, but is "2026-09-01".',
    ],
    [
      ['business', 'set', 'nobody', '--period-end', '2026-02-30T00:00:00Z'],
      '--period-end must be a time with its timezone, such as 2026-09-01T00:00:00Z, but is "2026-02-30T00:00:00Z".',
    ],
    ...['21:00', '21:00-21:00', '08:00-21:30', 'none'].map((hours): [string[], string] => [
      ['business', 'set', 'nobody', '--quiet-hours', hours],
      `--quiet-hours must be from when to when, such as 21:00-08:00, at most 13 hours, but is "${hours}".`,
    ]),
    [
      ['business', 'set', 'nobody', '--tracking-nudges', 'delivered,returned'],
      '--tracking-nudges must be none, or some of label_created,picked_up,in_transit,out_for_delivery,delivery_attempted,available_for_pickup,delivered,delayed,exception, but is "delivered,returned".',
    ],
    [
      ['business', 'set', 'nobody', '--tracking-channels', 'pigeon'],
      '--tracking-channels must be none, or some of email,sms,whatsapp, but is "pigeon".',
    ],
    [
      ['business', 'set', 'nobody', '--tracking-escalate-minutes', '4'],
      '--tracking-escalate-minutes must be a whole number from 5 to 10080, but is "4".',
    ],
    [
      ['business', 'set', 'nobody', '--tracking-escalate-minutes', '10081'],
      '--tracking-escalate-minutes must be a whole number from 5 to 10080, but is "10081".',
    ],
    [
      ['business', 'set', 'nobody', '--plan', 'gold'],
      '--plan must be one of active, past_due, lapsed, but is "gold".',
    ],
  ])('%j', async (argv, sentence) => {
    expect(await cli.mistake(...argv)).toBe(sentence);
  });

  test('the demo business cannot be activated where the sandbox is off', async () => {
    const production = openConsole(database.url, { NODE_ENV: 'production' });
    expect(await production.mistake('business', 'set', DEMO_BUSINESS_ID, '--active', 'true')).toBe(
      'The demo business stays inactive while the sandbox is off: create a business of your own (business create).',
    );
  });
});

describe('the language of a business', () => {
  test('is English at first, can be given at once, set and shown', async () => {
    const { id } = await cli.business();
    expect(await cli.json('business', 'show', id)).toMatchObject({ language: 'en' });
    const other = await cli.business('--language', 'et');
    expect(await cli.json('business', 'show', other.id)).toMatchObject({ language: 'et' });
    expect(await cli.json('business', 'set', id, '--language', 'nb')).toMatchObject({ language: 'nb' });
    expect(await cli.text('business', 'show', id)).toMatch(/^language +nb$/m);
  });

  test.each(['no', 'tlh', 'en_US', 'en-GB', 'EN', ''])('%s is none of ours, and refused', async (tag) => {
    const { id } = await cli.business();
    expect(await cli.mistake('business', 'set', id, '--language', tag)).toContain('--language');
    expect(await cli.mistake('business', 'create', '--name', 'Shop', '--language', tag)).toContain(
      '--language',
    );
    expect(await cli.json('business', 'show', id)).toMatchObject({ language: 'en' });
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { trackingStatuses } from '../../src/contract/orders.ts';
import { earlier, HOUR, later, MINUTE, SECOND } from '../../src/kit/clock.ts';
import { pauseBeforeCommit, untilPaused } from '../support/databaseLocks.ts';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { startService, type TestService } from '../support/service.ts';
import {
  type ApiResponse,
  expectStatus,
  type Shop,
  statusAndCode,
  validationErrorsOf,
} from '../support/shop.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business({ credits: 10 });
});

const EVENT = { tracking_number: 'JD01', status: 'out_for_delivery', recipient_email: 'ann@example.com' };

interface Report {
  reference?: string;
  key?: string;
  by?: Shop;
}

const report = (
  change: Record<string, unknown> = {},
  { reference = '1001', key = randomUUID(), by = shop }: Report = {},
): Promise<ApiResponse> =>
  by.call('POST', `/api/v1/orders/${encodeURIComponent(reference)}/tracking`, {
    body: { at: minutesAgo(60), ...EVENT, ...change },
    idempotencyKey: key,
  });

interface Answer {
  status: string;
  is_first: boolean;
  nudged: boolean;
  message_id: string | null;
}

const reported = async (change: Record<string, unknown> = {}, where: Report = {}): Promise<Answer> =>
  expectStatus(202, await report(change, where));

const minutesAgo = (minutes: number): string => earlier(service.clock.now(), minutes * MINUTE).toISOString();

const rows = async <T extends Record<string, unknown>>(sql: string): Promise<T[]> =>
  (await service.pool.query<T>(sql, [shop.businessId])).rows;
const messages = () =>
  rows(
    `select m.id, r.email, m.subject, m.kind, m.reference, m.order_status, m.tracking_number, m.milestone_at
     from messages m join recipients r on r.business_id = m.business_id and r.id = m.recipient_id
     where m.business_id = $1 order by m.id`,
  );
const events = () =>
  rows(
    `select reference, tracking_number, status, at, description, location from tracking_events where business_id = $1 order by at, id`,
  );
const shipments = () =>
  rows(
    `select reference, tracking_number, carrier, tracking_url, expected_on, status, status_at from shipments where business_id = $1 order by id`,
  );
const nudges = () =>
  rows(
    `select message_id, channel, state from sends where business_id = $1 and state <> 'cancelled' order by channel, id`,
  );

const told = { is_first: true, nudged: true, message_id: expect.any(String) };
const untold = { is_first: true, nudged: false, message_id: null };
const again = { is_first: false, nudged: false, message_id: null };

const timeline = async (id: string) => {
  const { items } = expectStatus<{
    items: { kind: string; channel: string | null; reason: string | null; says: string }[];
  }>(200, await shop.get(`/api/v1/messages/${id}/timeline`));
  return items;
};
const faults = async (answer: Promise<ApiResponse>) =>
  validationErrorsOf(await answer).map(({ loc, type }) => `${loc.join('.')} ${type}`);
const byHand = (change: Record<string, unknown> = {}) =>
  shop.pushed({ reference: '1001', order_status: 'out_for_delivery', ...change });
const inHours = (hours: number): string => later(service.clock.now(), hours * HOUR).toISOString();

describe('a milestone', () => {
  test('is told once, as an updateable message of its order that nudges by email', async () => {
    const at = minutesAgo(10);
    const answer = await reported({ at });
    expect(answer).toEqual({ status: 'out_for_delivery', ...told });
    expect(await messages()).toEqual([
      {
        id: answer.message_id,
        email: 'ann@example.com',
        subject: expect.stringContaining('1001'),
        kind: 'updateable',
        reference: '1001',
        order_status: 'out_for_delivery',
        tracking_number: 'JD01',
        milestone_at: new Date(at),
      },
    ]);
    expect(await nudges()).toMatchObject([{ message_id: answer.message_id, channel: 'email' }]);
    expect(await reported({ at: minutesAgo(5) })).toEqual({ status: 'out_for_delivery', ...again });
    expect(await messages()).toHaveLength(1);
    expect(await events()).toHaveLength(2);
  });

  test('is told for each shipment of the order, and for each order', async () => {
    await reported();
    expect(await reported({ tracking_number: 'JD02' })).toMatchObject(told);
    expect(await reported({}, { reference: '1002' })).toMatchObject(told);
  });

  test('two with the same subject update one message, and each nudges', async () => {
    const one = await reported();
    const two = await reported({ tracking_number: 'JD02' });
    expect(two).toMatchObject({ nudged: true, message_id: one.message_id });
    const kinds = (await timeline(String(one.message_id))).filter(({ says }) =>
      says.startsWith('A tracking event'),
    );
    expect(kinds.map(({ kind }) => kind)).toEqual(['pushed', 'updated']);
    expect(await messages()).toMatchObject([{ tracking_number: 'JD02' }]);
  });

  test('the setting says which statuses nudge; by default five do', async () => {
    const nudged: string[] = [];
    for (const [index, status] of trackingStatuses.entries())
      if ((await reported({ status, at: minutesAgo(50 - index) })).nudged) nudged.push(status);
    expect(nudged).toEqual([
      'out_for_delivery',
      'delivery_attempted',
      'available_for_pickup',
      'delivered',
      'delayed',
    ]);
    await service.change(shop, { trackingNudges: ['exception', 'picked_up'] });
    expect(await reported({}, { reference: '2' })).toMatchObject(untold);
    await reported({ status: 'exception', at: minutesAgo(40) }, { reference: '2' });
    await reported({ status: 'picked_up', at: minutesAgo(30) }, { reference: '2' });
    expect((await messages()).slice(5).map(({ order_status }) => order_status)).toEqual([
      'delayed',
      'shipped',
    ]);
  });

  test('the order status of the message is its own for each tracking status', async () => {
    await service.change(shop, {
      trackingNudges: ['label_created', 'in_transit', 'available_for_pickup', 'delayed'],
    });
    const statuses = ['label_created', 'in_transit', 'available_for_pickup', 'delayed'];
    for (const [index, status] of statuses.entries()) await reported({ status, at: minutesAgo(50 - index) });
    expect((await messages()).map(({ order_status }) => order_status)).toEqual([
      'shipped',
      'in_transit',
      'ready_for_pickup',
      'delayed',
    ]);
  });

  test('exception and delayed are each told once', async () => {
    await service.change(shop, { trackingNudges: ['exception', 'delayed'] });
    expect(await reported({ status: 'exception' })).toMatchObject(told);
    expect(await reported({ status: 'delayed', at: minutesAgo(50) })).toMatchObject(told);
    expect(await reported({ status: 'exception', at: minutesAgo(40) })).toMatchObject(again);
    expect(await reported({ status: 'delayed', at: minutesAgo(30) })).toMatchObject(again);
  });

  test.each([
    ['none', [], [], null],
    ['texts', ['sms'], ['sms'], null],
    ['texts, later', ['sms'], ['sms'], 30],
  ] as const)(
    'on the channels of the setting, whatever the account’s modes: %s',
    async (_, chosen, paid, minutes) => {
      await service.change(shop, {
        smsMode: 'on',
        trackingChannels: [...chosen],
        trackingEscalateMinutes: minutes,
      });
      await shop.pushed({ recipient_phone: PHONE_NUMBER, notify: false });
      const { message_id: id } = await reported();
      const sends = (await nudges()).filter(({ message_id }) => message_id === id);
      expect(sends.map(({ channel }) => channel)).toEqual(['email', ...paid]);
      if (minutes !== null) expect(sends).toMatchObject([{}, { state: 'held' }]);
    },
  );

  test('its timeline says that it came from a tracking event', async () => {
    const { message_id: id } = await reported();
    expect((await timeline(String(id)))[0]).toMatchObject({
      kind: 'pushed',
      says: 'A tracking event made the message.',
    });
    const pushed = await shop.pushed();
    expect((await timeline(pushed.id))[0]?.says).toBe('The message was pushed.');
  });
});

describe('what came late', () => {
  test('is stored, changes nothing else and uses up its status', async () => {
    await reported({ status: 'delivered', at: minutesAgo(10) });
    expect(await reported({ at: minutesAgo(60) })).toMatchObject(untold);
    expect(await shipments()).toMatchObject([{ status: 'delivered' }]);
    expect((await events()).map(({ status }) => status)).toEqual(['out_for_delivery', 'delivered']);
    expect(await reported({ at: minutesAgo(5) })).toMatchObject(again);
    expect(await messages()).toHaveLength(1);
  });

  test('other shipments and messages do not make an event late', async () => {
    await reported({ status: 'delivered', at: minutesAgo(10) });
    await shop.pushed({ reference: '1001', order_status: 'delivered' });
    expect(await reported({ tracking_number: 'JD02', at: minutesAgo(60) })).toMatchObject(told);
  });

  test('of two events with the same moment, the later received is newer', async () => {
    const at = minutesAgo(10);
    expect(await reported({ at })).toMatchObject(told);
    expect(await reported({ status: 'delivered', at })).toMatchObject(told);
    expect(await shipments()).toMatchObject([{ status: 'delivered' }]);
  });
});

describe('events are stored once', () => {
  test('a repetition changes nothing, and keeps the first words', async () => {
    const at = '2026-08-20T09:15:00.1239Z';
    await reported({ at, description: 'With the courier', location: '  ' });
    expect(
      await reported({ at: '2026-08-20T11:15:00.123+02:00', description: 'Other', location: 'Tallinn' }),
    ).toEqual({
      status: 'out_for_delivery',
      ...again,
    });
    expect(await events()).toEqual([
      {
        reference: '1001',
        tracking_number: 'JD01',
        status: 'out_for_delivery',
        at: new Date('2026-08-20T09:15:00.123Z'),
        description: 'With the courier',
        location: null,
      },
    ]);
  });

  test('50 at once: one event, one message, one nudge', async () => {
    const at = minutesAgo(10);
    const answers = await Promise.all(Array.from({ length: 50 }, () => reported({ at })));
    expect(answers.filter(({ nudged }) => nudged)).toHaveLength(1);
    expect(answers.filter(({ is_first }) => is_first)).toHaveLength(1);
    expect([await events(), await messages(), await nudges()].map(({ length }) => length)).toEqual([1, 1, 1]);
  });

  test('50 different events of a status at once: one message', async () => {
    await Promise.all(Array.from({ length: 50 }, (_, n) => reported({ at: minutesAgo(n) })));
    expect(await messages()).toHaveLength(1);
    expect(await nudges()).toHaveLength(1);
    expect(await events()).toHaveLength(50);
  });

  test('an unknown number makes a shipment with nothing else', async () => {
    const at = minutesAgo(10);
    await reported({ at, tracking_number: '  jd-02 x ' });
    expect(await shipments()).toEqual([
      {
        reference: '1001',
        tracking_number: 'jd-02 x',
        carrier: null,
        tracking_url: null,
        expected_on: null,
        status: 'out_for_delivery',
        status_at: new Date(at),
      },
    ]);
  });

  test('a known shipment keeps what was said of it, and its message says it', async () => {
    await shop.pushed({
      reference: '1001',
      shipment: { tracking_number: 'JD01', carrier: 'Itella' },
    });
    const { message_id: id } = await reported();
    expect(await shipments()).toMatchObject([{ carrier: 'Itella', status: 'out_for_delivery' }]);
    expect((await shop.get(`/api/v1/messages/${id}`)).body).toMatchObject({
      body: expect.stringContaining('Itella'),
    });
  });
});

describe('a push by hand of the same status', () => {
  test('has told it: nothing goes out, and its timeline says why', async () => {
    const { id } = await byHand();
    expect(await reported()).toMatchObject(untold);
    expect(await messages()).toHaveLength(1);
    expect(await timeline(id)).toContainEqual(
      expect.objectContaining({
        kind: 'skipped',
        channel: null,
        reason: 'already_told',
        says: 'Nothing was sent for a tracking event: this message had told it already.',
      }),
    );
    expect(await reported({ at: minutesAgo(5) })).toMatchObject(again);
  });

  test('counts for every shipment, whatever its recipient, shipment and notify', async () => {
    await byHand({
      recipient_email: 'bob@example.com',
      notify: false,
      shipment: { tracking_number: 'OTHER' },
    });
    for (const tracking_number of ['JD01', 'JD02'])
      expect(await reported({ tracking_number })).toMatchObject(untold);
  });

  test.each([
    ['of another status', { order_status: 'shipped' }],
    ['of no status', { order_status: null }],
    ['of another order', { reference: '1002' }],
  ])('does not count %s', async (_, change) => {
    await byHand(change);
    expect(await reported()).toMatchObject(told);
  });

  test('does not count once retracted', async () => {
    const { id } = await byHand();
    await shop.post(`/api/v1/messages/${id}/retract`);
    expect(await reported()).toMatchObject(told);
  });

  test('counts by order status: ready_for_pickup tells available_for_pickup, delayed tells exception', async () => {
    await service.change(shop, { trackingNudges: ['available_for_pickup', 'exception'] });
    await byHand({ order_status: 'ready_for_pickup' });
    await byHand({ order_status: 'delayed' });
    expect(await reported({ status: 'available_for_pickup' })).toMatchObject(untold);
    expect(await reported({ status: 'exception', at: minutesAgo(5) })).toMatchObject(untold);
  });

  test('counts for 12 hours, until the event is received', async () => {
    const { id } = await byHand();
    const ago = (hours: number, seconds: number) =>
      service.pool.query('update messages set created_at = $2, updated_at = $2 where id = $1', [
        id,
        earlier(service.clock.now(), hours * HOUR + seconds * SECOND),
      ]);
    await ago(11, 3590);
    expect(await reported({ at: inHours(1) })).toMatchObject(untold);
    await ago(12, 1);
    expect(await reported({ tracking_number: 'JD02', at: minutesAgo(13 * 60) })).toMatchObject(told);
  });

  test('counts also once another push or a milestone has updated its message', async () => {
    await service.change(shop, { trackingNudges: ['out_for_delivery', 'in_transit', 'delivered'] });
    await shop.call('PUT', '/api/v1/texts/delivered/en', {
      body: { subject: 'Your parcel', body: 'It is there.' },
    });
    for (const order_status of ['in_transit', 'out_for_delivery', 'shipped'])
      await byHand({ kind: 'updateable', subject: 'Your parcel', order_status });
    expect(await reported({ tracking_number: 'JD03', status: 'delivered' })).toMatchObject(told);
    expect(await reported()).toMatchObject(untold);
    expect(await reported({ tracking_number: 'JD02', status: 'in_transit' })).toMatchObject(untold);
    expect(await messages()).toHaveLength(1);
  });

  test('a milestone is no push by hand', async () => {
    await service.change(shop, { trackingNudges: ['exception', 'delayed'] });
    await reported({ status: 'exception' });
    expect(await reported({ status: 'delayed', tracking_number: 'JD02' })).toMatchObject(told);
  });
});

describe('the recipient', () => {
  const nameless = { recipient_email: null };

  test('is needed only if nothing names one; the refusal spends no key', async () => {
    const refused = await report(nameless, { key: 'K' });
    expect(validationErrorsOf(refused)).toMatchObject([
      { type: 'missing_recipient', loc: ['body', 'recipient_email'], input: null },
    ]);
    expect(await events()).toEqual([]);
    expect(await reported({}, { key: 'K' })).toMatchObject(told);
    expect(await reported({ ...nameless, status: 'delivered', at: minutesAgo(5) })).toMatchObject(told);
    expect((await messages()).map(({ email }) => email)).toEqual(['ann@example.com', 'ann@example.com']);
  });

  test('is kept with the order from an event that makes no message', async () => {
    await reported({ status: 'in_transit' });
    expect(await reported({ ...nameless, at: minutesAgo(5) })).toMatchObject(told);
    expect(await messages()).toMatchObject([{ email: 'ann@example.com' }]);
  });

  test('of the newest message, if none is named', async () => {
    await shop.pushed({ reference: '1001' });
    await shop.pushed({ reference: '1001', recipient_email: 'bob@example.com' });
    await reported(nameless);
    expect((await messages()).at(-1)).toMatchObject({ email: 'bob@example.com' });
  });

  test('an address that is not the order’s is used as given', async () => {
    await shop.pushed({ reference: '1001' });
    await reported({ recipient_email: ' Eve@Example.com ' });
    expect((await messages()).at(-1)).toMatchObject({ email: 'eve@example.com' });
  });
});

describe('the body', () => {
  test.each([
    ['no status', { status: undefined }, ['body.status missing']],
    ['an unknown status', { status: 'lost' }, ['body.status enum']],
    ['no number', { tracking_number: undefined }, ['body.tracking_number missing']],
    ['a blank number', { tracking_number: ' ' }, ['body.tracking_number string_too_short']],
    ['a long number', { tracking_number: 'x'.repeat(65) }, ['body.tracking_number string_too_long']],
    ['a strange number', { tracking_number: 'Ä1' }, ['body.tracking_number string_pattern_mismatch']],
    ['no time', { at: undefined }, ['body.at missing']],
    ['a time without a zone', { at: '2026-08-20T09:15:00' }, ['body.at timezone_aware']],
    ['a long description', { description: 'x'.repeat(501) }, ['body.description string_too_long']],
    ['a long location', { location: 'x'.repeat(201) }, ['body.location string_too_long']],
    ['no address', { recipient_email: 'ann' }, ['body.recipient_email value_error']],
  ])('with %s is refused', async (_, change, expected) => {
    expect(await faults(report(change))).toEqual(expected);
  });

  test('a time at most 24 hours ahead', async () => {
    expect(await faults(report({ at: inHours(24.01) }))).toEqual(['body.at value_error']);
    expect((await report({ at: inHours(23.99) })).status).toBe(202);
  });

  test('a malformed reference is a fault of the path', async () => {
    expect(await faults(report({}, { reference: 'a b' }))).toEqual([
      'path.reference string_pattern_mismatch',
    ]);
    expect((await report({}, { reference: '#10/01' })).status).toBe(202);
  });
});

describe('access', () => {
  const keyWith = async (access: string) => {
    const { key } = expectStatus<{ key: string }>(
      201,
      await shop.call('POST', '/api/v1/keys', { body: { access } }),
    );
    return shop.with(key);
  };

  test('send keys may, read keys may not', async () => {
    expect((await report({}, { by: await keyWith('send') })).status).toBe(202);
    expect(statusAndCode(await report({}, { by: await keyWith('read') }))).toMatch(/^403/);
    expect(statusAndCode(await report({}, { by: shop.with('way_live_wrong') }))).toBe(
      '401 business.invalid_api_key',
    );
  });
});

describe('the idempotency key', () => {
  const replayed = ({ headers }: ApiResponse) => headers.get('idempotent-replayed');

  test('replays the answer to the byte', async () => {
    const at = minutesAgo(10);
    const first = await report({ at }, { key: 'K' });
    await reported({ status: 'delivered', at: minutesAgo(5) });
    const second = await report({ at }, { key: 'K' });
    expect([second.status, second.text, replayed(second)]).toEqual([202, first.text, 'true']);
    expect(await events()).toHaveLength(2);
  });

  test('is refused with another body or another order, and is scoped to this operation', async () => {
    const at = minutesAgo(10);
    await shop.pushed({}, 'K');
    await reported({ at }, { key: 'K' });
    expect(statusAndCode(await report({ at, location: 'x' }, { key: 'K' }))).toBe(
      '409 idempotency.key_reused',
    );
    expect(statusAndCode(await report({ at }, { key: 'K', reference: '1002' }))).toBe(
      '409 idempotency.key_reused',
    );
  });

  test('is in progress while the first call runs, and what crashes leaves nothing behind', async () => {
    const at = minutesAgo(10);
    const hold = await pauseBeforeCommit(service.pool);
    let first: Promise<ApiResponse>;
    try {
      first = report({ at }, { key: 'K' });
      await untilPaused(service.pool);
      expect(statusAndCode(await report({ at }, { key: 'K' }))).toBe('409 idempotency.request_in_progress');
    } finally {
      await hold.release();
    }
    const done = await first;
    expect((await report({ at }, { key: 'K' })).text).toBe(done.text);

    await service.pool.query('alter table tracking_events rename to elsewhere');
    expect((await report({ at }, { key: 'L', reference: '2' })).status).toBe(500);
    await service.pool.query('alter table elsewhere rename to tracking_events');
    expect(await reported({ at }, { key: 'L', reference: '2' })).toMatchObject(told);
  });
});

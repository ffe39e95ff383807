import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../src/kit/ids.ts';
import { DELIVERIES_SCANNED_MAX } from '../../src/webhooks/deliveryLog.ts';
import { listenOnFreePort } from '../support/freePort.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop, statusAndCode, validationErrorsOf } from '../support/shop.ts';
import { verify } from '../support/verifySignature.ts';

interface Received {
  headers: IncomingMessage['headers'];
  body: string;
  id: string;
}
interface Endpoint {
  id: string;
  secret: string;
}
interface Delivery {
  event_id: string;
  type: string;
  status: string;
  created_at: string;
  next_attempt_at: string | null;
  attempts: { at: string; status_code: number | null; error: string | null; duration_ms: number }[];
}
interface Page {
  items: Delivery[];
  next_cursor: string | null;
}

const PATH = '/api/v1/webhook-endpoints';
let service: TestService;
let shop: Shop;
let url: string;
/** How the merchant's server answers, and what it got. */
let answer: (to: ServerResponse) => void;
const received: Received[] = [];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    received.push({ headers: request.headers, body, id: String(request.headers['x-service-delivery']) });
    answer(response);
  });
});

beforeAll(async () => {
  const port = await listenOnFreePort(server);
  url = `http://127.0.0.1:${port}`;
  service = await startService({ WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` });
});
afterAll(async () => {
  server.close();
  await service.close();
});
beforeEach(async () => {
  shop = await service.business();
  received.length = 0;
  answer = (response) => void response.end();
});

let hooks = 0;
const endpoint = async (body: Record<string, unknown> = {}): Promise<Endpoint> => {
  hooks += 1;
  return expectStatus(201, await shop.call('POST', PATH, { body: { url: `${url}/${hooks}`, ...body } }));
};
const deliveries = async (id: string, query = ''): Promise<Page> =>
  expectStatus(200, await shop.get(`${PATH}/${id}/deliveries${query}`));
/** So many messages, each of which is delivered and so causes one event. */
async function events(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await shop.pushed();
    await service.advance({ seconds: 2 });
  }
}
const replay = (id: string, body: Record<string, unknown>, idempotencyKey: string = crypto.randomUUID()) =>
  shop.call('POST', `${PATH}/${id}/replay`, { body, idempotencyKey });
const queued = async (id: string, body: Record<string, unknown>): Promise<number> =>
  expectStatus<{ queued: number }>(202, await replay(id, body)).queued;
const rotate = (id: string, body?: unknown, idempotencyKey: string = crypto.randomUUID()) =>
  shop.call('POST', `${PATH}/${id}/rotate-secret`, {
    ...(body !== undefined && { body }),
    idempotencyKey,
  });
const LONG_AGO = '2000-01-01T00:00:00Z';
const clockNow = () => service.advance({});
const disable = (id: string) =>
  service.pool.query('update webhook_endpoints set disabled_at = now() where id = $1', [id]);
const enable = (id: string) =>
  service.pool.query('update webhook_endpoints set disabled_at = null where id = $1', [id]);

describe('listing deliveries', () => {
  test('newest first, each with its attempts, oldest first', async () => {
    const { id } = await endpoint();
    await events(2);
    answer = (response) => void response.writeHead(503).end();
    await events(1);
    answer = (response) => void response.end();
    await service.advance({ seconds: 10 });
    const { items, next_cursor } = await deliveries(id);
    expect(next_cursor).toBeNull();
    expect(items.map(({ event_id }) => event_id)).toEqual(
      [...new Set(received.map((one) => one.id))].sort().reverse(),
    );
    expect(items).toHaveLength(3);
    expect(items[0]).toEqual({
      event_id: expect.any(String),
      type: 'message.delivered',
      status: 'delivered',
      created_at: expect.any(String),
      next_attempt_at: null,
      attempts: [
        {
          at: expect.any(String),
          status_code: 503,
          error: expect.any(String),
          duration_ms: expect.any(Number),
        },
        { at: expect.any(String), status_code: 200, error: null, duration_ms: expect.any(Number) },
      ],
    });
    const [first, second] = items[0]?.attempts ?? [];
    expect(Date.parse(first?.at ?? '')).toBeLessThan(Date.parse(second?.at ?? ''));
    const times = items.map(({ created_at }) => created_at);
    expect(times).toEqual([...times].sort().reverse());
    expect(times[0]).toBe(JSON.parse(received.at(-1)?.body ?? '').occurred_at);
  });

  test('one that waits for a retry is pending, and says when', async () => {
    answer = (response) => void response.writeHead(500).end();
    const { id } = await endpoint();
    await events(1);
    const [item] = (await deliveries(id)).items;
    expect(item).toMatchObject({ status: 'pending', attempts: [{ status_code: 500 }] });
    expect(Date.parse(item?.next_attempt_at ?? '')).toBeGreaterThan((await clockNow()).getTime());
  });

  test('by status: pending, delivered, exhausted, cancelled', async () => {
    const { id } = await endpoint();
    await events(1);
    answer = (response) => void response.writeHead(500).end();
    await events(1);
    await service.advance({ days: 2 });
    await events(1);
    const statuses = async () =>
      Promise.all(
        ['pending', 'delivered', 'exhausted', 'cancelled'].map(
          async (status) => (await deliveries(id, `?status=${status}`)).items,
        ),
      );
    const [pending = [], delivered = [], exhausted = [], cancelled = []] = await statuses();
    expect([pending.length, delivered.length, exhausted.length, cancelled.length]).toEqual([1, 1, 1, 0]);
    expect(exhausted[0]).toMatchObject({ status: 'exhausted', next_attempt_at: null });
    expect(exhausted[0]?.attempts).toHaveLength(8);
    expect(await deliveries(id)).toEqual({
      items: [pending, exhausted, delivered].flat(),
      next_cursor: null,
    });
  });

  test('what waited when the endpoint was disabled is cancelled', async () => {
    answer = (response) => void response.writeHead(500).end();
    const { id } = await endpoint();
    await events(1);
    await disable(id);
    await service.advance({ minutes: 1 });
    expect((await deliveries(id, '?status=cancelled')).items).toMatchObject([
      { status: 'cancelled', next_attempt_at: null },
    ]);
  });

  test('what waited when the endpoint was deleted is cancelled, and can still be read', async () => {
    answer = (response) => void response.writeHead(500).end();
    const { id } = await endpoint();
    await events(1);
    await shop.delete(`${PATH}/${id}`);
    expect((await deliveries(id)).items).toMatchObject([{ status: 'cancelled', next_attempt_at: null }]);
  });

  test('pings are not listed', async () => {
    const { id } = await endpoint();
    await shop.call('POST', `${PATH}/${id}/test`);
    expect(await deliveries(id)).toEqual({ items: [], next_cursor: null });
  });

  test('only those of this endpoint', async () => {
    const [one, two] = [await endpoint(), await endpoint({ event_types: ['sms.failed'] })];
    await events(1);
    expect((await deliveries(one.id)).items).toHaveLength(1);
    expect((await deliveries(two.id)).items).toEqual([]);
  });

  test('in pages: each once, whatever comes meanwhile', async () => {
    const { id } = await endpoint();
    await service.pool.query(
      `with e as (insert into events (business_id, id, type, occurred_at, data)
         select $1, 'aaaaaaaa' || lpad(n::text, 16, '0'), 'message.delivered', now(), '{}' from generate_series(1, 120) n
         returning business_id, id)
       insert into webhook_deliveries (business_id, endpoint_id, event_id, state, created_at)
       select business_id, $2, id, case when id like '%3' then 'stopped' else 'delivered' end, now() from e`,
      [shop.businessId, id],
    );
    const all = async (query: string) => {
      const seen: string[] = [];
      for (let cursor = ''; ; ) {
        const page = await deliveries(id, `${query}${cursor}`);
        seen.push(...page.items.map(({ event_id }) => event_id));
        if (page.next_cursor === null) return seen;
        if (seen.length === 50) await events(1);
        cursor = `&cursor=${page.next_cursor}`;
      }
    };
    const expected = Array.from({ length: 120 }, (_, n) => `aaaaaaaa${String(120 - n).padStart(16, '0')}`);
    expect(await all('?')).toEqual(expected);
    expect(await all('?status=cancelled&limit=5')).toEqual(expected.filter((one) => one.endsWith('3')));
  });

  test('also with more pending than are sorted for a page: every one once, though pages can be short', async () => {
    const [slow, quick] = [await endpoint(), await endpoint()];
    await service.pool.query(
      `with e as (insert into events (business_id, id, type, occurred_at, data)
         select $1, 'aaaaaaaa' || lpad(n::text, 16, '0'), 'message.delivered', now(), '{}' from generate_series(1, $4::int) n
         returning business_id, id)
       insert into webhook_deliveries (business_id, endpoint_id, event_id, state, due_at, created_at)
       select business_id, w, id, case w when $2 then 'pending' else 'delivered' end,
         case w when $2 then now() + interval '1 year' end, now()
       from e, unnest(array[$2, $3]) w where w = $3 or id <= 'aaaaaaaa' || lpad(($4 - 100)::text, 16, '0')`,
      [shop.businessId, slow.id, quick.id, DELIVERIES_SCANNED_MAX + 101],
    );
    await service.pool.query(
      `update webhook_deliveries set state = 'delivered', due_at = null where endpoint_id = $1 and event_id like '%00010000'`,
      [slow.id],
    );
    await service.pool.query(
      `insert into events (business_id, id, type, occurred_at, data)
       select $1, 'bbbbbbbb' || lpad(n::text, 16, '0'), 'message.delivered', now(), '{}' from generate_series(1, $2::int) n`,
      [shop.businessId, DELIVERIES_SCANNED_MAX + 1],
    );
    await service.pool.query(
      `insert into webhook_deliveries (business_id, endpoint_id, event_id, state, created_at)
       select business_id, $2, id, 'delivered', now() from events where business_id = $1 and id like 'bbbbbbbb%'`,
      [shop.businessId, quick.id],
    );
    const seen: string[] = [];
    let empty = 0;
    for (let cursor = ''; seen.length < 250; ) {
      const page = await deliveries(slow.id, `?limit=100${cursor}`);
      if (page.items.length === 0) empty += 1;
      seen.push(...page.items.map(({ event_id }) => event_id));
      if (page.next_cursor === null) throw new Error('the list ended too early');
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(empty).toBeGreaterThan(0);
    expect(seen.slice(0, 250)).toEqual(
      Array.from(
        { length: 250 },
        (_, n) => `aaaaaaaa${String(DELIVERIES_SCANNED_MAX + 1 - n).padStart(16, '0')}`,
      ),
    );
    expect((await deliveries(slow.id, '?status=delivered')).items).toHaveLength(1);
    await shop.delete(`${PATH}/${slow.id}`);
  });

  test.each([
    ['?limit=0', 1],
    ['?limit=1000', 100],
    ['', 50],
    ['?limit=2', 2],
  ])('%s is a page of %i', async (query, size) => {
    const { id } = await endpoint();
    await service.pool.query(
      `with e as (insert into events (business_id, id, type, occurred_at, data)
         select $1, 'aaaaaaaa' || lpad(n::text, 16, '0'), 'message.delivered', now(), '{}' from generate_series(1, 101) n
         returning business_id, id)
       insert into webhook_deliveries (business_id, endpoint_id, event_id, state, created_at)
       select business_id, $2, id, 'delivered', now() from e`,
      [shop.businessId, id],
    );
    expect((await deliveries(id, query)).items).toHaveLength(size);
  });

  test.each([
    ['status=failed', 'enum', 'status'],
    ['status=', 'enum', 'status'],
    ['limit=many', 'int_parsing', 'limit'],
    ['cursor=none', 'value_error', 'cursor'],
  ])('422: %s', async (query, type, name) => {
    const { id } = await endpoint();
    expect(validationErrorsOf(await shop.get(`${PATH}/${id}/deliveries?${query}`))).toMatchObject([
      { type, loc: ['query', name] },
    ]);
  });

  test('404: unknown, or another business’s', async () => {
    const { id } = await endpoint();
    const other = await service.business();
    for (const [from, one] of [
      [shop, 'unknown'],
      [other, id],
    ] as const)
      expect(statusAndCode(await from.get(`${PATH}/${one}/deliveries`))).toBe(
        '404 webhook.endpoint_not_found',
      );
  });
});

describe('replaying', () => {
  test('202: what did not arrive in the window, in order, with the same ids', async () => {
    const { id } = await endpoint();
    await events(1);
    const since = await clockNow();
    await disable(id);
    await events(3);
    const until = await clockNow();
    await events(1);
    await enable(id);
    received.length = 0;
    const window = { since: since.toISOString(), until: until.toISOString(), types: null };
    expect(await queued(id, window)).toBe(3);
    await service.advance({ seconds: 2 });
    const missed = await service.pool.query<{ id: string }>(
      'select id from events where business_id = $1 and occurred_at >= $2 and occurred_at < $3 order by id',
      [shop.businessId, since, until],
    );
    expect(received.map((one) => one.id)).toEqual(missed.rows.map((row) => row.id));
    expect(await queued(id, window)).toBe(0);
  });

  test('the window has its first moment and not its last', async () => {
    const { id } = await endpoint();
    await events(3);
    const [, second] = (await deliveries(id)).items.map(({ created_at }) => created_at).reverse();
    const [, , third] = (await deliveries(id)).items.map(({ created_at }) => created_at).reverse();
    expect(await queued(id, { since: second, until: third, only: 'all' })).toBe(1);
    await service.advance({ seconds: 2 });
    expect(await queued(id, { since: second, only: 'all' })).toBe(2);
  });

  test('without until it ends now', async () => {
    const { id } = await endpoint();
    await disable(id);
    await events(2);
    await enable(id);
    expect(await queued(id, { since: LONG_AGO, until: null })).toBe(2);
  });

  test('`all` also sends what arrived, and what happened before the endpoint existed; `undelivered` neither', async () => {
    await events(1);
    const { id } = await endpoint();
    await events(1);
    received.length = 0;
    expect(await queued(id, { since: LONG_AGO })).toBe(0);
    expect(await queued(id, { since: LONG_AGO, only: 'undelivered' })).toBe(0);
    expect(await queued(id, { since: LONG_AGO, only: 'all' })).toBe(2);
    await service.advance({ seconds: 2 });
    expect(received).toHaveLength(2);
  });

  test('what is still pending is not queued again', async () => {
    answer = (response) => void response.writeHead(500).end();
    const { id } = await endpoint();
    await events(1);
    const [before] = (await deliveries(id)).items;
    expect(await queued(id, { since: LONG_AGO, only: 'all' })).toBe(0);
    expect((await deliveries(id)).items).toEqual([before]);
  });

  test('the list then shows the event once, with all its attempts', async () => {
    const { id } = await endpoint();
    await events(1);
    await queued(id, { since: LONG_AGO, only: 'all' });
    expect((await deliveries(id)).items).toMatchObject([{ status: expect.any(String) }]);
    await service.advance({ seconds: 2 });
    expect((await deliveries(id)).items).toMatchObject([
      { status: 'delivered', attempts: [{ status_code: 200 }, { status_code: 200 }] },
    ]);
  });

  test('only the types that are named, of those that the endpoint takes', async () => {
    const { id } = await endpoint({ event_types: ['message.delivered', 'message.opened'] });
    await events(1);
    expect(await queued(id, { since: LONG_AGO, only: 'all', types: ['message.opened'] })).toBe(0);
    expect(await queued(id, { since: LONG_AGO, only: 'all', types: ['message.delivered'] })).toBe(1);
    expect(
      validationErrorsOf(await replay(id, { since: LONG_AGO, types: ['message.opened', 'sms.failed'] })),
    ).toMatchObject([{ type: 'value_error', loc: ['body', 'types', 1], input: 'sms.failed' }]);
  });

  test.each([
    [{}, 'missing', ['body', 'since']],
    [{ since: null }, 'datetime_type', ['body', 'since']],
    [{ since: 'yesterday' }, 'datetime_parsing', ['body', 'since']],
    [{ since: '2026-08-20T09:15:00' }, 'timezone_aware', ['body', 'since']],
    [{ since: LONG_AGO, until: LONG_AGO }, 'value_error', ['body', 'until']],
    [{ since: LONG_AGO, until: '1999-01-01T00:00:00Z' }, 'value_error', ['body', 'until']],
    [{ since: '9999-01-01T00:00:00Z' }, 'value_error', ['body', 'until']],
    [{ since: LONG_AGO, types: [] }, 'too_short', ['body', 'types']],
    [{ since: LONG_AGO, types: ['message.created'] }, 'enum', ['body', 'types', 0]],
    [{ since: LONG_AGO, only: null }, 'enum', ['body', 'only']],
    [{ since: LONG_AGO, only: 'missed' }, 'enum', ['body', 'only']],
  ])('422: %j', async (body, type, loc) => {
    const { id } = await endpoint();
    expect(validationErrorsOf(await replay(id, body))).toMatchObject([{ type, loc }]);
  });

  test('many thousand events are queued in steps, in order, and counted once', async () => {
    const { id } = await endpoint({ event_types: ['message.opened'] });
    const since = await clockNow();
    await service.pool.query(
      `insert into events (business_id, id, type, occurred_at, data)
       select $1, left(b.id, 8) || lpad(n::text, 16, '0'), case when n % 3 = 0 then 'message.opened' else 'message.failed' end, $2, '{}'
       from (select $3::text as id) b, generate_series(1, 12000) n`,
      [shop.businessId, since, newId(since)],
    );
    await service.pool.query('update webhook_endpoints set created_at = $2 where id = $1', [id, since]);
    const asked = { since: since.toISOString() };
    const both = await Promise.all([replay(id, asked, 'many'), replay(id, asked, 'many')]);
    for (const one of both)
      expect(['202', '409 idempotency.request_in_progress']).toContain(statusAndCode(one));
    expect(expectStatus(202, await replay(id, asked, 'many'))).toEqual({ queued: 4000 });
    const { rows } = await service.pool.query(
      `select count(*)::int as count from (
         select event_id, lag(event_id) over (order by due_at, event_id) as before from webhook_deliveries
         where endpoint_id = $1 and due_at is not null) d where before > event_id`,
      [id],
    );
    expect(rows).toEqual([{ count: 0 }]);
    expect(received.every(({ headers }) => headers['x-service-event'] === 'message.opened')).toBe(true);
    await shop.delete(`${PATH}/${id}`);
  });

  test('409: a disabled endpoint; the key is not spent', async () => {
    const { id } = await endpoint();
    await disable(id);
    expect(statusAndCode(await replay(id, { since: LONG_AGO }, 'again'))).toBe(
      '409 webhook.endpoint_disabled',
    );
    await enable(id);
    expect((await replay(id, { since: LONG_AGO }, 'again')).status).toBe(202);
  });

  test('a repeated key answers the same and queues nothing; another body is 409', async () => {
    const { id } = await endpoint();
    await events(1);
    const body = { since: LONG_AGO, only: 'all' };
    const first = await replay(id, body, 'once');
    await service.advance({ seconds: 2 });
    received.length = 0;
    const again = await replay(id, body, 'once');
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([
      202,
      first.text,
      'true',
    ]);
    await service.advance({ seconds: 2 });
    expect(received).toEqual([]);
    expect(statusAndCode(await replay(id, { since: LONG_AGO }, 'once'))).toBe('409 idempotency.key_reused');
    expect(validationErrorsOf(await shop.call('POST', `${PATH}/${id}/replay`, { body }))).toMatchObject([
      { type: 'missing', loc: ['header', 'Idempotency-Key'] },
    ]);
  });

  test('404: unknown, deleted, or another business’s', async () => {
    const [gone, theirs] = [await endpoint(), await endpoint()];
    await shop.delete(`${PATH}/${gone.id}`);
    const other = await service.business();
    for (const [from, id] of [
      [shop, 'unknown'],
      [shop, gone.id],
      [other, theirs.id],
    ] as const) {
      const options = { body: { since: LONG_AGO }, idempotencyKey: crypto.randomUUID() };
      expect(statusAndCode(await from.call('POST', `${PATH}/${id}/replay`, options))).toBe(
        '404 webhook.endpoint_not_found',
      );
    }
  });
});

describe('rotating the secret', () => {
  /** Which of these secrets signed what arrived last; the header has exactly one signature. */
  const signer = (...secrets: string[]): number => {
    const last = received.at(-1);
    const header = String(last?.headers['x-service-signature']);
    expect(header.match(/v1=/g)).toHaveLength(1);
    expect(String(last?.headers['webhook-signature']).match(/v1,/g)).toHaveLength(1);
    const now = Date.now() / 1000;
    return secrets.findIndex((secret) => verify(secret, header, last?.body ?? '', now));
  };
  const rotated = async (id: string, body?: unknown): Promise<Endpoint & { secret_switches_at: string }> =>
    expectStatus(200, await rotate(id, body));
  const ping = (id: string) => shop.call('POST', `${PATH}/${id}/test`);

  test('200: the endpoint with its new secret, whole, once, and when it switches', async () => {
    const { id, secret: old, ...rest } = await endpoint({ description: 'Backend' });
    const before = await clockNow();
    const answer = await rotated(id);
    expect(answer).toEqual({
      id,
      ...rest,
      secret: expect.stringMatching(/^whsec_[0-9a-z]{40}$/),
      secret_switches_at: expect.any(String),
    });
    expect(answer.secret).not.toBe(old);
    const minutes = (Date.parse(answer.secret_switches_at) - before.getTime()) / 60_000;
    expect(minutes).toBeGreaterThanOrEqual(60);
    expect(minutes).toBeLessThan(61);
    const listed = await shop.get(PATH);
    expect(listed.text).not.toContain(answer.secret);
    expect(listed.text).not.toContain('secret_switches_at');
  });

  test('deliveries and pings are signed with the old one until the switch, and with the new one afterwards', async () => {
    const { id, secret: old } = await endpoint();
    const { secret } = await rotated(id, { switch_after_minutes: 30 });
    await events(1);
    expect(signer(old, secret)).toBe(0);
    await ping(id);
    expect(signer(old, secret)).toBe(0);
    await service.advance({ minutes: 29 });
    await events(1);
    expect(signer(old, secret)).toBe(0);
    await service.advance({ minutes: 1 });
    await events(1);
    expect(signer(old, secret)).toBe(1);
    await ping(id);
    expect(signer(old, secret)).toBe(1);
  });

  test('a retry after the switch is signed with the new one', async () => {
    answer = (response) => void response.writeHead(500).end();
    const { id, secret: old } = await endpoint();
    const { secret } = await rotated(id, { switch_after_minutes: 2 });
    await events(1);
    await service.advance({ seconds: 100 });
    expect(signer(old, secret)).toBe(0);
    await service.advance({ minutes: 10 });
    expect(signer(old, secret)).toBe(1);
    expect(new Set(received.map((one) => one.id)).size).toBe(1);
  });

  test('0 switches at once', async () => {
    const { id, secret: old } = await endpoint();
    const { secret, secret_switches_at } = await rotated(id, { switch_after_minutes: 0 });
    expect(Date.parse(secret_switches_at)).toBeLessThanOrEqual((await clockNow()).getTime());
    await events(1);
    expect(signer(old, secret)).toBe(1);
    const { rows } = await service.pool.query(
      'select previous_secret_sealed from webhook_endpoints where id = $1',
      [id],
    );
    expect(rows).toEqual([{ previous_secret_sealed: null }]);
  });

  test('a new rotation replaces a pending one', async () => {
    const { id, secret: first } = await endpoint();
    const { secret: second } = await rotated(id, { switch_after_minutes: 10 });
    const { secret: third } = await rotated(id, { switch_after_minutes: 60 });
    await service.advance({ minutes: 20 });
    await events(1);
    expect(signer(first, second, third)).toBe(0);
    await service.advance({ minutes: 60 });
    await events(1);
    expect(signer(first, second, third)).toBe(2);
  });

  test('after a switch the next rotation keeps the secret that signs by then', async () => {
    const { id, secret: first } = await endpoint();
    const { secret: second } = await rotated(id, { switch_after_minutes: 1 });
    await service.advance({ minutes: 2 });
    const { secret: third } = await rotated(id);
    await events(1);
    expect(signer(first, second, third)).toBe(1);
  });

  test('lists show the newest secret, masked, before the switch too', async () => {
    const { id } = await endpoint();
    const { secret } = await rotated(id);
    const { items }: { items: Endpoint[] } = expectStatus(200, await shop.get(PATH));
    expect(items[0]?.secret).toBe(`whsec_…${secret.slice(-4)}`);
  });

  test.each([
    ['no body', undefined],
    ['an empty object', {}],
    ['none of its field', { other: 1 }],
  ])('%s is the default of an hour', async (_, body) => {
    const { id } = await endpoint();
    const now = (await clockNow()).getTime();
    const { secret_switches_at } = await rotated(id, body);
    expect(Math.floor((Date.parse(secret_switches_at) - now) / 60_000)).toBe(60);
  });

  test.each([
    [{ switch_after_minutes: null }, 'int_type'],
    [{ switch_after_minutes: -1 }, 'greater_than_equal'],
    [{ switch_after_minutes: 4321 }, 'less_than_equal'],
    [{ switch_after_minutes: 1.5 }, 'int_type'],
    [{ switch_after_minutes: '60' }, 'int_type'],
  ])('422: %j', async (body, type) => {
    const { id } = await endpoint();
    expect(validationErrorsOf(await rotate(id, body))).toMatchObject([
      { type, loc: ['body', 'switch_after_minutes'] },
    ]);
  });

  test('a repeated key answers the same with the secret masked, and rotates nothing', async () => {
    const { id, secret: old } = await endpoint();
    const first = await rotate(id, { switch_after_minutes: 0 }, 'once');
    const whole: Endpoint = expectStatus(200, first);
    const again = await rotate(id, { switch_after_minutes: 0 }, 'once');
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(again.text).toBe(first.text.replace(whole.secret, `whsec_…${whole.secret.slice(-4)}`));
    expect(statusAndCode(await rotate(id, { switch_after_minutes: 5 }, 'once'))).toBe(
      '409 idempotency.key_reused',
    );
    await events(1);
    expect(signer(old, whole.secret)).toBe(1);
    const { rows } = await service.pool.query('select response from idempotency_records where key = $1', [
      'once',
    ]);
    expect(JSON.stringify(rows)).not.toContain(whole.secret);
  });

  test('4320 minutes are the most', async () => {
    const { id } = await endpoint();
    expect((await rotate(id, { switch_after_minutes: 4320 })).status).toBe(200);
  });

  test('404: unknown, deleted, or another business’s; nothing is rotated', async () => {
    const [gone, theirs] = [await endpoint(), await endpoint()];
    await shop.delete(`${PATH}/${gone.id}`);
    const other = await service.business();
    for (const [from, id] of [
      [shop, 'unknown'],
      [shop, gone.id],
      [other, theirs.id],
    ] as const)
      expect(statusAndCode(await from.post(`${PATH}/${id}/rotate-secret`))).toBe(
        '404 webhook.endpoint_not_found',
      );
    await events(1);
    expect(signer(theirs.secret)).toBe(0);
  });
});

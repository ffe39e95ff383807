import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REQUEST_BODY_MAX } from '../../src/config/limits.ts';
import { type DescribedOperation, openApiOf } from '../support/openApi.ts';
import { openRawConnection } from '../support/rawConnection.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop, statusAndCode, validationErrorsOf } from '../support/shop.ts';

const ACCESSES = ['full', 'send', 'read'] as const;
type Access = (typeof ACCESSES)[number];

interface CreatedKey {
  id: string;
  key: string;
  access: Access;
}

let service: TestService;
let shop: Shop;
const keys: Record<Access, Shop> = Object(null);
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
  shop = await service.business({ credits: 5 });
  for (const access of ACCESSES) keys[access] = shop.with((await create({ access })).key);
});
afterAll(() => service.close());

const create = async (body: unknown, from = shop): Promise<CreatedKey> =>
  expectStatus(201, await from.call('POST', '/api/v1/keys', { body }));

/** What a key of `send` may call: operations 1 to 7 and 11, and what was added for senders. */
const FOR_SENDING = [
  'POST /api/v1/messages',
  'GET /api/v1/messages',
  'POST /api/v1/messages/batch',
  'POST /api/v1/messages/{public_id}/sms',
  'POST /api/v1/messages/{public_id}/whatsapp',
  'POST /api/v1/messages/{public_id}/retract',
  'GET /api/v1/messages/{public_id}',
  'GET /api/v1/credits',
  'POST /api/v1/messages/preview',
  'GET /api/v1/events',
  'GET /api/v1/messages/{public_id}/timeline',
  'GET /api/v1/usage',
  'GET /api/v1/orders',
  'GET /api/v1/orders/{reference}',
  'PUT /api/v1/orders/{reference}/shipments/{tracking_number}',
  'POST /api/v1/orders/{reference}/tracking',
];

const mayCall = (access: Access, { method, path }: DescribedOperation): boolean =>
  access === 'full' ||
  (access === 'send'
    ? FOR_SENDING.includes(`${method} ${path}`)
    : method === 'GET' && path !== '/api/v1/keys');

const callOf = ({ method, path, parameters, body }: DescribedOperation) => {
  const ids = path.replace('{email}', 'ann@example.com').replace(/\{\w+\}/g, 'mh0q2z4k00x7c1v9b3n5m8l2');
  const needsKey = parameters.some(({ name }) => name === 'Idempotency-Key');
  return {
    method,
    path: ids,
    options: {
      ...(needsKey && { idempotencyKey: randomUUID() }),
      ...(body && { body: body.example ?? {} }),
    },
  };
};

describe('what a key may call', () => {
  test('every operation with every access: 403 key.not_permitted exactly outside', async () => {
    const { operations } = await openApiOf(service.url);
    expect(operations.length).toBeGreaterThanOrEqual(20);
    for (const operation of operations) {
      const { method, path, options } = callOf(operation);
      for (const access of ACCESSES) {
        const answer = statusAndCode(await keys[access].call(method, path, options));
        expect([operation.id, access, answer === '403 key.not_permitted']).toEqual([
          operation.id,
          access,
          !mayCall(access, operation),
        ]);
      }
    }
  });

  test('the document says of every operation which keys may call it', async () => {
    const document: { paths: Record<string, Record<string, { description: string }>> } = Object(
      await (await fetch(`${service.url}/openapi.json`)).json(),
    );
    for (const operation of (await openApiOf(service.url)).operations) {
      const described: Record<string, unknown> =
        document.paths[operation.path]?.[operation.method.toLowerCase()] ?? {};
      const expected = ACCESSES.filter((access) => mayCall(access, operation));
      expect([operation.id, described['x-key-access']]).toEqual([operation.id, expected]);
      const all = expected.length === ACCESSES.length;
      expect([operation.id, operation.responses.get(403)?.codes.includes('key.not_permitted')]).toEqual([
        operation.id,
        !all,
      ]);
      expect(described.description).toContain(
        all ? 'Any key may call it.' : 'Needs a key with the access `full`',
      );
    }
  });

  test('a HEAD request is judged like its GET', async () => {
    const head = async (access: Access, path: string) => (await keys[access].call('HEAD', path)).status;
    expect(await head('read', '/api/v1/keys')).toBe(403);
    expect(await head('read', '/api/v1/webhook-endpoints')).toBe(200);
    expect(await head('send', '/api/v1/webhook-endpoints')).toBe(403);
  });

  test('only a full key makes keys', async () => {
    for (const access of ['send', 'read'] as const)
      expect(statusAndCode(await keys[access].call('POST', '/api/v1/keys', { body: {} }))).toBe(
        '403 key.not_permitted',
      );
    expect((await create({ access: 'send' }, keys.full)).access).toBe('send');
  });

  test('a key of `send` pushes, one of `read` does not, whether or not they called before', async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await keys.send.push()).status).toBe(201);
      expect(statusAndCode(await keys.read.push())).toBe('403 key.not_permitted');
      expect(statusAndCode(await keys.read.batch([{}]))).toBe('403 key.not_permitted');
    }
  });
});

describe('when it is judged', () => {
  test('after the route: 404 and 405', async () => {
    expect(statusAndCode(await keys.read.get('/api/v1/nothing'))).toBe('404 common.not_found');
    expect(statusAndCode(await keys.read.call('PATCH', '/api/v1/keys'))).toBe(
      '405 common.method_not_allowed',
    );
  });

  test('after the key: a revoked one is 401, also one that was used before', async () => {
    const { id, key } = await create({ access: 'read' });
    const own = shop.with(key);
    expect((await own.get('/api/v1/messages')).status).toBe(200);
    expect(statusAndCode(await own.push())).toBe('403 key.not_permitted');
    await shop.delete(`/api/v1/keys/${id}`);
    expect(statusAndCode(await own.push())).toBe('401 business.invalid_api_key');
    expect(statusAndCode(await own.call('POST', '/api/v1/keys'))).toBe('401 business.invalid_api_key');
  });

  test('after the business: one that is deactivated is 403 business.inactive', async () => {
    const other = await service.business();
    const { key } = await create({ access: 'read' }, other);
    await service.change(other, { active: false });
    expect(statusAndCode(await other.with(key).push())).toBe('403 business.inactive');
  });

  test.each([
    ['no idempotency key', { body: {} }],
    ['no JSON', { raw: 'no JSON', idempotencyKey: 'k' }],
    ['another media type', { raw: 'x', idempotencyKey: 'k', headers: { 'content-type': 'text/plain' } }],
    ['an invalid body', { body: { subject: 5 }, idempotencyKey: 'k' }],
    ['a body that is too large', { raw: 'x'.repeat(REQUEST_BODY_MAX + 1), idempotencyKey: 'k' }],
  ])('before everything else: %s', async (_, options) => {
    for (const key of [keys.read, shop.with((await create({ access: 'read' })).key)])
      expect(statusAndCode(await key.call('POST', '/api/v1/messages', options))).toBe(
        '403 key.not_permitted',
      );
  });

  test('a body that is announced as too large is still 413 with any other key', async () => {
    const status = async (key: string) => {
      const connection = await openRawConnection(service.url);
      connection.send(
        `POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${REQUEST_BODY_MAX + 1}\r\nConnection: close\r\n\r\n`,
      );
      return /^HTTP\/1\.1 (\d{3}) /.exec(await connection.closed)?.[1];
    };
    expect(await status(keys.full.apiKey)).toBe('413');
    expect(await status('way_live_nobody')).toBe('413');
    expect(await status(keys.read.apiKey)).toBe('403');
  });

  test('before the rate limit', async () => {
    const limited = await startService({ ROLES: 'api', RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '1' });
    try {
      const own = await limited.business();
      const { key } = await create({ access: 'read' }, own);
      const answers = await Promise.all(Array.from({ length: 5 }, () => own.with(key).push()));
      expect(answers.map(statusAndCode)).toEqual(Array(5).fill('403 key.not_permitted'));
    } finally {
      await limited.close();
    }
  });
});

describe('choosing it', () => {
  test('full unless it is named, and shown wherever keys are', async () => {
    const plain = await create({});
    expect(plain.access).toBe('full');
    const named = await Promise.all(ACCESSES.map((access) => create({ access })));
    expect(named.map(({ access }) => access)).toEqual(ACCESSES);
    const { items }: { items: CreatedKey[] } = expectStatus(200, await shop.get('/api/v1/keys'));
    const shown = new Map(items.map(({ id, access }) => [id, access]));
    for (const { id, access } of [plain, ...named]) expect(shown.get(id)).toBe(access);
  });

  test.each([null, 'write', 'FULL', '', 5, ['read']])('422: %j', async (access) => {
    expect(validationErrorsOf(await shop.call('POST', '/api/v1/keys', { body: { access } }))).toMatchObject([
      { type: 'enum', loc: ['body', 'access'], input: access },
    ]);
  });
});

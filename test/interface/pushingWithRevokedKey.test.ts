import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import {
  type ApiResponse,
  type CallOptions,
  ORDER_UPDATE,
  type Shop,
  statusAndCode,
} from '../support/shop.ts';

const BURST = 20;

let service: TestService;
/** A program whose key is known to the process, since it has pushed with it. */
let known: Shop;
let keyId: string;
let owner: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());
beforeEach(() => meetKeyAt(service));

async function meetKeyAt({ business }: TestService): Promise<void> {
  owner = await business();
  const { id, key }: { id: string; key: string } = JSON.parse(
    (await owner.call('POST', '/api/v1/keys')).text,
  );
  keyId = id;
  known = owner.with(key);
  await known.pushed({}, 'before');
}

const revoke = async (): Promise<void> => {
  expect((await owner.delete(`/api/v1/keys/${keyId}`)).status).toBe(204);
};
const messages = async (): Promise<number> => {
  const { items }: { items: unknown[] } = JSON.parse((await owner.get('/api/v1/messages')).text);
  return items.length;
};
const single = (options: CallOptions = {}): Promise<ApiResponse> =>
  known.call('POST', '/api/v1/messages', { idempotencyKey: randomUUID(), ...options });

/** What may be wrong beside the key, or be there already: none of it is looked at before the key. */
const CALLS: [what: string, call: () => Promise<ApiResponse>][] = [
  ['a push', () => known.push()],
  ['a push that cannot be plain', () => known.push({ recipient_phone: '+37255551234', kind: 'updateable' })],
  ['a push that was answered before', () => known.push({}, 'before')],
  ['a push whose idempotency key was spent on another', () => known.push({ body: 'Other.' }, 'before')],
  ['a push without an idempotency key', () => known.call('POST', '/api/v1/messages', { body: ORDER_UPDATE })],
  ['a push with a wrong field', () => single({ body: { ...ORDER_UPDATE, recipient_email: 'nobody' } })],
  ['a push with a number that cannot be', () => known.push({ recipient_phone: '+372123' })],
  ['a push that is no JSON', () => single({ raw: '{' })],
  ['a push of another media type', () => single({ raw: 'x', headers: { 'content-type': 'text/plain' } })],
  ['a batch', () => known.batch([{}, {}])],
  ['a batch of nothing that could be pushed', () => known.batch([{ recipient_email: 'nobody' }])],
  ['a batch with a wrong field', () => known.call('POST', '/api/v1/messages/batch', { body: { items: 1 } })],
];

describe('a key that the process has met', () => {
  test.each(CALLS)('401: %s is refused as soon as it is revoked, and nothing is written', async (_, call) => {
    await revoke();
    const answer = await call();
    expect(statusAndCode(answer)).toBe('401 business.invalid_api_key');
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
    expect(await messages()).toBe(1);
  });

  test.each(CALLS)(
    '403: %s is refused as soon as the business is closed, until it is open again',
    async (_, call) => {
      await service.change(owner, { active: false });
      expect(statusAndCode(await call())).toBe('403 business.inactive');
      expect(statusAndCode(await call())).toBe('403 business.inactive');
      await service.change(owner, { active: true });
      expect((await known.push()).status).toBe(201);
      expect(await messages()).toBe(2);
    },
  );

  test('401: also one that has used up its calls', async () => {
    // Of its own: a limit this low makes every other call wait, too.
    const limited = await startService({
      ROLES: 'api',
      RATE_LIMIT_PER_SECOND: '1',
      RATE_LIMIT_BURST: String(BURST),
    });
    onTestFinished(() => limited.close());
    await meetKeyAt(limited);
    const answers = await Promise.all(Array.from({ length: BURST + 5 }, () => known.push()));
    expect(answers.map(statusAndCode)).toContain('429 common.rate_limited');
    await revoke();
    expect(statusAndCode(await known.push())).toBe('401 business.invalid_api_key');
  });

  test('pushes of others that arrive with it are accepted', async () => {
    await revoke();
    const answers = await Promise.all([known.push(), owner.push(), known.push(), owner.push()]);
    expect(answers.map(({ status }) => status)).toEqual([401, 201, 401, 201]);
    expect(await messages()).toBe(3);
  });

  test('401 does not spend an idempotency key', async () => {
    await revoke();
    expect((await known.push({}, 'unspent')).status).toBe(401);
    expect((await known.batch([{}], 'unspent')).status).toBe(401);
    expect((await owner.push({}, 'unspent')).status).toBe(201);
    expect((await owner.batch([{}], 'unspent')).status).toBe(200);
  });
});

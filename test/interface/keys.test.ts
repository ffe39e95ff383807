import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createAuthentication } from '../../src/api/auth.ts';
import { createKey as createKeyAsOperator } from '../../src/businesses/keys.ts';
import { openPool } from '../../src/db/pool.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop, statusAndCode, validationErrorsOf } from '../support/shop.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business();
});

interface KeyItem {
  id: string;
  name: string;
  masked: string;
  created: string;
  minted_by: string | null;
}
const create = async (from: Shop, body?: unknown): Promise<KeyItem & { key: string }> =>
  expectStatus(201, await from.call('POST', '/api/v1/keys', body === undefined ? {} : { body }));
const list = async (from = shop): Promise<KeyItem[]> => {
  const { items }: { items: KeyItem[] } = expectStatus(200, await from.get('/api/v1/keys'));
  return items;
};
const revoke = (id: string, from = shop) => from.delete(`/api/v1/keys/${id}`);
const works = async (key: string) => (await shop.with(key).get('/api/v1/credits')).status === 200;

describe('2.8 creating a key', () => {
  test('201: the whole key, once; afterwards only its masked form', async () => {
    const created = await create(shop, { name: 'Backend' });
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{12,}$/),
      name: 'Backend',
      key: expect.stringMatching(/^way_live_[0-9A-Za-z]{32,}$/),
      masked: `way_live_…${created.key.slice(-4)}`,
      created: expect.any(String),
      minted_by: expect.any(String),
      access: 'full',
    });
    const { key, ...item } = created;
    expect((await list())[0]).toEqual(item);
    expect((await shop.get('/api/v1/keys')).text).not.toContain(key.slice('way_live_'.length));
    expect(await works(key)).toBe(true);
  });

  test.each([
    ['no body', undefined],
    ['an empty object', {}],
    ['no name', { name: null }],
    ['a blank name', { name: '  \t' }],
    ['an empty name', { name: '' }],
  ])('%s takes the default name', async (_, body) => {
    expect((await create(shop, body)).name).toBe('Untitled key');
  });

  test('a name has at most 120 characters', async () => {
    expect((await create(shop, { name: '🎁'.repeat(120) })).name).toBe('🎁'.repeat(120));
    expect(
      validationErrorsOf(await shop.call('POST', '/api/v1/keys', { body: { name: 'x'.repeat(121) } })),
    ).toMatchObject([{ type: 'string_too_long', loc: ['body', 'name'] }]);
  });

  test.each([
    [{ detach: null }, 'bool_type', ['body', 'detach']],
    [{ detach: 'true' }, 'bool_type', ['body', 'detach']],
    [{ name: 5 }, 'string_type', ['body', 'name']],
    [[], 'dict_type', ['body']],
    [null, 'dict_type', ['body']],
  ])('422: %j', async (body, type, loc) => {
    expect(validationErrorsOf(await shop.call('POST', '/api/v1/keys', { body }))).toMatchObject([
      { type, loc },
    ]);
  });

  test('an Idempotency-Key is harmless, whatever it is, and means nothing', async () => {
    const [one, two] = await Promise.all(
      [1, 2].map(() => shop.call('POST', '/api/v1/keys', { idempotencyKey: 'k'.repeat(300) })),
    );
    expect([one?.status, two?.status]).toEqual([201, 201]);
    expect(one?.text).not.toBe(two?.text);
  });

  test('409: a business has at most 25 active keys; a revoked one makes room', async () => {
    const made: string[] = [];
    for (let count = 1; count < 25; count += 1) made.push((await create(shop)).id);
    expect(await list()).toHaveLength(25);
    expect(statusAndCode(await shop.call('POST', '/api/v1/keys'))).toBe('409 key.limit_reached');
    await revoke(made[0] ?? '');
    expect((await create(shop)).id).not.toBe('');
  });

  test('403 while the plan has lapsed, also one past due whose period is over', async () => {
    await service.change(shop, { plan: 'past_due', periodEnd: new Date(Date.now() + 3_600_000) });
    await create(shop);
    await service.change(shop, { periodEnd: new Date(Date.now() - 1_000) });
    expect(statusAndCode(await shop.call('POST', '/api/v1/keys'))).toBe('403 plan.read_only');
    await service.change(shop, { plan: 'lapsed' });
    expect(statusAndCode(await shop.call('POST', '/api/v1/keys'))).toBe('403 plan.read_only');
    expect((await list()).length).toBe(2);
  });
});

describe('2.8 listing keys', () => {
  test('the active keys, newest first, each with its creator', async () => {
    const [first] = await list();
    const one = await create(shop, { name: 'One' });
    const two = await create(shop.with(one.key), { name: 'Two', detach: true });
    expect((await list()).map(({ name, minted_by }) => [name, minted_by])).toEqual([
      ['Two', one.id],
      ['One', first?.id],
      ['First key', null],
    ]);
    await revoke(two.id);
    expect((await list()).map(({ name }) => name)).toEqual(['One', 'First key']);
  });

  test('minted_by is null for a key that was not made through the interface', async () => {
    const made = await createKeyAsOperator(service.pool, systemClock, {
      businessId: shop.businessId,
      mintedBy: null,
      name: 'Dashboard',
      detach: false,
    });
    expect((await list()).find(({ id }) => id === made.id)).toMatchObject({
      name: 'Dashboard',
      minted_by: null,
    });
  });

  test('shows no other business’s', async () => {
    const other = await service.business();
    await create(other);
    expect(await list()).toHaveLength(1);
  });
});

describe('4. revoking a key', () => {
  test('204: it stops authenticating at once', async () => {
    const { id, key } = await create(shop);
    const answer = await revoke(id);
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(await works(key)).toBe(false);
  });

  test('on every node: another one looks it up afresh, too', async () => {
    const pool = openPool(service.database.url, { max: 1, name: 'another node', onError: () => {} });
    onTestFinished(() => pool.end());
    const { authenticate } = createAuthentication(pool);
    const { id, key } = await create(shop);
    expect(await authenticate(`Bearer ${key}`)).toMatchObject({ keyId: id, businessId: shop.businessId });
    await revoke(id);
    await expect(authenticate(`Bearer ${key}`)).rejects.toMatchObject({ code: 'business.invalid_api_key' });
  });

  test('takes every key along that it created, and theirs, but not detached ones', async () => {
    const parent = await create(shop);
    const child = await create(shop.with(parent.key));
    const grandchild = await create(shop.with(child.key));
    const detached = await create(shop.with(child.key), { detach: true });
    const ofDetached = await create(shop.with(detached.key));
    const sibling = await create(shop);
    expect((await revoke(parent.id)).status).toBe(204);
    const keys = [parent, child, grandchild, detached, ofDetached, sibling];
    expect(await Promise.all(keys.map(({ key }) => works(key)))).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
    ]);
    // Found by its creator, which is gone.
    expect((await list()).find(({ id }) => id === detached.id)?.minted_by).toBe(child.id);
  });

  test('a key can revoke itself', async () => {
    const { id, key } = await create(shop);
    expect((await revoke(id, shop.with(key))).status).toBe(204);
    expect(await works(key)).toBe(false);
    expect(await works(shop.apiKey)).toBe(true);
  });

  test('a child can revoke its parent, and falls with it', async () => {
    const parent = await create(shop);
    const child = await create(shop.with(parent.key));
    expect((await revoke(parent.id, shop.with(child.key))).status).toBe(204);
    expect(await works(child.key)).toBe(false);
  });

  test('404: unknown, already revoked, or another business’s', async () => {
    const { id } = await create(shop);
    await revoke(id);
    const theirs = await create(await service.business());
    for (const one of [id, 'unknown', theirs.id, '%20'])
      expect(statusAndCode(await revoke(one))).toBe('404 key.not_found');
    expect(await works(theirs.key)).toBe(true);
  });
});

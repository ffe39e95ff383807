import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { createKey, findCallers, keyHash, type NewKey, revokeKey } from '../../src/businesses/keys.ts';
import { listKeys } from '../../src/businesses/keysSql.ts';
import { changeSettings } from '../../src/businesses/settingsChange.ts';
import { transaction } from '../../src/db/transaction.ts';
import { DAY, earlier, later, systemClock } from '../../src/kit/clock.ts';
import { ApiError, type ErrorCode, OperatorError } from '../../src/kit/errors.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

let database: TestDatabase;
let businessId: string;
let firstKeyId: string;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  const made = await createBusiness(database.pool, systemClock, { name: 'Shop' });
  businessId = made.businessId;
  firstKeyId = made.keyId;
});

const mint = (over: Partial<Parameters<typeof createKey>[2]> = {}): Promise<NewKey> =>
  createKey(database.pool, systemClock, { businessId, mintedBy: null, name: null, detach: false, ...over });
const revoke = (keyId: string, revokedBy: string | null = null, owner = businessId): Promise<string[]> =>
  revokeKey(database.pool, systemClock, { businessId: owner, keyId, revokedBy });
const activeIds = async (): Promise<string[]> =>
  (await listKeys(database.pool, businessId)).map(({ id }) => id);
const works = async ({ key }: NewKey): Promise<boolean> => {
  const [caller] = await findCallers(database.pool, [keyHash(key)]);
  return caller !== null;
};
const refused = (code: ErrorCode) => expect.objectContaining({ code });
const codesOf = (outcomes: readonly PromiseSettledResult<unknown>[]): string[] =>
  outcomes.map((one) =>
    one.status === 'fulfilled'
      ? 'made'
      : one.reason instanceof ApiError
        ? one.reason.code
        : String(one.reason),
  );

describe('a new key', () => {
  test('is shown whole once, and masked by its prefix and last four characters', async () => {
    const made = await mint({ name: 'Till 2', mintedBy: firstKeyId });
    expect(made.key).toMatch(/^way_live_[0-9a-z]{32,}$/);
    expect(made).toMatchObject({
      name: 'Till 2',
      minted_by: firstKeyId,
      masked: `way_live_…${made.key.slice(-4)}`,
    });
    const [listed] = await listKeys(database.pool, businessId);
    const { key: _, ...item } = made;
    expect(listed).toEqual(item);
  });

  test.each([null, '', '  '])('without a name (%j) is an untitled one', async (name) => {
    expect((await mint({ name })).name).toBe('Untitled key');
  });

  test('is not in the database: only its hash is', async () => {
    const { key } = await mint();
    const { rows } = await database.pool.query('select row_to_json(k)::text as text from api_keys k');
    const stored = rows.map(({ text }) => text).join();
    expect(stored).toContain(keyHash(key).toString('hex'));
    expect(stored).not.toContain(key);
    expect(stored).not.toContain(key.slice('way_live_'.length));
  });

  test('leads the list, which is newest first', async () => {
    const made = [];
    for (let days = 3; days >= 1; days -= 1) {
      const clock = { now: () => later(new Date('2030-01-01T00:00:00Z'), -days * DAY) };
      made.push(
        (await createKey(database.pool, clock, { businessId, mintedBy: null, name: null, detach: false })).id,
      );
    }
    expect(await activeIds()).toEqual([...made.reverse(), firstKeyId]);
  });

  test('is noted in the audit with who made it', async () => {
    const { id } = await mint({ mintedBy: firstKeyId });
    const { rows } = await database.pool.query(
      `select actor from audit_entries where business_id = $1 and action = 'key.created' and detail->>'key_id' = $2`,
      [businessId, id],
    );
    expect(rows).toEqual([{ actor: `key:${firstKeyId}` }]);
  });

  test('for a business that is not there is the operator’s mistake', async () => {
    await expect(mint({ businessId: 'nobody' })).rejects.toThrow(OperatorError);
  });
});

describe('finding whose key a call carries', () => {
  test('answers many calls at once, each in its place', async () => {
    const other = await createBusiness(database.pool, systemClock, { name: 'Other' });
    const [mine, gone] = [await mint(), await mint()];
    await revoke(gone.id);
    const keys = [gone.key, other.apiKey, 'way_live_nobodys', mine.key, other.apiKey];
    const theirs = { keyId: other.keyId, businessId: other.businessId, active: true, access: 'full' };
    expect(await findCallers(database.pool, keys.map(keyHash))).toEqual([
      null,
      theirs,
      null,
      { keyId: mine.id, businessId, active: true, access: 'full' },
      theirs,
    ]);
    expect(await findCallers(database.pool, [])).toEqual([]);
  });

  test('still knows the key of a business that was deactivated', async () => {
    const { key } = await mint();
    await transaction(database.pool, (tx) =>
      changeSettings(tx, systemClock.now(), businessId, { active: false }, 'test'),
    );
    expect(await findCallers(database.pool, [keyHash(key)])).toMatchObject([{ businessId, active: false }]);
  });
});

describe('a lapsed plan', () => {
  const plan = (change: Parameters<typeof changeSettings>[3]) =>
    transaction(database.pool, (tx) => changeSettings(tx, systemClock.now(), businessId, change, 'test'));

  test.each([
    ['lapsed', { plan: 'lapsed' }],
    ['past due, and its period is over', { plan: 'past_due', periodEnd: earlier(systemClock.now(), DAY) }],
  ] as const)('(%s) makes no keys', async (_, change) => {
    await plan(change);
    await expect(mint()).rejects.toEqual(refused('plan.read_only'));
  });

  test('that is past due makes keys while its period lasts', async () => {
    await plan({ plan: 'past_due', periodEnd: later(systemClock.now(), DAY) });
    expect(await works(await mint())).toBe(true);
  });

  test('is told before the limit is', async () => {
    for (let made = 1; made < 25; made += 1) await mint();
    await expect(mint()).rejects.toEqual(refused('key.limit_reached'));
    await plan({ plan: 'lapsed' });
    await expect(mint()).rejects.toEqual(refused('plan.read_only'));
  });

  test('still revokes', async () => {
    await plan({ plan: 'lapsed' });
    await revoke(firstKeyId);
    expect(await activeIds()).toEqual([]);
  });
});

describe('the limit of 25', () => {
  test('lets exactly 5 of 30 parallel creations through at 20 active keys', async () => {
    for (let made = 1; made < 20; made += 1) await mint();
    const codes = codesOf(
      await Promise.allSettled(Array.from({ length: 30 }, () => mint({ mintedBy: firstKeyId }))),
    );
    expect(codes.filter((code) => code === 'made')).toHaveLength(5);
    expect(codes.filter((code) => code === 'key.limit_reached')).toHaveLength(25);
    expect(await activeIds()).toHaveLength(25);
  });

  test('counts active keys alone', async () => {
    const made = [];
    for (let count = 1; count < 25; count += 1) made.push(await mint());
    await expect(mint()).rejects.toEqual(refused('key.limit_reached'));
    for (const { id } of made.slice(0, 2)) await revoke(id);
    await mint();
    await mint();
    await expect(mint()).rejects.toEqual(refused('key.limit_reached'));
  });
});

describe('revoking', () => {
  test('takes along what the key created, and what those created, but nothing detached', async () => {
    const root = await mint();
    const child = await mint({ mintedBy: root.id });
    const grandchild = await mint({ mintedBy: child.id });
    const detached = await mint({ mintedBy: root.id, detach: true });
    const belowDetached = await mint({ mintedBy: detached.id });
    const detachedGrandchild = await mint({ mintedBy: child.id, detach: true });

    expect((await revoke(root.id)).toSorted()).toEqual([root.id, child.id, grandchild.id].toSorted());
    for (const gone of [root, child, grandchild]) expect(await works(gone)).toBe(false);
    for (const kept of [detached, belowDetached, detachedGrandchild]) expect(await works(kept)).toBe(true);
    expect(detached.minted_by).toBe(root.id);
    const listed = await listKeys(database.pool, businessId);
    expect(listed.find(({ id }) => id === detachedGrandchild.id)?.minted_by).toBe(child.id);
  });

  test('spares the parent and the siblings', async () => {
    const parent = await mint();
    const [one, other] = [await mint({ mintedBy: parent.id }), await mint({ mintedBy: parent.id })];
    await revoke(one.id, other.id);
    expect(await Promise.all([works(parent), works(one), works(other)])).toEqual([true, false, true]);
  });

  test('a key can revoke itself', async () => {
    const key = await mint();
    expect(await revoke(key.id, key.id)).toEqual([key.id]);
    expect(await works(key)).toBe(false);
  });

  test('a key that is unknown, already revoked or another business’s is not found', async () => {
    const key = await mint();
    await revoke(key.id);
    const other = await createBusiness(database.pool, systemClock, { name: 'Other' });
    for (const id of ['nothing', key.id, other.keyId])
      await expect(revoke(id)).rejects.toEqual(refused('key.not_found'));
    expect(await findCallers(database.pool, [keyHash(other.apiKey)])).toMatchObject([{ keyId: other.keyId }]);
  });

  test('of two at once, one revokes and the other finds nothing', async () => {
    const key = await mint();
    const codes = codesOf(await Promise.allSettled([revoke(key.id), revoke(key.id)]));
    expect(codes.toSorted()).toEqual(['key.not_found', 'made']);
  });

  test('while the key mints leaves no live descendant, and the late mint is refused as a revoked key’s', async () => {
    for (let round = 0; round < 15; round += 1) {
      const root = await mint();
      const child = await mint({ mintedBy: root.id });
      const minting = [root, child, root, child].map(({ id }) => mint({ mintedBy: id }));
      const outcomes = await Promise.allSettled([
        ...minting.slice(0, 2),
        revoke(root.id),
        ...minting.slice(2),
      ]);
      for (const code of codesOf(outcomes)) expect(['made', 'business.invalid_api_key']).toContain(code);
      expect(await activeIds()).toEqual([firstKeyId]);
      await expect(mint({ mintedBy: child.id })).rejects.toEqual(refused('business.invalid_api_key'));
    }
  });
});

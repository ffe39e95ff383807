import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { answerInSteps, type KeyClaim, type OnceStep } from '../../src/idempotency/idempotency.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

/* Work under one idempotency key that takes several transactions. */

let database: TestDatabase;
let businessId: string;
beforeAll(async () => {
  database = await testDatabase();
  ({ businessId } = await createBusiness(database.pool, systemClock, { name: 'Shop' }));
});
afterAll(() => database.drop());

const claimOf = (key: string, fingerprint = 'aa'): KeyClaim => ({
  businessId,
  scope: 'replay',
  key,
  fingerprint,
  now: systemClock.now(),
});

/** Counts to five, a step each; `fail` says at which step it breaks down. */
const counting =
  (done: number[], fail: number | null = null) =>
  async (_: unknown, progress: string | null) => {
    const step = progress === null ? 1 : Number(progress) + 1;
    if (step === fail) throw new Error('broke down');
    done.push(step);
    const result: OnceStep<{ status: number; body: string; recipientId: null }> =
      step === 5 ? { done: { status: 202, body: 'five', recipientId: null } } : { progress: String(step) };
    return result;
  };

test('runs every step once, and answers a repeated key without running any', async () => {
  const done: number[] = [];
  expect(await answerInSteps(database.pool, claimOf('a'), counting(done))).toMatchObject({
    status: 202,
    body: 'five',
    replayed: false,
  });
  expect(await answerInSteps(database.pool, claimOf('a'), counting(done))).toEqual({
    status: 202,
    body: 'five',
    replayed: true,
  });
  expect(done).toEqual([1, 2, 3, 4, 5]);
});

test('goes on where it broke down, when the key is used again', async () => {
  const done: number[] = [];
  await expect(answerInSteps(database.pool, claimOf('b'), counting(done, 3))).rejects.toThrow('broke down');
  expect(done).toEqual([1, 2]);
  await answerInSteps(database.pool, claimOf('b'), counting(done));
  expect(done).toEqual([1, 2, 3, 4, 5]);
});

test('another request with the key is refused, also while the first is half done', async () => {
  await expect(answerInSteps(database.pool, claimOf('c'), counting([], 3))).rejects.toThrow('broke down');
  await expect(answerInSteps(database.pool, claimOf('c', 'bb'), counting([]))).rejects.toMatchObject({
    code: 'idempotency.key_reused',
  });
});

test('of two calls with one key neither repeats a step of the other', async () => {
  const done: number[] = [];
  const calls = Array.from({ length: 4 }, () => answerInSteps(database.pool, claimOf('d'), counting(done)));
  for (const outcome of await Promise.allSettled(calls))
    if (outcome.status === 'rejected')
      expect(outcome.reason).toMatchObject({ code: 'idempotency.request_in_progress' });
  await answerInSteps(database.pool, claimOf('d'), counting(done));
  expect(done).toEqual([1, 2, 3, 4, 5]);
});

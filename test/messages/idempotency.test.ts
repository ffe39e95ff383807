import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '../../src/db/pool.ts';
import { answerOnce, type OnceResult } from '../../src/idempotency/idempotency.ts';
import { HOUR } from '../../src/kit/clock.ts';
import { ApiError } from '../../src/kit/errors.ts';
import { lockNumber } from '../../src/kit/ids.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { type DomainShop, fingerprintOf, latch, openDomainShop } from './domainShop.ts';

let database: TestDatabase;
let shop: DomainShop;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  shop = await openDomainShop(database.pool);
});

/** Work that leaves a trace, so that doing it twice would show. */
const grant = async (tx: Client): Promise<OnceResult> => {
  const { rows } = await tx.query<{ balance: number }>(
    'update credit_accounts set balance = balance + 1 where business_id = $1 returning balance',
    [shop.businessId],
  );
  return { status: 200, body: `{"balance": ${rows[0]?.balance}}`, recipientId: null };
};
const timesDone = async (): Promise<number> => (await shop.credits()).balance - 10;

const ask = (key = 'k', change: Parameters<DomainShop['claim']>[2] = {}, work = grant) =>
  answerOnce(database.pool, shop.claim('retract', key, change), work);

const codeOf = (error: unknown): string => {
  if (error instanceof ApiError) return error.code;
  throw error;
};

test('the first call does the work and says so', async () => {
  const answer = await ask();
  expect(answer).toMatchObject({ status: 200, body: '{"balance": 11}', replayed: false });
  expect(answer.replayed ? null : answer.done.recipientId).toBeNull();
});

test('the same key and request: the stored response is replayed to the byte, and nothing is done again', async () => {
  const first = await ask('k', {}, async (tx) => ({
    ...(await grant(tx)),
    status: 202,
    body: '{"ä":  1.0 }\n',
  }));
  expect(await ask()).toEqual({ status: first.status, body: '{"ä":  1.0 }\n', replayed: true });
  expect(await timesDone()).toBe(1);
});

test('the same key with another request is refused as reused', async () => {
  await ask();
  await expect(ask('k', { fingerprint: fingerprintOf('another') })).rejects.toThrow('idempotency.key_reused');
  expect(await timesDone()).toBe(1);
});

test('keys are scoped to the business and to the operation', async () => {
  const other = await openDomainShop(database.pool);
  await ask();
  const answers = [
    await answerOnce(database.pool, shop.claim('resend_sms', 'k'), grant),
    await answerOnce(database.pool, shop.claim('resend_whatsapp', 'k'), grant),
    await answerOnce(database.pool, other.claim('retract', 'k'), grant),
  ];
  expect(answers.map(({ replayed }) => replayed)).toEqual([false, false, false]);
});

test('a key is remembered for 24 hours by the service’s clock; afterwards it is a new request', async () => {
  await ask();
  shop.advance(24 * HOUR - 1);
  expect(await ask()).toMatchObject({ replayed: true });
  shop.advance(1);
  expect(await ask('k', { fingerprint: fingerprintOf('another') })).toMatchObject({
    replayed: false,
    body: '{"balance": 12}',
  });
  shop.advance(24 * HOUR - 1);
  expect(await ask('k', { fingerprint: fingerprintOf('another') })).toMatchObject({
    body: '{"balance": 12}',
    replayed: true,
  });
});

test('an error that the work throws rolls everything back and leaves the key unspent', async () => {
  const refused = ask('k', {}, async (tx) => {
    await grant(tx);
    throw new ApiError('sms.already_sent');
  });
  await expect(refused).rejects.toThrow('sms.already_sent');
  expect(await timesDone()).toBe(0);
  expect(await ask('k', { fingerprint: fingerprintOf('corrected') })).toMatchObject({ replayed: false });
});

test('an error that the work answers is spent and replayed with its status', async () => {
  const notFound = async (): Promise<OnceResult> => ({
    status: 404,
    body: '{"error_code":"message.not_found"}',
    recipientId: null,
  });
  await ask('k', {}, notFound);
  expect(await ask()).toEqual({ status: 404, body: '{"error_code":"message.not_found"}', replayed: true });
  expect(await timesDone()).toBe(0);
});

test('whom the answer is about is kept with it, so that an erasure finds it', async () => {
  await ask('k', {}, async () => ({ status: 200, body: '{}', recipientId: 'ann' }));
  const { rows } = await database.pool.query(
    'select recipient_id from idempotency_records where business_id = $1',
    [shop.businessId],
  );
  expect(rows).toEqual([{ recipient_id: 'ann' }]);
});

describe('while the first call is still running', () => {
  test('the others are told so at once, and replay its answer once it is done', async () => {
    const [begun, mayEnd] = [latch(), latch()];
    const first = ask('k', {}, async (tx) => {
      const done = await grant(tx);
      begun.open();
      await mayEnd.opened;
      return done;
    });
    await begun.opened;
    const others = await Promise.all(Array.from({ length: 20 }, () => ask().catch(codeOf)));
    expect(new Set(others)).toEqual(new Set(['idempotency.request_in_progress']));
    mayEnd.open();
    const { status, body } = await first;
    expect(await ask()).toEqual({ status, body, replayed: true });
    expect(await timesDone()).toBe(1);
  });

  test('of 20 calls at once one does the work; the rest replay it to the byte or are told to come back', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('k', {}, slowly).catch(codeOf)));
    expect(await timesDone()).toBe(1);
    const fresh = answers.filter((answer) => typeof answer !== 'string' && !answer.replayed);
    expect(fresh).toHaveLength(1);
    for (const answer of answers) {
      if (typeof answer === 'string') expect(answer).toBe('idempotency.request_in_progress');
      else expect(answer.body).toBe('{"balance": 11}');
    }
  });

  test('one that dies midway leaves the key usable at once', async () => {
    const dying = ask('k', {}, async (tx) => {
      tx.on('error', () => {});
      await grant(tx);
      await tx.query('select pg_terminate_backend(pg_backend_pid())');
      throw new Error('not reached');
    });
    await expect(dying).rejects.toThrow();
    expect(await ask()).toMatchObject({ replayed: false, body: '{"balance": 11}' });
  });
});

const slowly = async (tx: Client): Promise<OnceResult> => {
  const done = await grant(tx);
  await tx.query('select pg_sleep(0.02)');
  return done;
};

test('work that lost a race is run again and sees the winner', async () => {
  let attempts = 0;
  const answer = await ask('k', {}, async (tx) => {
    attempts += 1;
    const done = await grant(tx);
    if (attempts === 1)
      await tx.query('insert into credit_accounts (business_id) values ($1)', [shop.businessId]);
    return done;
  });
  expect(answer).toMatchObject({ replayed: false, body: '{"balance": 11}' });
  expect(attempts).toBe(2);
});

test('work that loses every race is told to come back, and the key stays unspent', async () => {
  const losing = ask('k', {}, async (tx) => {
    await tx.query('insert into credit_accounts (business_id) values ($1)', [shop.businessId]);
    throw new Error('not reached');
  });
  await expect(losing).rejects.toThrow('request.conflict');
  expect(await ask()).toMatchObject({ replayed: false });
});

test('a push with the same lock name is refused the same way: there is one lock per key', async () => {
  const holder = await database.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select pg_advisory_xact_lock($1)', [
      lockNumber('idempotency', shop.businessId, 'retract', 'k'),
    ]);
    await expect(ask()).rejects.toThrow('idempotency.request_in_progress');
    await holder.query('rollback');
  } finally {
    holder.release();
  }
  expect(await ask()).toMatchObject({ replayed: false });
});

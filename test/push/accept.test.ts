import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/kit/ids.ts';
import { createHasher } from '../../src/kit/seal.ts';
import { createPushes, type Pushes } from '../../src/push/pushes.ts';
import type { PushRequest, PushResult } from '../../src/push/request.ts';
import { type TestDatabase, testDatabase } from '../helpers/database.ts';

let database: TestDatabase;
let pushes: Pushes;
const clock = { now: () => new Date('2026-11-15T12:00:00.000Z') };
const businessId = newId(clock.now());

beforeAll(async () => {
  database = await testDatabase();
  await database.pool.query(`insert into businesses (id, name, created_at) values ($1, 'Acme', now())`, [
    businessId,
  ]);
  await database.pool.query('insert into credit_accounts (business_id, balance) values ($1, 50)', [
    businessId,
  ]);
  pushes = createPushes({
    pool: database.pool,
    clock,
    hash: createHasher(Buffer.alloc(32, 7)),
    render: (result) => JSON.stringify(result),
    onSends: () => {},
    onEvents: () => {},
  });
});
afterAll(() => database.drop());

let count = 0;
const push = async (request: Partial<PushRequest>, key = `key-${++count}`) => {
  const whole: PushRequest = {
    recipientEmail: 'ann@example.com',
    subject: 'Your order',
    body: 'It shipped.',
    phone: null,
    channels: null,
    whatsappOptIn: null,
    smsIfWhatsappFails: false,
    reference: null,
    orderStatus: null,
    kind: 'one_off',
    notify: null,
    sendAt: null,
    escalateMinutes: null,
    obsoletes: [],
    ...request,
  };
  const fingerprint = createHash('sha256').update(JSON.stringify(whole)).digest('hex');
  const answer = await pushes.push({ businessId, key, fingerprint, request: whole, bytes: 100 });
  const result: PushResult = JSON.parse(answer.body);
  return { ...answer, result };
};

test('a push is stored', async () => {
  const { result } = await push({});
  expect(result).toMatchObject({
    created: true,
    nudged: true,
    email: { sending: true, skipped_reason: null },
    sms: null,
  });
});
test('updateable', async () => {
  const first = await push({ kind: 'updateable', subject: 'S' });
  const second = await push({ kind: 'updateable', subject: 'S', notify: true, obsoletes: [first.result.id] });
  expect(second.result).toMatchObject({ created: false, id: first.result.id, nudged: true });
});
test('parallel texts on 50 credits', async () => {
  const all = await Promise.all(
    Array.from({ length: 200 }, (_, i) =>
      push({
        recipientEmail: `p${i}@example.com`,
        phone: { number: `+3725555${1000 + i}`, country: 'EE' },
        channels: ['sms'],
      }),
    ),
  );
  expect(all.filter(({ result }) => result.sms?.queued)).toHaveLength(50);
  expect(all.filter(({ result }) => result.sms?.skipped_reason === 'insufficient_credit')).toHaveLength(150);
});

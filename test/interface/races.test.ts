import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pauseBeforeCommit, untilLockWait } from '../support/databaseLocks.ts';
import { startService, type TestService } from '../support/service.ts';
import { type ApiResponse, expectStatus, type Shop, statusAndCode } from '../support/shop.ts';
import { shortOrLong } from '../support/shortOrLong.ts';
import { creditBalanceOf } from './recipientEvents.ts';

const KEYS = shortOrLong(25, 200);

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business({ credits: 50 });
});

const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
const idOf = ({ text }: ApiResponse): string => {
  const { id }: { id: string } = JSON.parse(text);
  return id;
};
const countOf = async (table: string) => {
  const { rows } = await service.pool.query<{ count: number }>(
    `select count(*) from ${table} where business_id = $1`,
    [shop.businessId],
  );
  return rows[0]?.count;
};
const tally = (answers: readonly ApiResponse[]) => {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[statusAndCode(answer)] = (counts[statusAndCode(answer)] ?? 0) + 1;
  return counts;
};

describe('idempotency', () => {
  test(`${KEYS} keys, 50 parallel calls each: ${KEYS} messages, byte-equal replays, the rest in progress`, async () => {
    const keys = times(KEYS, (n) => `key ${n}`);
    const answers = new Map<string, ApiResponse[]>();
    const queue = keys.values();
    // A few keys at once, so that the 50 calls of one meet each other and the calls of others.
    const caller = async () => {
      for (const key of queue) {
        const change = { recipient_email: `${key.replace(' ', '')}@example.com`, subject: key };
        answers.set(key, await Promise.all(times(50, () => shop.push(change, key))));
      }
    };
    await Promise.all(times(4, caller));

    expect(await countOf('messages')).toBe(KEYS);
    expect(await countOf('sends')).toBe(KEYS);
    expect([...answers.values()].flat()).toHaveLength(KEYS * 50);
    // Otherwise no call met another.
    expect(Object.keys(tally([...answers.values()].flat()))).toContain('409 idempotency.request_in_progress');
    for (const [key, given] of answers) {
      const accepted = given.filter(({ status }) => status === 201);
      expect([key, new Set(accepted.map(({ text }) => text)).size]).toEqual([key, 1]);
      expect(accepted.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
      const others = given.filter(({ status }) => status !== 201).map(statusAndCode);
      expect(others.filter((verdict) => verdict !== '409 idempotency.request_in_progress')).toEqual([]);
    }
  }, 120_000);

  test('50 calls of one key at one moment: one message', async () => {
    for (const round of times(5, (n) => n)) {
      const answers = await Promise.all(
        times(50, () => shop.push({ subject: `Round ${round}` }, `at once ${round}`)),
      );
      expect(
        Object.keys(tally(answers)).filter(
          (verdict) => !['201', '409 idempotency.request_in_progress'].includes(verdict),
        ),
      ).toEqual([]);
      expect(await countOf('messages')).toBe(round + 1);
    }
  });

  test('retractions, resends and batches of one key at one moment do their work once', async () => {
    const { id } = await shop.pushed({ recipient_phone: '+37255550134' });
    const resent = await Promise.all(times(20, () => shop.post(`/api/v1/messages/${id}/sms`, 'K')));
    expect(new Set(resent.filter(({ status }) => status === 200).map(({ text }) => text)).size).toBe(1);
    expect(await creditBalanceOf(service, shop)).toMatchObject({ reserved: 1 });

    const batches = await Promise.all(times(20, () => shop.batch([{}, { subject: 'Two' }], 'K')));
    expect(new Set(batches.filter(({ status }) => status === 200).map(({ text }) => text)).size).toBe(1);
    expect(await countOf('messages')).toBe(3);

    const retracted = await Promise.all(times(20, () => shop.post(`/api/v1/messages/${id}/retract`, 'K')));
    expect(new Set(retracted.filter(({ status }) => status === 200).map(({ text }) => text)).size).toBe(1);
    expect(await creditBalanceOf(service, shop)).toMatchObject({ reserved: 0 });
  });

  test('a batch and single pushes with its items’ keys share one scope: each item is pushed once', async () => {
    for (const round of times(10, (n) => `round ${n}`)) {
      const items = times(5, (n) => ({ recipient_email: `p${n}@example.com`, subject: round }));
      const calls = [
        ...items.map((item, index) => shop.push(item, `${round}#${index}`)),
        shop.batch(items, round),
        ...items.map((item, index) => shop.push(item, `${round}#${index}`)),
      ];
      await Promise.all(calls);
      const again = await shop.batch(items, round);
      expect(again.body).toMatchObject({ succeeded: 5 });
    }
    expect(await countOf('messages')).toBe(50);
  });
});

describe('one subject', () => {
  test('parallel updateable pushes: one creates, the others update', async () => {
    const answers = await Promise.all(times(60, (n) => shop.push({ kind: 'updateable', body: `Body ${n}` })));
    expect(tally(answers)).toEqual({ 201: 60 });
    const results = answers.map((answer) => expectStatus<{ id: string; created: boolean }>(201, answer));
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(results.map(({ id }) => id)).size).toBe(1);
    expect(await countOf('messages')).toBe(1);
    expect(await countOf('recipients')).toBe(1);
  });

  test('with forced nudges: one waits on each channel, and one credit is set aside', async () => {
    const change = { kind: 'updateable', notify: true, recipient_phone: '+37255550134', channels: ['sms'] };
    const answers = await Promise.all(times(40, () => shop.push(change)));
    expect(tally(answers)).toEqual({ 201: 40 });
    expect(await creditBalanceOf(service, shop)).toEqual({ balance: 50, reserved: 1 });
    const { rows } = await service.pool.query(
      `select channel from sends where business_id = $1 and state = 'queued' order by channel`,
      [shop.businessId],
    );
    expect(rows).toEqual([{ channel: 'email' }, { channel: 'sms' }]);
  });

  test('against retractions and obsoletes: at most one active message of the subject at any time', async () => {
    const seen = new Set<string>();
    const calls = times(60, async (n) => {
      const pushed = await shop.push({ kind: 'updateable', notify: true });
      seen.add(idOf(pushed));
      if (n % 3 === 0) await shop.post(`/api/v1/messages/${idOf(pushed)}/retract`);
      if (n % 3 === 1) await shop.pushed({ subject: `Other ${n}`, obsoletes: [...seen] });
      return pushed;
    });
    expect(tally(await Promise.all(calls))).toEqual({ 201: 60 });
    const { rows } = await service.pool.query(
      `select from messages where business_id = $1 and kind = 'updateable' and status = 'active'`,
      [shop.businessId],
    );
    expect(rows.length).toBeLessThanOrEqual(1);
    const waiting = await service.pool.query(
      `select from sends s join messages m using (business_id)
       where s.business_id = $1 and m.id = s.message_id and m.status <> 'active' and s.state in ('held', 'queued')`,
      [shop.businessId],
    );
    expect(waiting.rows).toEqual([]);
  });
});

describe('one balance', () => {
  test('200 parallel SMS pushes on 50 credits: 50 queued, 150 told why not', async () => {
    const answers = await Promise.all(
      times(200, (n) =>
        shop.push({
          recipient_email: `p${n}@example.com`,
          recipient_phone: `+3725555${1000 + n}`,
          channels: ['sms'],
        }),
      ),
    );
    const reasons = answers.map((answer) => {
      const { sms } = expectStatus<{ sms: { queued: boolean; skipped_reason: string | null } }>(201, answer);
      return sms.queued ? 'queued' : sms.skipped_reason;
    });
    expect(reasons.filter((reason) => reason === 'queued')).toHaveLength(50);
    expect(reasons.filter((reason) => reason === 'insufficient_credit')).toHaveLength(150);
    expect(await creditBalanceOf(service, shop)).toEqual({ balance: 50, reserved: 50 });
    expect((await shop.get('/api/v1/credits')).body).toMatchObject({ balance: 50 });
  });

  test('a push that comes while another takes the last credit sends no text, for want of credit', async () => {
    const poor = await service.business({ credits: 1 });
    const other = await service.database.pool.connect();
    await other.query('begin');
    await other.query('update credit_accounts set reserved = 1 where business_id = $1', [poor.businessId]);
    const waiting = poor.push({ recipient_phone: '+37255550134', channels: ['sms'] });
    await untilLockWait(service.pool);
    await other.query('commit');
    other.release();
    const { sms } = expectStatus<{ sms: unknown }>(201, await waiting);
    expect(sms).toMatchObject({ queued: false, skipped_reason: 'insufficient_credit' });
  });

  test('pushes, batches, resends and retractions together never set aside more or less than is queued', async () => {
    const text = (n: number) => ({
      recipient_email: `p${n}@example.com`,
      recipient_phone: `+3725555${2000 + n}`,
      channels: ['sms'],
    });
    const pushed = await Promise.all(times(40, (n) => shop.pushed(text(n))));
    await Promise.all([
      ...pushed.slice(0, 20).map(({ id }) => shop.post(`/api/v1/messages/${id}/retract`)),
      ...pushed.map(({ id }) => shop.post(`/api/v1/messages/${id}/sms`)),
      ...times(4, (n) => shop.batch(times(10, (m) => text(100 + 10 * n + m)))),
      ...times(20, (n) => shop.push(text(n))),
    ]);
    const { rows } = await service.pool.query<{ queued: number }>(
      `select count(*) as queued from sends where business_id = $1 and channel = 'sms' and state = 'queued' and reserved`,
      [shop.businessId],
    );
    const { balance, reserved } = await creditBalanceOf(service, shop);
    expect(reserved).toBe(rows[0]?.queued);
    expect(balance).toBe(50);
    expect(reserved).toBeLessThanOrEqual(50);
  });
});

describe('one recipient', () => {
  test('parallel first pushes to one address make one recipient', async () => {
    const answers = await Promise.all(times(50, (n) => shop.push({ subject: `S${n}` })));
    expect(tally(answers)).toEqual({ 201: 50 });
    expect(await countOf('recipients')).toBe(1);
    expect(await countOf('messages')).toBe(50);
  });

  test('batches and single pushes mixed on the same recipients all succeed', async () => {
    const people = times(8, (n) => `p${n}@example.com`);
    const shuffled = (n: number) => [...people.slice(n % 8), ...people.slice(0, n % 8)];
    const batches = times(12, (n) =>
      shop.batch(
        shuffled(n).map((recipient_email) => ({ recipient_email, kind: n % 2 ? 'updateable' : 'one_off' })),
      ),
    );
    const singles = times(60, (n) =>
      shop.push({ recipient_email: people[n % 8], kind: n % 2 ? 'updateable' : 'one_off' }),
    );
    expect(tally(await Promise.all(singles))).toEqual({ 201: 60 });
    for (const batch of await Promise.all(batches))
      expect(batch.body).toMatchObject({ succeeded: 8, failed: 0 });
    expect(await countOf('recipients')).toBe(8);
  });

  test('one number for many people at once: one holds it, the rest are told', async () => {
    const people = times(20, (n) => `p${n}@example.com`);
    const answers = await Promise.all(
      people.map((recipient_email) =>
        shop.push({ recipient_email, recipient_phone: '+37255550134', channels: ['sms'] }),
      ),
    );
    const reasons = answers.map(
      (answer) => expectStatus<{ sms: { skipped_reason: string | null } }>(201, answer).sms.skipped_reason,
    );
    expect(reasons.filter((reason) => reason === null)).toHaveLength(1);
    expect(reasons.filter((reason) => reason === 'phone_conflict')).toHaveLength(19);

    await Promise.all(people.map((email) => shop.delete(`/api/v1/recipients/${email}/phone`)));
    const set = await Promise.all(
      people.map((email) => shop.put(`/api/v1/recipients/${email}/phone`, { phone: '+37255550134' })),
    );
    expect(tally(set)).toEqual({ 200: 1, '409 sms.phone_already_in_use': 19 });
  });

  test('pushes that hand numbers round in circles always succeed, and nobody shares one', async () => {
    const numbers = times(4, (n) => `+3725555030${n}`);
    const people = times(4, (n) => `p${n}@example.com`);
    const answers = await Promise.all(
      times(80, (n) =>
        shop.push({ recipient_email: people[n % 4], recipient_phone: numbers[(n + Math.floor(n / 4)) % 4] }),
      ),
    );
    expect(tally(answers)).toEqual({ 201: 80 });
  });
});

describe('locks', () => {
  test('are taken in one order: a push that waits for a person holds no balance', async () => {
    await shop.pushed({ recipient_phone: '+37255550134' });
    const holder = await service.database.pool.connect();
    await holder.query('begin');
    await holder.query('select from recipients where business_id = $1 for update', [shop.businessId]);
    const waiting = shop.push({ recipient_phone: '+37255550135', channels: ['sms'] });
    await untilLockWait(service.pool);
    const free = service.pool.query('select from credit_accounts where business_id = $1 for update nowait', [
      shop.businessId,
    ]);
    await expect(free).resolves.toMatchObject({ rowCount: 1 });
    await holder.query('rollback');
    holder.release();
    // On a machine that stood still for seconds it may have given up waiting.
    expect(['201', '503 common.unavailable']).toContain(statusAndCode(await waiting));
  });
});

describe('a person whom someone else holds for too long', () => {
  const emails = times(20, (n) => `p${n}@example.com`);
  const numbered = (recipient_email: string, n: number) => ({
    recipient_email,
    recipient_phone: `+3725555${3000 + n}`,
  });
  /** Takes hold of one of them, as nothing of ours does for seconds. */
  const hold = async (email: string | undefined) => {
    await shop.batch(emails.map((recipient_email) => ({ recipient_email })));
    const holder = await service.pool.connect();
    await holder.query('begin');
    await holder.query('set local idle_in_transaction_session_timeout = 0');
    await holder.query('select from recipients where business_id = $1 and email = $2 for update', [
      shop.businessId,
      email,
    ]);
    return async () => {
      await holder.query('rollback');
      holder.release();
    };
  };

  test('is told to come back, and nobody in the same list with them', async () => {
    const release = await hold(emails[7]);
    try {
      const answers = await Promise.all(emails.map((email, n) => shop.push(numbered(email, n))));
      expect(answers.map(statusAndCode)).toEqual(
        emails.map((_, n) => (n === 7 ? '503 common.unavailable' : '201')),
      );
      expect(answers[7]?.headers.get('retry-after')).toBe('1');
    } finally {
      await release();
    }
  });

  test('makes a batch come back as a whole: an item that failed for now would be replayed as failed', async () => {
    const release = await hold(emails[7]);
    const batch = () => shop.batch(emails.map(numbered), 'K');
    try {
      expect(statusAndCode(await batch())).toBe('503 common.unavailable');
    } finally {
      await release();
    }
    const again = await batch();
    expect(again.body).toMatchObject({ succeeded: 20, failed: 0 });
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    expect(await countOf('messages')).toBe(40);
  });
});

describe('keys', () => {
  test('30 parallel creations at 20 active keys: 5 succeed', async () => {
    for (let count = 1; count < 20; count += 1)
      expect((await shop.call('POST', '/api/v1/keys')).status).toBe(201);
    const answers = await Promise.all(times(30, () => shop.call('POST', '/api/v1/keys')));
    expect(tally(answers)).toEqual({ 201: 5, '409 key.limit_reached': 25 });
    const { items }: { items: unknown[] } = expectStatus(200, await shop.get('/api/v1/keys'));
    expect(items).toHaveLength(25);
  });

  test('revoking a key while it mints leaves no live child', async () => {
    for (const _ of times(5, (n) => n)) {
      const created = await shop.call('POST', '/api/v1/keys');
      const { id, key }: { id: string; key: string } = expectStatus(201, created);
      const minting = times(3, () => shop.with(key).call('POST', '/api/v1/keys'));
      const [revoked, ...children] = await Promise.all([shop.delete(`/api/v1/keys/${id}`), ...minting]);
      expect(revoked.status).toBe(204);
      for (const child of children) {
        if (child.status !== 201) continue;
        const { key: minted }: { key: string } = JSON.parse(child.text);
        expect((await shop.with(minted).get('/api/v1/credits')).status).toBe(401);
      }
    }
    const { items }: { items: unknown[] } = expectStatus(200, await shop.get('/api/v1/keys'));
    expect(items).toHaveLength(1);
  });
});

describe('more than can be taken in', () => {
  test('is refused with 503 and Retry-After while the store stands still, and nothing is lost of what was taken', async () => {
    const hold = await pauseBeforeCommit(service.pool);
    const inject = (n: number) =>
      service.app.inject({
        method: 'POST',
        url: '/api/v1/messages',
        headers: {
          authorization: `Bearer ${shop.apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': `k${n}`,
        },
        payload: { recipient_email: `p${n}@example.com`, subject: 'S', body: 'B' },
      });
    const pushes = times(2_600, inject);
    try {
      const refused = await Promise.race(pushes);
      expect(refused.statusCode).toBe(503);
      expect(refused.json()).toMatchObject({ error_code: 'common.unavailable' });
      expect(refused.headers['retry-after']).toBe('1');
    } finally {
      await hold.release();
    }
    const answers = await Promise.all(pushes);
    const taken = answers.filter(({ statusCode }) => statusCode === 201);
    expect(answers.filter(({ statusCode }) => statusCode === 503)).toHaveLength(2_600 - taken.length);
    expect(taken.length).toBeGreaterThan(0);
    expect(await countOf('messages')).toBe(taken.length);
  }, 60_000);
});

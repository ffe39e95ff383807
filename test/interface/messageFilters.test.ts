import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { MessageList } from '../../src/contract/messages.ts';
import { MESSAGES_SCANNED_MAX } from '../../src/messages/list.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop, validationErrorsOf } from '../support/shop.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business();
});

const list = async (query: Record<string, string>): Promise<MessageList> =>
  expectStatus(200, await shop.get(`/api/v1/messages?${new URLSearchParams(query)}`));
const listed = async (query: Record<string, string>): Promise<string[]> =>
  (await list(query)).items.map(({ id }) => id);
/** Every page, one after another. */
async function all(query: Record<string, string>): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await list({ ...query, ...(cursor !== '' && { cursor }) });
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  return ids;
}

describe('by reference', () => {
  test('exactly this one, case and all, newest first', async () => {
    const one = await shop.pushed({ reference: 'A/1' });
    await shop.pushed({ reference: 'a/1' });
    await shop.pushed({ reference: 'A/12' });
    await shop.pushed({ reference: null });
    const two = await shop.pushed({ reference: 'A/1', recipient_email: 'bob@example.com' });
    expect(await listed({ reference: 'A/1' })).toEqual([two.id, one.id]);
    expect(await listed({ reference: 'A' })).toEqual([]);
  });

  test('of this business only', async () => {
    const other = await service.business();
    await other.pushed({ reference: '#1' });
    expect(await listed({ reference: '#1' })).toEqual([]);
  });

  test.each([
    ['', 'string_too_short'],
    ['a b', 'string_pattern_mismatch'],
    ['ä', 'string_pattern_mismatch'],
    ['x'.repeat(65), 'string_too_long'],
  ])('422: %j', async (reference, type) => {
    const answer = await shop.get(`/api/v1/messages?${new URLSearchParams({ reference })}`);
    expect(validationErrorsOf(answer)).toMatchObject([{ type, loc: ['query', 'reference'] }]);
  });
});

describe('by status', () => {
  test('active, obsolete or retracted, as it is now', async () => {
    const old = await shop.pushed();
    const taken = await shop.pushed();
    const current = await shop.pushed({ obsoletes: [old.id] });
    await shop.post(`/api/v1/messages/${taken.id}/retract`);
    expect(await listed({ status: 'active' })).toEqual([current.id]);
    expect(await listed({ status: 'obsolete' })).toEqual([old.id]);
    expect(await listed({ status: 'retracted' })).toEqual([taken.id]);
  });

  test.each(['', 'Active', 'deleted'])('422: %j', async (status) => {
    expect(validationErrorsOf(await shop.get(`/api/v1/messages?status=${status}`))).toMatchObject([
      { type: 'enum', loc: ['query', 'status'], input: status },
    ]);
  });
});

describe('by time of creation', () => {
  test('created_after and created_before both leave out the moment itself', async () => {
    const pushed = [];
    for (let n = 0; n < 3; n += 1) {
      pushed.push(await shop.pushed());
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const [first, second, third] = pushed;
    if (!first || !second || !third) throw new Error('three were pushed');
    expect(await listed({ created_after: first.created_at })).toEqual([third.id, second.id]);
    expect(await listed({ created_before: third.created_at })).toEqual([second.id, first.id]);
    expect(await listed({ created_after: first.created_at, created_before: third.created_at })).toEqual([
      second.id,
    ]);
    expect(await listed({ created_after: third.created_at })).toEqual([]);
    expect(await listed({ created_after: third.created_at, created_before: first.created_at })).toEqual([]);
  });

  test('any time, far or with an offset', async () => {
    const { id, created_at } = await shop.pushed();
    const east = `${new Date(Date.parse(created_at) + 2 * 3_600_000).toISOString().slice(0, -1)}+02:00`;
    expect(await listed({ created_after: east })).toEqual([]);
    expect(
      await listed({ created_after: '0001-01-01T00:00:00Z', created_before: '9999-01-01T00:00:00Z' }),
    ).toEqual([id]);
    expect(await listed({ created_after: '9999-01-01T00:00:00Z' })).toEqual([]);
    expect(await listed({ created_before: '1969-01-01T00:00:00Z' })).toEqual([]);
  });

  test.each([
    ['created_after=yesterday', 'datetime_parsing', 'created_after'],
    ['created_before=2026-08-20T09:15:00', 'timezone_aware', 'created_before'],
  ])('422: %s', async (query, type, name) => {
    expect(validationErrorsOf(await shop.get(`/api/v1/messages?${query}`))).toMatchObject([
      { type, loc: ['query', name] },
    ]);
  });
});

describe('filters together', () => {
  test('every combination finds what a look at each message would, page by page', async () => {
    const people = ['ann@example.com', 'bob@example.com'];
    for (let n = 0; n < 24; n += 1)
      await shop.pushed({ recipient_email: people[n % 2], reference: ['#1', '#2', null][n % 3] });
    const everything = (await list({ limit: '100' })).items;
    for (const { id } of everything.filter((_, n) => n % 4 === 1))
      await shop.post(`/api/v1/messages/${id}/retract`);
    const after = everything[20]?.created_at ?? '';
    const before = everything[3]?.created_at ?? '';
    const now = (await list({ limit: '100' })).items;
    const options: [string, string][][] = [
      [['recipient_email', 'ann@example.com']],
      [['reference', '#1']],
      [['status', 'retracted']],
      [
        ['created_after', after],
        ['created_before', before],
      ],
    ];
    for (let chosen = 0; chosen < 1 << options.length; chosen += 1) {
      const query = Object.fromEntries(options.filter((_, bit) => (chosen >> bit) & 1).flat());
      const expected = now.filter(
        (message) =>
          (query.recipient_email === undefined || message.recipient_email === query.recipient_email) &&
          (query.reference === undefined || message.reference === query.reference) &&
          (query.status === undefined || message.status === query.status) &&
          (query.created_after === undefined ||
            (message.created_at > query.created_after && message.created_at < before)),
      );
      for (const limit of ['1', '3', '50'])
        expect([query, limit, await all({ ...query, limit })]).toEqual([
          query,
          limit,
          expected.map(({ id }) => id),
        ]);
    }
  });

  test('a page looks at a bounded number of messages; following next_cursor still finds all', async () => {
    const { id } = await shop.pushed({ reference: '#1' });
    await service.pool.query(
      `insert into messages (business_id, id, recipient_id, subject, body, kind, status, reference, created_at, updated_at)
       select m.business_id, 'z' || lpad(n::text, 20, '0'), m.recipient_id, 's', 'b', 'one_off', 'retracted', '#1', m.created_at, m.created_at
       from messages m, generate_series(1, $2::int) n where m.id = $1`,
      [id, MESSAGES_SCANNED_MAX + 50],
    );
    for (const filter of [{ reference: '#1' }, { recipient_email: 'ann@example.com' }]) {
      const first = await list({ ...filter, status: 'active' });
      expect(first.items).toEqual([]);
      expect(first.next_cursor).not.toBeNull();
      expect(await all({ ...filter, status: 'active' })).toEqual([id]);
      expect((await list({ ...filter, status: 'retracted' })).items).toHaveLength(50);
    }
    expect(await all({ status: 'active' })).toEqual([id]);
  });
});

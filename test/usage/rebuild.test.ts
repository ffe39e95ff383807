import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { transaction } from '../../src/db/transaction.ts';
import { foldCounts } from '../../src/usage/foldSql.ts';
import { countsByDay } from '../../src/usage/read.ts';
import { rebuildUsage, recountByDay } from '../../src/usage/rebuild.ts';
import { openConsole, type TestConsole } from '../cli/console.ts';
import { countedUsage, openFromEmail } from '../interface/happenings.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';

let service: TestService;
let cli: TestConsole;
let shop: Shop;
beforeAll(async () => {
  service = await startService();
  cli = openConsole(service.database.url, { SECRET_KEY: service.secretKey });
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business({ credits: 10 });
});

const ALL = ['2020-01-01', '2100-01-01'] as const;
const counted = async () => Object.fromEntries(await countsByDay(service.pool, shop.businessId, ...ALL));
const recounted = async () => Object.fromEntries(await recountByDay(service.pool, shop.businessId, ...ALL));
const rows = async (sql: string) => (await service.pool.query(sql, [shop.businessId])).rows;
const erase = (email: string) => shop.post(`/api/v1/recipients/${email}/erase`);

/** Two days with messages, on the first of them to two people, one of whom opens theirs. */
async function twoDays(): Promise<void> {
  // Not over midnight: an email is counted on the day on which it is opened.
  const now = await service.advance({});
  if (now.getUTCHours() === 23) await service.advance({ hours: 1 });
  await shop.pushed({ recipient_email: 'bob@example.com' });
  const { id } = await shop.pushed({ recipient_email: 'ann@example.com' });
  await service.advance({ minutes: 30 });
  await openFromEmail(service, id);
  await service.advance({ days: 1 });
  await shop.pushed({ recipient_email: 'bob@example.com' });
  await service.advance({ minutes: 1 });
}

describe('waypost usage recount', () => {
  const rebuild = () => cli.json('usage', 'recount', shop.businessId);

  test('puts back counters that were lost', async () => {
    await twoDays();
    const before = await counted();
    await service.pool.query('delete from usage_counters where business_id = $1', [shop.businessId]);
    expect((await countedUsage(shop)).total.messages).toBe(0);
    expect((await rebuild()).changed).toEqual(Object.keys(before).sort());
    expect(await counted()).toEqual(before);
    expect(await recounted()).toEqual(before);
  });

  test('lowers counters that are too high, and says which days it changed', async () => {
    await twoDays();
    const before = await counted();
    const [first] = Object.keys(before);
    await service.pool.query(
      'update usage_counters set email_sent = email_sent + 7 where business_id = $1 and day = $2',
      [shop.businessId, first],
    );
    expect((await rebuild()).changed).toEqual([first]);
    expect(await counted()).toEqual(before);
    expect((await rebuild()).changed).toEqual([]);
  });

  test('keeps what was counted about people who were erased since', async () => {
    await twoDays();
    const before = await counted();
    await erase('ann@example.com');
    expect(await recounted()).not.toEqual(before);
    const report = await rebuild();
    expect(report.changed).toEqual([]);
    expect(await counted()).toEqual(before);
    // From the day after the erasure, a rebuild is exact again.
    await service.advance({ days: 1 });
    await shop.pushed({ recipient_email: 'bob@example.com' });
    await service.advance({ minutes: 1 });
    const after = await counted();
    await service.pool.query(
      `update usage_counters set messages = 99 where business_id = $1 and day = (select max(day) from usage_counters where business_id = $1)`,
      [shop.businessId],
    );
    await rebuild();
    expect(await counted()).toEqual(after);
  });

  test('raises a day before an erasure where more can be counted than was', async () => {
    await twoDays();
    await erase('ann@example.com');
    await service.pool.query('delete from usage_counters where business_id = $1', [shop.businessId]);
    await rebuild();
    expect(await counted()).toEqual(await recounted());
  });

  test('has nothing to count for a business without messages', async () => {
    expect(await rebuild()).toMatchObject({ from: null, days_changed: 0 });
  });

  test('refuses a business that does not exist', async () => {
    expect(await cli.mistake('usage', 'recount', 'nobody')).toBe('No business has the id "nobody".');
  });

  test('counts right while pushes go on', async () => {
    const now = await service.advance({});
    let isOver = false;
    const pushing = (async () => {
      for (let round = 0; !isOver; round += 1)
        await Promise.all(
          Array.from({ length: 4 }, (_, place) => shop.pushed({ subject: `${round} ${place}` })),
        );
    })();
    try {
      for (let round = 0; round < 5; round += 1)
        await transaction(service.pool, (tx) => rebuildUsage(tx, shop.businessId, now), { attempts: 3 });
    } finally {
      isOver = true;
      await pushing;
    }
    await service.advance({ seconds: 5 });
    expect(await counted()).toEqual(await recounted());
  });
});

describe('folding', () => {
  test('retention adds the rows of past days up to one a day, and no count is lost', async () => {
    await twoDays();
    await rows(
      `insert into usage_counters (business_id, day, slot, messages, open_minutes)
       select business_id, day, 20 + n, 5, '0,1,2' from usage_counters, generate_series(1, 3) n where business_id = $1 on conflict do nothing`,
    );
    const before = await counted();
    await service.advance({ days: 2 });
    expect(await counted()).toEqual(before);
    expect(
      await rows(
        'select slot, count(*)::int as days from usage_counters where business_id = $1 and slot >= 0 group by slot',
      ),
    ).toEqual([{ slot: 0, days: 2 }]);
  });

  test('a day that is still written is left alone, and a count that comes later is added', async () => {
    await shop.pushed({ notify: false });
    const day = (await service.advance({})).toISOString().slice(0, 10);
    const before = await counted();
    await foldCounts(service.pool, day, 100);
    expect(await counted()).toEqual(before);
    const next = new Date(new Date(day).getTime() + 86_400_000).toISOString().slice(0, 10);
    await foldCounts(service.pool, next, 100);
    await shop.pushed({ notify: false });
    expect((await counted())[day]?.amounts[0]).toBe(2);
  });

  test('months read from their own rows are the sums of their days, for any range, also after a rebuild', async () => {
    const DAYS = 100;
    await rows(
      `insert into usage_counters (business_id, day, slot, messages, sms_credits, open_minutes)
       select $1, '2026-01-10'::date + d, 1 + d % 3, 1 + d, -d, repeat('0,', d % 7) || d from generate_series(0, ${DAYS}) d`,
    );
    await shop.pushed({ notify: false });
    const compare = async (from: string, to: string): Promise<void> => {
      const [byDay, byMonth] = [
        await countedUsage(shop, `?from=${from}&to=${to}`),
        await countedUsage(shop, `?from=${from}&to=${to}&interval=month`),
      ];
      expect(byMonth.total).toEqual(byDay.total);
      for (const { period, messages, sms } of byMonth.items) {
        const days = byDay.items.filter((day) => day.period.startsWith(period));
        expect(messages).toBe(days.reduce((sum, day) => sum + day.messages, 0));
        expect(sms.credits).toBe(days.reduce((sum, day) => sum + day.sms.credits, 0));
      }
    };
    const ranges = [
      ['2026-01-01', '2026-04-30'],
      ['2026-01-15', '2026-04-10'],
      ['2026-02-01', '2026-02-28'],
      ['2026-02-02', '2026-02-27'],
      ['2026-02-28', '2026-03-01'],
      ['2025-12-31', '2026-12-31'],
    ] as const;
    const compareAll = async () => {
      for (const [from, to] of ranges) await compare(from, to);
    };
    await compareAll();
    await foldCounts(service.pool, '2026-02-20', 20);
    await compareAll();
    await foldCounts(service.pool, '2026-04-15', 1_000);
    expect(
      await rows('select day::text from usage_counters where business_id = $1 and slot = -1 order by 1'),
    ).toEqual(['2026-01-01', '2026-02-01', '2026-03-01', '2026-04-01'].map((day) => ({ day })));
    await compareAll();
    await rows(`update messages set created_at = '2026-03-20T12:00:00Z' where business_id = $1`);
    await transaction(service.pool, (tx) =>
      rebuildUsage(tx, shop.businessId, new Date('2026-12-31T00:00:00Z')),
    );
    const { items } = await countedUsage(shop, '?from=2026-03-01&to=2026-04-30&interval=month');
    // What was made up is gone from the day on which the messages begin.
    expect(items.map(({ messages }) => messages)).toEqual([((51 + 69) * 19) / 2 + 1, 0]);
    await compareAll();
  });
});

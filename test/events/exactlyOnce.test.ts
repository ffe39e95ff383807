import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/kit/clock.ts';
import { insertEvents } from '../../src/webhooks/deliveriesSql.ts';
import { eventRow, type NewEvent } from '../../src/webhooks/events.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, Shop } from '../support/shop.ts';
import { shortOrLong } from '../support/shortOrLong.ts';
import { eventually } from '../support/waiting.ts';
import { deliveredEvent, type EventsAnswer, eventsPath, joinProcess, lowBalanceEvent } from './feedReader.ts';

/*
 * The promise of the feed under what could break it: transactions that commit in another order than they began, that roll
 * back or are killed, readers in several processes, and a process that is stopped and started again meanwhile.
 */
vi.setConfig({ testTimeout: 120_000 });

const WRITERS = 64;
const READERS = 8;
const ROUNDS = shortOrLong(4, 60);
const DELAY_MAX_MS = 60;

let service: TestService;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());

const chance = (share: number): boolean => Math.random() < share;
const sometime = () => sleep(Math.random() ** 3 * DELAY_MAX_MS);

/** Writes events in transactions of its own that end in every way; returns the ids of those that surely committed. */
async function write(shop: Shop, killer: pg.Pool): Promise<{ committed: string[]; unsure: string[] }> {
  const committed: string[] = [];
  const unsure: string[] = [];
  let client = await connected();
  for (let round = 0; round < ROUNDS; round += 1) {
    const events: NewEvent[] = Array.from({ length: 1 + Math.floor(Math.random() * 3) }, () =>
      chance(0.3) ? lowBalanceEvent(shop) : deliveredEvent(shop, `m${Math.floor(Math.random() * 4)}`),
    );
    try {
      await client.query('begin');
      const rows = events.map((event, ordinal) => eventRow(event, systemClock.now(), ordinal));
      await insertEvents(client, JSON.stringify(rows));
      const ids = rows.map(({ id }) => id);
      await sometime();
      if (chance(0.15)) await client.query('rollback');
      else if (chance(0.1)) {
        const { rows: me } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
        const commit = client.query('commit').catch(() => {});
        if (chance(0.5)) await commit;
        await killer.query('select pg_terminate_backend($1)', [me[0]?.pid]);
        // Whether the commit came first is for the database to say.
        unsure.push(...ids);
        await commit;
        throw new Error('killed');
      } else {
        await client.query('commit');
        committed.push(...ids);
      }
    } catch {
      client = await connected();
    }
  }
  await client.end();
  return { committed, unsure };
}

/** Writes an event and commits it only once a later one can be read: its place is not that of its id. */
async function writeLate(shop: Shop, watcher: pg.Pool): Promise<{ committed: string[]; unsure: string[] }> {
  const client = await connected();
  await client.query('begin');
  const row = eventRow(deliveredEvent(shop, 'late'), systemClock.now(), 0);
  await insertEvents(client, JSON.stringify([row]));
  await eventually(async () => {
    const later = `select from events where business_id = $1 and id > $2 and position is not null limit 1`;
    expect((await watcher.query(later, [shop.businessId, row.id])).rowCount).toBe(1);
  });
  await client.query('commit');
  await client.end();
  return { committed: [row.id], unsure: [] };
}

async function connected(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: service.database.url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

interface Reader {
  ids: string[];
  types: string | null;
}

/** Follows a feed until told to end, and then to its end. Anything but an answer is asked again with the same cursor. */
async function follow(
  shops: readonly Shop[],
  { limit, wait, types }: { limit: number; wait: number; types: string | null },
  isOver: () => boolean,
): Promise<Reader> {
  const ids: string[] = [];
  for (let after: string | null = null, turn = 0; ; turn += 1) {
    const shop = shops[turn % shops.length];
    const over = isOver();
    const path = eventsPath({
      limit,
      wait,
      ...(after !== null && { after }),
      ...(types !== null && { types }),
    });
    const answer = await shop?.get(path).catch(() => null);
    if (!answer || answer.status === 503) continue;
    const page: EventsAnswer = expectStatus(200, answer);
    ids.push(...page.items.map(({ id }) => id));
    after = page.next;
    if (over && !page.has_more && page.items.length === 0) return { ids, types };
  }
}

test('64 writers and 8 readers: everyone sees every event exactly once, in the same order', async () => {
  const shop = await service.business();
  const other = await service.business();
  let second = await joinProcess(service, 'api');
  // Where the second process listens changes with its restart.
  const there: Shop[] = [shop, new Shop(second.url, shop.businessId, shop.apiKey)];
  const killer = new pg.Pool({ connectionString: service.database.url, max: 4 });
  let over = false;
  const readers = Array.from({ length: READERS }, (_, n) =>
    follow(
      there,
      {
        limit: [1_000, 7, 50, 3][n % 4] ?? 100,
        wait: n % 2,
        types: n % 4 === 2 ? 'credits.low_balance' : null,
      },
      () => over,
    ),
  );
  const writing = Promise.all([
    ...Array.from({ length: WRITERS }, (_, n) => write(n % 8 === 7 ? other : shop, killer)),
    writeLate(shop, killer),
  ]);
  await sleep(300);
  await second.stop();
  second = await joinProcess(service, 'api');
  there[1] = new Shop(second.url, shop.businessId, shop.apiKey);
  const written = await writing;
  over = true;
  const followed = await Promise.all(readers);
  await second.stop();
  await killer.end();

  const stored = async (types: string[]) =>
    (
      await service.database.pool.query<{ id: string }>(
        'select id from events where business_id = $1 and type = any ($2) order by position',
        [shop.businessId, types],
      )
    ).rows.map(({ id }) => id);
  const all = await stored(['message.delivered', 'credits.low_balance']);
  const low = await stored(['credits.low_balance']);
  for (const { ids, types } of followed) expect(ids).toEqual(types === null ? all : low);

  const ofShop = new Set(all);
  const committed = written.flatMap((one, n) => (n % 8 === 7 ? [] : one.committed));
  expect(committed.filter((id) => !ofShop.has(id))).toEqual([]);
  expect(written.some(({ unsure }) => unsure.length > 0)).toBe(true);
  // The order of the feed is not that of the ids: at least one was committed late.
  expect(all).not.toEqual([...all].sort());
  expect(all.length).toBeGreaterThan(WRITERS * ROUNDS * 0.5);
});

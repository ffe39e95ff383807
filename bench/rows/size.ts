import { statement } from '../../src/db/statement.ts';
import { DAY } from '../../src/kit/clock.ts';
import { Claimer } from '../../src/outbox/claim.ts';
import { keyArrays } from '../../src/outbox/send.ts';
import { releaseSendClaims } from '../../src/outbox/sendsSql.ts';
import { dayOf } from '../../src/usage/counters.ts';
import { foldCounts } from '../../src/usage/foldSql.ts';
import type { BenchDatabase, BenchEnvironment } from '../environment.ts';
import { after, alternate, type Compared, type Measured, measuredTimes } from '../measure.ts';
import { SIZE_ROUNDS } from '../plan.ts';
import { API_ONLY, type BenchServer, startBenchServer } from '../program.ts';
import { atMostTime, type Reporter } from '../report/row.ts';
import { seedHistory } from '../seed.ts';
import { compareLoads, getLoad, listLoad, orderLoad, ordersLoad, pushLoad, viewLoad } from './loads.ts';

/** Orders before pushes, whose changes of orders a read would apply: these servers have no worker. */
export const SIZED_WORK = ['order', 'orders', 'push', 'list', 'view', 'claim'] as const;
export type SizedWork = (typeof SIZED_WORK)[number];

const YEAR_DAYS = 365;
const CLAIMED = 50;
const CAPACITY = { channels: ['email' as const], limit: CLAIMED, full: [] };

export async function measureSize(world: BenchEnvironment, report: Reporter): Promise<void> {
  const sizes = await openSizes(world);
  const { seconds, rounds } = SIZE_ROUNDS;
  for (const work of SIZED_WORK) {
    const measure = (server: BenchServer) => () => measureSized(work, server, seconds);
    const compared = await alternate(rounds, measure(sizes.large), measure(sizes.small));
    report.compared(`${work} at 1,000,000 messages`, 'the same at 1,000', atMostTime(1.5), compared);
  }
  const work = 'usage over a year, 1,000,000 messages';
  report.compared(work, 'a day of a new shop', atMostTime(2), await compareUsage(sizes));
}

/** A shop of 1,000,000 messages and one of 1,000. */
export const openSizes = async (world: BenchEnvironment) => {
  const opening = [openSized(world, 'large', 1_000_000), openSized(world, 'small', 1_000)] as const;
  const [large, small] = await Promise.all(opening);
  return { large, small };
};

export async function openSized(
  world: BenchEnvironment,
  name: string,
  messages: number,
): Promise<BenchServer> {
  const database = await world.database(name, messages / 10);
  await seedHistory(database, messages, 'delivered');
  return startBenchServer(world, database, API_ONLY);
}

export async function measureSized(work: SizedWork, server: BenchServer, seconds: number): Promise<Measured> {
  if (work === 'claim') return measureClaims(server.database, seconds);
  const load = await loadOf[work](server.database);
  return server.measure({ ...load, clients: 1 }, seconds);
}

const loadOf = {
  order: orderLoad,
  orders: ordersLoad,
  list: listLoad,
  view: (database: BenchDatabase) => viewLoad(database),
  push: (database: BenchDatabase) => pushLoad(database, 1),
};

/** Claims and releases fifty due sends, repeatedly; only the claim is timed. */
async function measureClaims({ pool }: BenchDatabase, seconds: number): Promise<Measured> {
  const claimer = new Claimer(pool);
  const times: number[] = [];
  for (const isOver = after(seconds); !isOver(); ) {
    const now = new Date();
    const began = performance.now();
    const { lease, sends } = await claimer.claim(CAPACITY, now);
    times.push(performance.now() - began);
    if (sends.length < CLAIMED) throw new Error('too little was due');
    await releaseSendClaims(pool, lease, ...keyArrays(sends), now);
  }
  return { perSecond: measuredTimes(times).perSecond };
}

/** The counters of a shop with 2,700 messages a day: the last two days in all 16 rows, the others folded. */
const seedUsage = statement<[businessId: string, days: number]>(`
  insert into usage_counters (business_id, day, slot, messages, email_sent, email_delivered, email_opened, sms_sent, sms_delivered,
    sms_credits, avoided_opened_first, avoided_credits, open_minutes)
  select $1, (now() at time zone 'UTC')::date - d, slot, 2700, 2690, 2650, 1700, 300, 290, 300, 250, 250,
    (select string_agg((n * d % 40)::text, ',') from generate_series(1, 90) n)
  from generate_series(0, $2::int) d cross join generate_series(1, 16) slot where slot = 1 or d < 2
  on conflict do nothing`);

/** A year of a large shop by month, against the first day of a new one. */
async function compareUsage(sizes: Awaited<ReturnType<typeof openSizes>>): Promise<Compared> {
  const { pool, businessId } = sizes.large.database;
  await seedUsage(pool, businessId, YEAR_DAYS);
  const now = new Date();
  await foldCounts(pool, dayOf(new Date(now.getTime() - DAY)), 1_000);
  const yearAgo = dayOf(new Date(now.getTime() - YEAR_DAYS * DAY));
  const read = (server: BenchServer, query: string) =>
    [server, getLoad(server.database, [`/api/v1/usage?${query}`], 1)] as const;
  const year = read(sizes.large, `from=${yearAgo}&interval=month`);
  return compareLoads(SIZE_ROUNDS, year, read(sizes.small, `from=${dayOf(now)}`));
}

import { systemClock } from '../src/kit/clock.ts';
import { measureApi } from './apiPart.ts';
import { measureDisk } from './disk.ts';
import type { BenchEnvironment } from './environment.ts';
import { FEWER_RECIPIENTS, MORE_ROUNDS, ROUNDS, SIZE_ROUNDS, WARM_UP } from './plan.ts';
import { startBenchServer } from './program.ts';
import { memoryRow } from './report/memory.ts';
import { comparedRow, measuredRow, type Row } from './report/row.ts';
import {
  compareDashboard,
  comparePushesBesidePeople,
  DASHBOARD_WORK,
  indexSubjects,
} from './rows/dashboard.ts';
import { compareBesideOpenTransaction, compareDrain, compareWorkers } from './rows/drain.ts';
import { compareFollowing, comparePushesBesideWaits, measureIdleWaits, measureWakes } from './rows/events.ts';
import { measureNudges } from './rows/latency.ts';
import { compareProcesses, perCpuSecond } from './rows/processes.ts';
import { compareSizes, SIZED_WORK } from './rows/size.ts';
import { compareUsage } from './rows/usage.ts';
import { withSizes } from './sizes.ts';
import { benchWebhooks } from './webhooks.ts';

const DISK_SECONDS = 3;

export type BenchPart = (world: BenchEnvironment, report: (row: Row) => void) => Promise<void>;

/** The rows of the report, in parts that share processes. */
export const BENCH_PARTS: Record<string, BenchPart> = {
  api: measureApi,
  outbox: measureOutbox,
  nudges: measureIdle,
  size: measureSize,
  dashboard: measureDashboard,
  webhooks: measureWebhooks,
  events: measureEvents,
  processes: measureProcesses,
};

async function measureOutbox(world: BenchEnvironment, report: (row: Row) => void): Promise<void> {
  const mine = await world.database('outbox', FEWER_RECIPIENTS);
  const theirs = await world.database('graphile', 0);
  report(
    comparedRow(
      'outbox drain, 20,000 nudges',
      'graphile-worker, local queue, empty task',
      { of: 'ratio', atLeast: 0.5 },
      await compareDrain(world, mine, theirs, { sends: 20_000, rounds: 3, batchDelay: -1 }),
    ),
  );
  await mine.drop();
  await theirs.drop();

  const held = await world.database('held', FEWER_RECIPIENTS);
  const free = await world.database('free', FEWER_RECIPIENTS);
  report(
    comparedRow(
      'outbox drain beside a transaction left open',
      'the same without it',
      { of: 'time', atMost: 1.5 },
      await compareBesideOpenTransaction(world, held, free, { sends: 5_000, rounds: 3 }),
    ),
  );
  await held.drop();
  await free.drop();

  const shared = await world.database('shared', FEWER_RECIPIENTS);
  const single = await world.database('single', FEWER_RECIPIENTS);
  report(
    comparedRow(
      'outbox drain of one shop by two workers',
      'the same by one',
      null,
      await compareWorkers(world, shared, single, { sends: 5_000, rounds: 3 }),
    ),
  );
  await shared.drop();
  await single.drop();
}

async function measureIdle(world: BenchEnvironment, report: (row: Row) => void): Promise<void> {
  const database = await world.database('idle', 1_000);
  const program = await startBenchServer(database.url);
  try {
    const { all, undisturbed } = await measureNudges(program, database, 300);
    report(measuredRow('push to captured nudge', { of: 'p99', under: 50 }, all));
    report(measuredRow("the same without the host's pauses", null, undisturbed));
    report(
      measuredRow('the disk itself: write and fsync of one page', null, await measureDisk(DISK_SECONDS)),
    );
    report(memoryRow('api and worker', program));
  } finally {
    await program.stop();
  }
  await database.drop();
}

async function measureSize(world: BenchEnvironment, report: (row: Row) => void): Promise<void> {
  await withSizes(world, async (large, small) => {
    for (const work of ['push', ...SIZED_WORK.filter((one) => one !== 'push')] as const)
      report(
        comparedRow(
          `${work} at 1,000,000 messages`,
          'the same at 1,000',
          { of: 'time', atMost: 1.5 },
          await compareSizes(world, work, large, small, SIZE_ROUNDS),
        ),
      );
    report(
      comparedRow(
        'usage over a year, 1,000,000 messages',
        'a day of a new shop',
        { of: 'time', atMost: 2 },
        await compareUsage(world, large, small, SIZE_ROUNDS),
      ),
    );
  });
}

async function measureDashboard(world: BenchEnvironment, report: (row: Row) => void): Promise<void> {
  await withSizes(world, async (large, small) => {
    await Promise.all([indexSubjects(large.database), indexSubjects(small.database)]);
    for (const work of DASHBOARD_WORK)
      report(
        comparedRow(
          `dashboard: ${work} at 1,000,000 messages`,
          'the same at 1,000',
          { of: 'time', atMost: 1.5 },
          await compareDashboard(world, work, large, small, SIZE_ROUNDS),
        ),
      );
    report(
      comparedRow(
        'single pushes, 16 clients, beside ten people at the dashboard',
        'the same without them',
        { of: 'ratio', atLeast: 0.97 },
        await comparePushesBesidePeople(world, large, { seconds: 6, rounds: 7 }),
      ),
    );
  });
}

async function measureWebhooks(world: BenchEnvironment, report: (row: Row) => void): Promise<void> {
  const database = await world.database('webhooks', 0);
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: console.error };
  const { besideLoop, besideParallel } = await benchWebhooks({
    pool: database.pool,
    clock: systemClock,
    log,
    postgresCpuSeconds: world.postgresCpuSeconds,
  });
  const work = 'webhook deliveries to 8 endpoints';
  report(comparedRow(work, 'undici alone, one after the other', { of: 'ratio', atLeast: 0.5 }, besideLoop));
  report(comparedRow(work, 'undici alone, 64 at once', null, besideParallel));
  await database.drop();
}

async function measureEvents(world: BenchEnvironment, report: (row: Row) => void): Promise<void> {
  const database = await world.database('events', FEWER_RECIPIENTS);
  const program = await startBenchServer(database.url, { ROLES: 'api' });
  const plain = 'the same rows by id, plain SQL';
  const following = (which: 'first' | 'again') => compareFollowing(program, database, which, 3);
  try {
    report(
      comparedRow(
        'following 10,000 events, pages of 1,000',
        plain,
        { of: 'ratio', atLeast: 0.4 },
        await following('again'),
      ),
    );
    report(comparedRow('the same as their first reader', plain, null, await following('first')));
    report(
      measuredRow(
        'an event of another process to a waiting call',
        { of: 'p99', under: 50 },
        await measureWakes(program, database, 200),
      ),
    );
    report(
      measuredRow(
        'database queries per second of 1,000 idle waits',
        null,
        await measureIdleWaits(program, database),
      ),
    );
    report(
      comparedRow(
        'single pushes, 16 clients, beside 1,000 idle waits',
        'the same without them',
        { of: 'time', atMost: 1.2 },
        await comparePushesBesideWaits(world, program, database, ROUNDS),
      ),
    );
    report(memoryRow('api with 1,000 waits', program));
  } finally {
    await program.stop();
  }
  await database.drop();
}

/** Two API processes beside one, each on its own database. On two cores they share what one has for itself. */
async function measureProcesses(world: BenchEnvironment, report: (row: Row) => void): Promise<void> {
  const [twoOn, oneOn] = await Promise.all([
    world.database('two_processes', FEWER_RECIPIENTS),
    world.database('one_process', FEWER_RECIPIENTS),
  ]);
  const two = await startBenchServer(twoOn.url, { ROLES: 'api', PROCESSES: '2' });
  const one = await startBenchServer(oneOn.url, { ROLES: 'api' });
  try {
    const sides = { two: { ...two, database: twoOn }, one: { ...one, database: oneOn } };
    await compareProcesses(world, sides, WARM_UP);
    const compared = await compareProcesses(world, sides, { clients: 64, ...MORE_ROUNDS });
    report(comparedRow('single pushes, 64 clients, PROCESSES=2', 'the same in one process', null, compared));
    const efficiency = perCpuSecond(compared);
    report(comparedRow('the same: pushes per second of CPU time', 'in one process', null, efficiency));
  } finally {
    await two.stop();
    await one.stop();
  }
  await twoOn.drop();
  await oneOn.drop();
}

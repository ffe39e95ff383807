import type { BenchEnvironment } from './environment.ts';
import { MORE_ROUNDS, RECIPIENTS, ROUNDS, WARM_UP } from './plan.ts';
import { startBenchServer } from './program.ts';
import { memoryRow } from './report/memory.ts';
import { comparedRow, measuredRow, type Row } from './report/row.ts';
import { compareBatches } from './rows/batches.ts';
import { compareManyShops, comparePushes, startBareServer } from './rows/pushes.ts';
import { compareLists, compareViews } from './rows/reads.ts';
import { comparePreviews, compareReplays } from './rows/replays.ts';
import { underLoad } from './underLoad.ts';

/** The names of the rows that `--beside` measures, too. */
export const API_ROW = {
  fewClients: 'single pushes, 16 clients',
  manyClients: 'single pushes, 64 clients',
  manyShops: 'single pushes, 64 clients of 64 shops',
  batches: 'pushes in batches of 100, 2 clients',
  view: 'GET message',
  list: 'list of 50',
  replay: 'replay of a spent key',
} as const;

/** The API beside a bare server that writes and reads the same rows. */
export async function measureApi(world: BenchEnvironment, report: (row: Row) => void): Promise<void> {
  const [mine, theirs] = await Promise.all([
    world.database('api', RECIPIENTS),
    world.database('bare', RECIPIENTS),
  ]);
  const program = await startBenchServer(mine.url, { ROLES: 'api' });
  const bare = await startBareServer(theirs);
  const servers = { ours: program, bare };
  try {
    await comparePushes(world, servers, mine, WARM_UP);
    for (const [name, clients, plan] of [
      [API_ROW.fewClients, 16, MORE_ROUNDS],
      [API_ROW.manyClients, 64, ROUNDS],
    ] as const)
      report(
        comparedRow(
          name,
          'bare Fastify, one SQL call',
          { of: 'ratio', atLeast: 1 },
          await comparePushes(world, servers, mine, { clients, ...plan }),
        ),
      );
    report(
      comparedRow(
        API_ROW.manyShops,
        'the same of one shop',
        { of: 'ratio', atLeast: 0.9 },
        await compareManyShops(world, program, mine, ROUNDS),
      ),
    );
    report(
      comparedRow(
        API_ROW.batches,
        'the set-based SQL alone',
        { of: 'ratio', atLeast: 0.5 },
        await compareBatches(world, program, mine, theirs, MORE_ROUNDS),
      ),
    );
    const read = 'bare Fastify, the one query';
    report(
      comparedRow(
        API_ROW.view,
        read,
        { of: 'ratio', atLeast: 0.7 },
        await compareViews(world, servers, mine, theirs, ROUNDS),
      ),
    );
    report(
      comparedRow(
        API_ROW.list,
        read,
        { of: 'ratio', atLeast: 0.7 },
        await compareLists(world, servers, mine, ROUNDS),
      ),
    );
    report(
      comparedRow(
        API_ROW.replay,
        'a push',
        { of: 'ratio', atLeast: 2 },
        await compareReplays(world, program, mine, MORE_ROUNDS),
      ),
    );
    report(
      comparedRow('preview of a push', 'a push', null, await comparePreviews(world, program, mine, ROUNDS)),
    );
    report(memoryRow('api', program));
    report(
      measuredRow(
        'the load generator itself: 64 clients, a handler that does nothing',
        null,
        await underLoad(world, bare, {
          clients: 64,
          seconds: ROUNDS.seconds,
          requests: { kind: 'push', path: '/nothing', apiKey: '', recipients: RECIPIENTS },
        }),
      ),
    );
  } finally {
    await program.stop();
    await bare.stop();
  }
  await mine.drop();
  await theirs.drop();
}

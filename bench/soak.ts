import { countMessages } from '../chaos/auditSql.ts';
import { statement } from '../src/db/statement.ts';
import { markdownTable } from '../test/support/markdownTable.ts';
import { peakMegabytesOf } from './cost.ts';
import type { BenchEnvironment } from './environment.ts';
import { FEWER_RECIPIENTS } from './plan.ts';
import { startBenchServer } from './program.ts';
import { pushLoad } from './rows/loads.ts';

const CLIENTS = 4;
const SAMPLES = 10;

type Count = 'megabytes' | 'live' | 'dead' | 'updates' | 'hot' | 'vacuums';

/** Postgres's statistics of the largest tables. HOT updates touch no index. */
const tableHealth = statement<[], { name: string } & Record<Count, number>>(`
  select relname as name, round(pg_total_relation_size(relid) / 1048576.0, 1)::float as megabytes, n_live_tup as live,
    n_dead_tup as dead, n_tup_upd as updates, n_tup_hot_upd as hot, autovacuum_count as vacuums
  from pg_stat_user_tables where n_tup_ins + n_tup_upd + n_tup_del > 0
  order by pg_total_relation_size(relid) desc limit 14`);

/**
 * Steady load on the whole program, with worker and sandbox, and regular samples of its memory and its tables, to find leaks
 * and bloat.
 */
export async function soak(world: BenchEnvironment, minutes: number): Promise<string> {
  const database = await world.database('soak', FEWER_RECIPIENTS);
  const program = await startBenchServer(world, database);
  const samples: string[][] = [];
  for (let number = 1; number <= SAMPLES; number += 1) {
    const measured = await program.measure(pushLoad(database, CLIENTS), (minutes * 60) / SAMPLES);
    const { perSecond, p99 = 0, rssMegabytes = 0 } = measured;
    const sends = (await tableHealth(database.pool)).find(({ name }) => name === 'sends');
    const minute = (number * minutes) / SAMPLES;
    const figures = [minute, perSecond, p99, rssMegabytes, sends?.dead ?? 0, sends?.megabytes ?? 0];
    samples.push(figures.map((figure) => String(Number(figure.toFixed(1)))));
    console.error(samples.at(-1)?.join(' | '));
  }
  const messages = await countMessages(database.pool);
  const most = Math.round(peakMegabytesOf(program.pid));
  const tables = await tableHealth(database.pool);
  return [
    `${messages.toLocaleString('en-US')} messages were pushed, nudged, captured and reported on. The process never had more than ${most} MB.`,
    markdownTable(
      ['minute', 'pushes a second', 'p99 ms', 'RSS MB', 'dead rows of sends', 'size of sends, MB'],
      samples,
    ),
    markdownTable(
      ['table', 'MB', 'live rows', 'dead rows', 'updates', 'of them HOT', 'autovacuums'],
      tables.map(({ name, megabytes, live, dead, updates, hot, vacuums }) => {
        const ofUpdates = updates === 0 ? '–' : `${Math.round((hot / updates) * 100)}%`;
        return [name, ...[megabytes, live, dead, updates].map(String), ofUpdates, String(vacuums)];
      }),
    ),
  ].join('\n\n');
}

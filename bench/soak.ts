import { peakMegabytesOf, usageOf } from './cost.ts';
import type { BenchEnvironment } from './environment.ts';
import { startBenchServer } from './program.ts';
import { countStoredMessages, type TableHealth, tableHealth } from './soakSql.ts';

const CLIENTS = 4;
const SAMPLES = 10;
const RECIPIENTS = 20_000;

interface Sample {
  minute: number;
  pushesPerSecond: number;
  p99: number;
  rssMegabytes: number;
  tables: TableHealth[];
}

/**
 * Steady load on the whole program, with worker and sandbox, and regular samples of its memory and its tables, to find leaks
 * and bloat.
 */
export async function soak(world: BenchEnvironment, minutes: number): Promise<string> {
  const database = await world.database('soak', RECIPIENTS);
  const program = await startBenchServer(database.url);
  const samples: Sample[] = [];
  try {
    for (let number = 1; number <= SAMPLES; number += 1) {
      const { count, seconds, p99 } = await world.load({
        port: program.port,
        clients: CLIENTS,
        seconds: (minutes * 60) / SAMPLES,
        requests: {
          kind: 'push',
          path: '/api/v1/messages',
          apiKey: database.apiKey,
          recipients: RECIPIENTS,
        },
      });
      const sample = {
        minute: (number * minutes) / SAMPLES,
        pushesPerSecond: count / seconds,
        p99,
        rssMegabytes: usageOf(program.pid).rssMegabytes,
        tables: await tableHealth(database.pool),
      };
      samples.push(sample);
      console.error(lineOf(sample));
    }
    const [messages] = await countStoredMessages(database.pool);
    return report(samples, messages?.count ?? 0, peakMegabytesOf(program.pid));
  } finally {
    await program.stop();
  }
}

function report(samples: readonly Sample[], messages: number, mostMegabytes: number): string {
  const last = samples.at(-1);
  const head = '| minute | pushes a second | p99 ms | RSS MB | dead rows of sends | size of sends, MB |';
  const tables = '| table | MB | live rows | dead rows | updates | of them HOT | autovacuums |';
  return [
    `${messages.toLocaleString('en-US')} messages were pushed, nudged, captured and reported on. The process never had more than ${Math.round(mostMegabytes)} MB.`,
    '',
    head,
    '|---|---|---|---|---|---|',
    ...samples.map(lineOf),
    '',
    tables,
    '|---|---|---|---|---|---|---|',
    ...(last?.tables ?? []).map(
      ({ name, megabytes, live, dead, updates, hot, vacuums }) =>
        `| ${name} | ${megabytes} | ${live} | ${dead} | ${updates} | ${updates === 0 ? '–' : `${Math.round((hot / updates) * 100)}%`} | ${vacuums} |`,
    ),
  ].join('\n');
}

function lineOf({ minute, pushesPerSecond, p99, rssMegabytes, tables }: Sample): string {
  const sends = tables.find(({ name }) => name === 'sends');
  return `| ${minute.toFixed(1)} | ${Math.round(pushesPerSecond)} | ${p99.toFixed(1)} | ${Math.round(rssMegabytes)} | ${sends?.dead ?? 0} | ${sends?.megabytes ?? 0} |`;
}

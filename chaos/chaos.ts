import { parseArgs } from 'node:util';
import { killAllPrograms } from '../test/support/program.ts';
import { runCleanups } from './cleanup.ts';
import { writeChaosDocs } from './docs.ts';
import { allChecksHold, asMarkdown, type ScenarioReport } from './report.ts';
import { runHungWorker, runKilledWorker, runMovedShard } from './scenarios/cluster.ts';
import { runDisk } from './scenarios/disk.ts';
import { runFailover } from './scenarios/failover.ts';
import { runFaults } from './scenarios/faults.ts';
import { runHostile } from './scenarios/hostile.ts';
import { runNoisy } from './scenarios/noisy.ts';
import { runOverload } from './scenarios/overload.ts';
import { runPatroni } from './scenarios/patroni.ts';
import { runUpgrade } from './scenarios/upgrade.ts';

const say = (line: string): void => console.error(line);

interface Options {
  pushes: number;
  seconds: number;
  seed: number;
  rounds: number;
  from: string | null;
}

const SCENARIOS: Record<string, (options: Options) => Promise<ScenarioReport>> = {
  faults: (options) => runFaults({ ...options, say }),
  failover: runFailover,
  patroni: runPatroni,
  cluster: runKilledWorker,
  'cluster-hang': runHungWorker,
  'cluster-move': runMovedShard,
  upgrade: runUpgrade,
  disk: runDisk,
  overload: runOverload,
  noisy: runNoisy,
  hostile: ({ rounds }) => runHostile({ rounds }),
};

const HELP = `npm run chaos -- [options]
  --pushes N      pushes of the run under faults (10000)
  --seconds N     how long faults go on (150)
  --seed N        which faults (1)
  --rounds N      turns of the run beside hostile shops (5)
  --from REF      the version that is upgraded, built from git (this tree)
  --only NAME     ${Object.keys(SCENARIOS).join(', ')}; may be given several times
  --json          print the figures as JSON
  --write-docs    put the figures into docs/reliability.md`;

/** Runs the scenarios and prints their reports. Returns the exit status. */
export async function chaos(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      pushes: { type: 'string', default: '10000' },
      seconds: { type: 'string', default: '150' },
      seed: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '5' },
      from: { type: 'string' },
      only: { type: 'string', multiple: true, default: Object.keys(SCENARIOS) },
      json: { type: 'boolean', default: false },
      'write-docs': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const options = {
    pushes: Number(values.pushes),
    seconds: Number(values.seconds),
    seed: Number(values.seed),
    rounds: Number(values.rounds),
    from: values.from ?? null,
  };
  const reports: ScenarioReport[] = [];
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void interrupt());
  try {
    for (const name of values.only) {
      const scenario = Object.hasOwn(SCENARIOS, name) ? SCENARIOS[name] : undefined;
      if (!scenario) throw new Error(`There is no scenario "${name}": ${Object.keys(SCENARIOS).join(', ')}.`);
      say(`— ${name}`);
      reports.push(await scenario(options));
    }
  } finally {
    await killAllPrograms();
  }
  console.log(values.json ? JSON.stringify(reports, null, 2) : reports.map(asMarkdown).join('\n\n'));
  for (const { checks } of reports)
    for (const { promise, violations, examples } of checks)
      if (violations > 0) say(`\nBroken: ${promise}\n  ${examples.join('\n  ')}`);
  if (values['write-docs']) await writeChaosDocs(reports, args);
  return allChecksHold(reports) ? 0 : 1;
}

/** Stops the child processes and Postgres, which would outlive this process. */
async function interrupt(): Promise<void> {
  await runCleanups();
  await killAllPrograms();
  process.exit(130);
}

import { parseArgs } from 'node:util';
import { atEnd, closeWhenInterrupted, thenClose } from '../bench/cleanup.ts';
import { findCheckout } from '../bench/otherCheckout.ts';
import { killAllPrograms } from '../test/support/program.ts';
import { asMarkdown, brokenPromises, type ScenarioReport, writeChaosDocs } from './report.ts';
import { runHungWorker, runKilledWorker, runMovedShard } from './scenarios/cluster.ts';
import { runDisk } from './scenarios/disk.ts';
import { runFailover } from './scenarios/failover.ts';
import { runFaults } from './scenarios/faults.ts';
import { runHostile } from './scenarios/hostile.ts';
import { runNoisy } from './scenarios/noisy.ts';
import { runOutage } from './scenarios/outage.ts';
import { runOverload } from './scenarios/overload.ts';
import { runPatroni } from './scenarios/patroni.ts';
import { runStoreCalls } from './scenarios/store.ts';
import { runUpgrade } from './scenarios/upgrade.ts';

const say = (line: string): void => console.error(line);

const SCENARIOS = {
  faults: ['Processes, database, network and providers failing at once', runFaults],
  store: ['A store that sends, retries and repeats beside the same faults', runStoreCalls],
  outage: ['The first of two email providers fails', runOutage],
  failover: ['The primary is lost and its standby promoted', runFailover],
  patroni: ['Patroni promotes the standby', runPatroni],
  cluster: ['A worker of a Citus cluster is killed and comes back', runKilledWorker],
  'cluster-hang': ['A worker of a Citus cluster hangs and goes on', runHungWorker],
  'cluster-move': ['A shard of a Citus cluster moves to the other worker', runMovedShard],
  upgrade: ['An upgrade without a stop', runUpgrade],
  disk: ['A full disk under the embedded database', runDisk],
  overload: ['More callers than can be served', runOverload],
  noisy: ['One shop a hundred times as loud as others', runNoisy],
  hostile: ['Hostile shops beside well-behaved ones', runHostile],
} as const;
const EXAMPLES = 5;
const NAMES = Object.keys(SCENARIOS);

const HELP = `npm run chaos -- [options]
  --pushes N      pushes of the run under faults (10000)
  --seconds N     how long faults go on (150; beside a store at least 80)
  --seed N        which faults (1)
  --rounds N      turns of the run beside hostile shops (5)
  --from FOLDER   the version that is upgraded, a checkout after npm ci and npm run build (this one)
  --only NAME     ${NAMES.join(', ')}; may be given several times
  --json          print the figures as JSON
  --write-docs    put the figures into docs/reliability.md`;

const isScenario = (name: string): name is keyof typeof SCENARIOS => Object.hasOwn(SCENARIOS, name);

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
      only: { type: 'string', multiple: true, default: NAMES },
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
    from: values.from === undefined ? null : findCheckout('--from', values.from),
    say,
  };
  closeWhenInterrupted();
  const reports: ScenarioReport[] = [];
  for (const name of values.only) {
    if (!isScenario(name)) throw new Error(`There is no scenario "${name}": ${NAMES.join(', ')}.`);
    const [scenario, run] = SCENARIOS[name];
    say(`— ${name}`);
    const found = await thenClose(() => {
      atEnd(killAllPrograms);
      return run(options);
    });
    reports.push({ scenario, ...found });
  }
  console.log(values.json ? JSON.stringify(reports, null, 2) : reports.map(asMarkdown).join('\n\n'));
  const broken = brokenPromises(reports);
  for (const [promise, by] of broken) say([`\nBroken: ${promise}`, ...by.slice(0, EXAMPLES)].join('\n  '));
  if (values['write-docs']) await writeChaosDocs(reports, args);
  return broken.length === 0 ? 0 : 1;
}

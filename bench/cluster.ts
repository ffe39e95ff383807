import { hasCitus, startCitusCluster } from '../chaos/citusCluster.ts';
import { registerCleanup } from '../chaos/cleanup.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPool } from '../src/db/pool.ts';
import { OperatorError } from '../src/kit/errors.ts';
import { markdownTable } from '../test/support/markdownTable.ts';
import { startSystemPostgres, systemPostgresFolder } from '../test/support/systemPostgres.ts';
import { type ClusterSide, openClusterSide, type UnitCost } from './clusterSide.ts';
import { inTurn, type Round } from './measure.ts';
import { startReceiver } from './webhookReceiver.ts';

export interface ClusterRow {
  name: string;
  /** `ours` is the cluster, `baseline` one Postgres. */
  rounds: Round<UnitCost>[];
}

type Step = [name: string, run: (side: ClusterSide) => Promise<UnitCost>];

const CONNECTIONS = 28;
const CLIENTS = 64;
const SHOPS = 64;
/** A provider with many reports may put them into one callback. */
const TOGETHER = 20;
const WARM_UP = 0.1;

/** The steps of a round, in order. One client pushes an eighth of its shop's messages. */
const stepsOf = (messages: number): Step[] => [
  ['pushes, one client', (side) => side.push(messages / 8, 1, 1)],
  [`pushes, ${CLIENTS} clients of one shop`, (side) => side.push((messages * 7) / 8, CLIENTS, 1)],
  ...stepsAfterPush(messages, 'one shop'),
  [`pushes, ${CLIENTS} clients of ${SHOPS} shops`, (side) => side.push(messages, CLIENTS, SHOPS)],
  ...stepsAfterPush(messages, `${SHOPS} shops`),
];

const stepsAfterPush = (messages: number, whose: string): Step[] => [
  [`emails of ${whose}`, (side) => side.send(messages)],
  [`reports of ${whose}, one per callback`, (side) => side.report(messages / 2, 1)],
  [`reports of ${whose}, ${TOGETHER} per callback`, (side) => side.report(messages / 2, TOGETHER)],
  [`webhooks of ${whose}`, (side) => side.deliver(messages)],
];

/** A coordinator with two workers beside one Postgres, both with the stock settings of the operating system's. They wait for fsync. */
export async function benchCluster(
  folder: string,
  say: (text: string) => void,
  { messages = 1_280, rounds = 5 } = {},
): Promise<ClusterRow[]> {
  const programs = systemPostgresFolder();
  if (programs === null || !hasCitus(programs))
    throw new OperatorError('cluster needs a Postgres of the operating system with the extension citus.');
  const closers: (() => Promise<unknown>)[] = [];
  const stop = registerCleanup(async () => {
    for (const close of closers.toReversed()) await close();
  });
  try {
    const receiver = await startReceiver();
    closers.push(receiver.stop);
    const postgres = await startSystemPostgres(programs, { fsync: 'on' });
    closers.push(postgres.stop);
    await migrate(postgres.url);
    const pool = openPool(postgres.url, { max: CONNECTIONS, name: 'bench', onError: () => {} });
    closers.push(() => pool.end());
    const cluster = await startCitusCluster(programs, folder, CONNECTIONS);
    closers.push(cluster.stop);
    const one = await openClusterSide(pool, [postgres.pid], SHOPS, receiver.port);
    closers.push(one.stop);
    const many = await openClusterSide(cluster.pool, cluster.pids(), SHOPS, receiver.port);
    closers.push(many.stop);

    for (const [, run] of stepsOf(messages * WARM_UP)) for (const side of [one, many]) await run(side);
    const rows = new Map<string, ClusterRow['rounds']>();
    for (let number = 0; number < rounds; number += 1)
      for (const [name, run] of stepsOf(messages)) {
        const round = await inTurn(
          number,
          () => run(many),
          () => run(one),
        );
        rows.set(name, [...(rows.get(name) ?? []), round]);
        say(`round ${number + 1} of ${rounds}, ${name}: ${cpuRatio(round).toFixed(1)}`);
      }
    return Array.from(rows, ([name, done]) => ({ name, rounds: done }));
  } finally {
    await stop();
  }
}

const cpuOf = ({ cpuMs }: UnitCost): number => cpuMs.reduce((sum, ms) => sum + ms, 0);
const cpuRatio = ({ ours, baseline }: Round<UnitCost>): number => cpuOf(ours) / cpuOf(baseline);
const shown = (ms: number): string => `${ms.toFixed(ms < 1 ? 2 : 1)} ms`;
const rate = (perSecond: number): string => Math.round(perSecond).toLocaleString('en-US');

const HEAD = [
  'processor time of the database per unit',
  'one Postgres',
  'coordinator',
  'workers',
  'cluster / one Postgres',
  'one Postgres, per second',
  'cluster, per second',
];

/** Of each row the round with the median ratio. */
export const clusterTable = (rows: readonly ClusterRow[]): string =>
  markdownTable(
    HEAD,
    rows.map(({ name, rounds }) => {
      const median = rounds.toSorted((a, b) => cpuRatio(a) - cpuRatio(b))[Math.floor(rounds.length / 2)];
      if (median === undefined) return [name];
      const { ours, baseline } = median;
      const [coordinator = 0] = ours.cpuMs;
      const cpu = [cpuOf(baseline), coordinator, cpuOf(ours) - coordinator].map(shown);
      return [name, ...cpu, cpuRatio(median).toFixed(1), rate(baseline.perSecond), rate(ours.perSecond)];
    }),
  );

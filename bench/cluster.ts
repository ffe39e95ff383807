import { setTimeout as pause } from 'node:timers/promises';
import { citusProgramsFolder, startCitusCluster } from '../chaos/citusCluster.ts';
import { openChaosPool } from '../chaos/postgres.ts';
import { createBusiness } from '../src/businesses/create.ts';
import { handleReports } from '../src/callbacks/reports.ts';
import { migrate } from '../src/db/migrate.ts';
import type { Pool } from '../src/db/pool.ts';
import { SECOND } from '../src/kit/clock.ts';
import { OperatorError } from '../src/kit/errors.ts';
import { createLog } from '../src/kit/log.ts';
import type { Loop } from '../src/kit/loop.ts';
import type { ApiKeyRef } from '../src/push/callers.ts';
import { BEHIND_MS } from '../src/webhooks/endpointQueue.ts';
import { markdownTable } from '../test/support/markdownTable.ts';
import { startSystemPostgres } from '../test/support/systemPostgres.ts';
import { atEnd } from './cleanup.ts';
import { postgresCpuSecondsOf } from './cost.ts';
import { inParallel, inTurn, type Round, timeOf } from './measure.ts';
import { startInstantOutbox } from './outboxProcess.ts';
import { createPushOne, IN_PROCESS_CONNECTIONS, openPushDeps } from './pushInProcess.ts';
import { openWebhooks, startReceiver } from './rows/webhooks.ts';

/** What a unit of some work costs a database. */
interface UnitCost {
  perSecond: number;
  /** Processor time of each server in milliseconds, the coordinator's first. */
  cpuMs: number[];
}

type ClusterSide = Awaited<ReturnType<typeof openClusterSide>>;

export interface ClusterRow {
  name: string;
  /** `ours` is the cluster, `baseline` one Postgres. */
  rounds: Round<UnitCost>[];
}

type Step = [name: string, run: (side: ClusterSide) => Promise<UnitCost>];

const CLIENTS = 64;
const SHOPS = 64;
/** A provider with many reports may put them into one callback. */
const TOGETHER = 20;
const WARM_UP = 0.1;
const CALLBACKS_AT_ONCE = 16;

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
  say: (text: string) => void,
  { messages = 1_280, rounds = 5 } = {},
): Promise<ClusterRow[]> {
  const programs = citusProgramsFolder();
  if (programs === null)
    throw new OperatorError('cluster needs a Postgres of the operating system with the extension citus.');
  const receiver = await startReceiver();
  const postgres = await startSystemPostgres(programs, { fsync: 'on' });
  atEnd(postgres.stop);
  await migrate(postgres.url);
  const pool = openChaosPool(postgres.url, IN_PROCESS_CONNECTIONS);
  const cluster = await startCitusCluster(programs, IN_PROCESS_CONNECTIONS);
  const one = await openClusterSide(pool, [postgres.pid()], receiver.port);
  const many = await openClusterSide(cluster.pool, cluster.pids, receiver.port);

  for (const [, run] of stepsOf(messages * WARM_UP)) for (const side of [one, many]) await run(side);
  const rows = new Map<string, ClusterRow['rounds']>();
  for (let number = 0; number < rounds; number += 1)
    for (const [name, run] of stepsOf(messages)) {
      const measure = (side: ClusterSide) => () => run(side);
      const round = await inTurn(number, measure(many), measure(one));
      rows.set(name, [...(rows.get(name) ?? []), round]);
      say(`round ${number + 1} of ${rounds}, ${name}: ${cpuRatio(round).toFixed(1)}`);
    }
  return Array.from(rows, ([name, done]) => ({ name, rounds: done }));
}

/** A database on which messages go their whole way, step by step: each step leaves its work to the next. */
async function openClusterSide(pool: Pool, servers: readonly number[], receiverPort: number) {
  const deps = await openPushDeps(pool);
  const { clock } = deps;
  const push = createPushOne(deps);
  const webhooks = openWebhooks({ ...deps, log: createLog('warn') }, receiverPort);
  const shops: ApiKeyRef[] = [];
  for (let number = 0; number < SHOPS; number += 1) {
    const shop = await createBusiness(pool, clock, { name: `Shop ${number}` });
    await webhooks.addEndpoint(shop, shop.businessId);
    shops.push(shop);
  }
  /** Of sends that no report has come for. */
  let references: string[] = [];

  /** `work` resolves to the number of units that it did. */
  const costOf = async (units: number, work: () => Promise<number>): Promise<UnitCost> => {
    const before = servers.map(postgresCpuSecondsOf);
    const milliseconds = await timeOf(async () => {
      const done = await work();
      if (done !== units) throw new Error(`${done} were done, not ${units}`);
    });
    const spent = servers.map((server, at) => postgresCpuSecondsOf(server) - (before[at] ?? 0));
    return {
      perSecond: (units * SECOND) / milliseconds,
      cpuMs: spent.map((seconds) => (seconds * SECOND) / units),
    };
  };
  /** Works off all that is due. */
  const drain = async (units: number, loop: Pick<Loop, 'drain' | 'stop'>, done: () => number) => {
    const cost = await costOf(units, () => loop.drain().then(done));
    await loop.stop();
    return cost;
  };
  const reporting = { ...deps, onEvents: () => {}, onSends: () => {} };
  const report = { provider: 'bench', status: 'delivered', errorCode: null } as const;

  return {
    /** Pushes in turn for the first shops. */
    push: (messages: number, clients: number, ofShops: number) =>
      costOf(messages, async () => {
        await inParallel(messages, clients, async (number) => {
          const shop = shops[number % ofShops];
          if (shop) await push(shop);
        });
        return messages;
      }),
    /** Sends their emails. */
    send(messages: number) {
      references = [];
      const outbox = startInstantOutbox(deps, ({ reference }) => references.push(reference));
      return drain(messages, outbox, () => references.length);
    },
    /** Reports the emails as delivered, in callbacks of `each` reports. */
    report: (messages: number, each: number) =>
      costOf(messages, async () => {
        const reports = references
          .splice(0, messages)
          .map((reference) => ({ ...report, reportId: reference, reference }));
        let done = 0;
        await inParallel(Math.ceil(messages / each), CALLBACKS_AT_ONCE, async (number) => {
          const callback = reports.slice(number * each, (number + 1) * each);
          const { applied } = await handleReports(reporting, callback);
          done += applied;
        });
        return done;
      }),
    /** Sends the events about that to the shops' endpoints. */
    async deliver(messages: number) {
      await pause(BEHIND_MS);
      let done = 0;
      const loop = webhooks.begin((outcome) => {
        if (outcome === 'delivered') done += 1;
      });
      return drain(messages, loop, () => done);
    },
  };
}

const cpuOf = ({ cpuMs }: UnitCost): number => cpuMs.reduce((sum, ms) => sum + ms, 0);
const cpuRatio = ({ ours, baseline }: Round<UnitCost>): number => cpuOf(ours) / cpuOf(baseline);
const shown = (ms: number): string => `${ms.toFixed(ms < 1 ? 2 : 1)} ms`;
const rate = (perSecond: number): string => Math.round(perSecond).toLocaleString('en-US');

const COSTS = ['processor time of the database per unit', 'one Postgres', 'coordinator', 'workers'];
const RATES = ['cluster / one Postgres', 'one Postgres, per second', 'cluster, per second'];

/** Of each row the round with the median ratio. */
export const clusterTable = (rows: readonly ClusterRow[]): string =>
  markdownTable(
    [...COSTS, ...RATES],
    rows.map(({ name, rounds }) => {
      const median = rounds.toSorted((a, b) => cpuRatio(a) - cpuRatio(b))[Math.floor(rounds.length / 2)];
      if (median === undefined) return [name];
      const { ours, baseline } = median;
      const [coordinator = 0] = ours.cpuMs;
      const cpu = [cpuOf(baseline), coordinator, cpuOf(ours) - coordinator].map(shown);
      return [name, ...cpu, cpuRatio(median).toFixed(1), rate(baseline.perSecond), rate(ours.perSecond)];
    }),
  );

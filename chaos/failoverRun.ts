import { setTimeout as sleep } from 'node:timers/promises';
import { createBusiness } from '../src/businesses/create.ts';
import type { Pool } from '../src/db/pool.ts';
import { monotonicMs, SECOND, systemClock } from '../src/kit/clock.ts';
import { expectStatus, Shop } from '../test/support/shop.ts';
import { auditRun } from './audit.ts';
import { unknownOutcomes } from './auditSql.ts';
import { openFaultyReceiver } from './faultyReceiver.ts';
import { followFeed } from './feedFollower.ts';
import { startFleet } from './fleet.ts';
import { openLoadBalancer } from './loadBalancer.ts';
import type { PushResults } from './merchants.ts';
import type { ReplicatedPostgres } from './postgresPair.ts';
import { openProviderServers } from './providers/providerServers.ts';
import { createReportSender } from './providers/reports.ts';
import { check, type ScenarioReport } from './report.ts';
import type { SeededRandom } from './seededRandom.ts';
import { settle } from './settle.ts';

const NEXT_PUSH_WITHIN_MS = 3 * SECOND;
/** As long as a worker waits for a provider's answer at most. */
const IN_PROGRESS_MS = 10 * SECOND;
const PROBE_EVERY_MS = 20;
const LINE_SHOWN = 1_000;

export interface FailoverRun {
  readonly chance: SeededRandom;
  readonly postgres: ReplicatedPostgres;
  /** The address of the database for the processes: it leads to the primary, as DNS or a proxy decides it. */
  readonly databaseUrl: string;
  /** The load, until it has made its pushes or the failovers are over. */
  readonly push: (shop: { baseUrl: string; apiKey: string }, isOver: () => boolean) => Promise<PushResults>;
  readonly failOver: () => Promise<Failovers>;
}

export interface Failovers {
  readonly times: readonly FailoverTimes[];
  readonly figures: ScenarioReport['figures'];
}

export interface FailoverTimes {
  readonly lostAt: Date;
  /** When the new primary accepts writes. */
  readonly promotedAt: Date;
  /** From then to the first push that is taken. */
  readonly takenAfterMs: number;
}

/** Two API processes and two workers under load while the primary changes; nothing else fails. */
export async function pushThroughFailovers(
  run: FailoverRun,
): Promise<Pick<ScenarioReport, 'figures' | 'checks'>> {
  const { chance, postgres } = run;
  const closers: (() => Promise<void> | void)[] = [];
  try {
    const { baseUrl, targets, proxy } = await openLoadBalancer(chance);
    const reports = createReportSender(baseUrl);
    const providers = await openProviderServers(reports, chance);
    providers.heal();
    const receiver = await openFaultyReceiver(chance, 'some');
    receiver.heal();
    closers.push(proxy.close, providers.close, receiver.close);
    const env = {
      DATABASE_URL: run.databaseUrl,
      SECRET_KEY: 'the same secret for every process',
      PUBLIC_URL: baseUrl,
      RATE_LIMIT_PER_SECOND: '0',
      WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${receiver.port}`,
      ...providers.env.postmark,
    };
    const fleet = await startFleet({ api: [env, env], workers: [env, env] }, chance);
    closers.unshift(fleet.stop);
    targets.push(...fleet.apiPorts);
    await fleet.allUp();
    const business = { name: 'Shop', credits: 1_000_000 };
    const { businessId, apiKey } = await createBusiness(postgres.pool(), systemClock, business);
    const endpoint = expectStatus<{ id: string; secret: string }>(
      201,
      await new Shop(baseUrl, businessId, apiKey).call('POST', '/api/v1/webhook-endpoints', {
        body: { url: `http://127.0.0.1:${receiver.port}/hook` },
      }),
    );
    receiver.secret = endpoint.secret;

    const followers = [followFeed(baseUrl, apiKey), followFeed(baseUrl, apiKey)];
    let isOver = false;
    const [pushed, { times, figures }] = await Promise.all([
      run.push({ baseUrl, apiKey }, () => isOver),
      run.failOver().finally(() => {
        isOver = true;
      }),
    ]);
    await settle(postgres.pool());
    await reports.allDelivered();
    const left = await settle(postgres.pool());
    await Promise.all(followers.map(({ finish }) => finish()));
    const events = await postgres.pool().query<{ id: string }>('select id from events');
    // An answer says nothing of its cause, and the log is gone after the run.
    const [first] = pushed.unexpected;
    if (first !== undefined) {
      const lines = fleet.logged('request failed').map((line) => line.slice(0, LINE_SHOWN));
      pushed.unexpected[0] = [first, ...lines].join('\n  ');
    }
    const found = await auditRun({
      pool: postgres.pool(),
      businessIds: [businessId],
      pushed,
      providerLog: providers.providerLog,
      receivers: new Map([[endpoint.id, receiver]]),
    });
    const unknown = await unknownOutcomes(postgres.pool());
    return {
      figures: {
        'pushes acknowledged': pushed.acknowledged.length,
        'answers by status (0: none)': statusesOf(pushed),
        ...figures,
        'sends with an unknown outcome': unknown.length,
      },
      checks: [
        ...found.checks,
        check('nothing is left to do', left.sends + left.deliveries === 0 ? [] : [JSON.stringify(left)]),
        check(
          'each follower of the feed saw every event exactly once, in the same order',
          followers.flatMap(({ seen }) => feedFaults(seen, followers[0]?.seen ?? [], events.rows)),
        ),
        check('no process ended by itself', fleet.endedByThemselves),
        check('no process was restarted', fleet.counts.starts === 4 ? [] : [`${fleet.counts.starts} starts`]),
        check(
          `the next push is taken within ${NEXT_PUSH_WITHIN_MS / SECOND} s of the promotion`,
          times.flatMap(({ takenAfterMs: ms }) => (ms > NEXT_PUSH_WITHIN_MS ? [`${Math.round(ms)} ms`] : [])),
        ),
        check(
          'an outcome is unknown only where the primary was lost during the call',
          unknown.flatMap(({ id, submitted_at: at }) =>
            wasInProgress(times, at) ? [] : [`${id}, submitted at ${at?.toISOString()}`],
          ),
        ),
      ],
    };
  } finally {
    for (const close of closers) await close();
  }
}

/** Resolves to the time from now to the next push that is stored. */
export async function timeToNextPush(pool: Pool): Promise<number> {
  const began = monotonicMs();
  const stored = async (): Promise<number> => {
    const { rows } = await pool.query<{ count: number }>('select count(*)::int from messages');
    return rows[0]?.count ?? 0;
  };
  const before = await stored();
  while ((await stored()) === before) await sleep(PROBE_EVERY_MS);
  return monotonicMs() - began;
}

/** What is wrong with what a follower saw: nothing, or the ids that were missed or came twice, or the order. */
function feedFaults(
  seen: readonly string[],
  ofTheFirst: readonly string[],
  events: readonly { id: string }[],
): string[] {
  const all = new Set(seen);
  const missed = events.flatMap(({ id }) => (all.has(id) ? [] : [id]));
  const twice = seen.filter((id, at) => seen.indexOf(id) !== at);
  const counts = `${seen.length} of ${events.length}`;
  if (missed.length > 0 || twice.length > 0 || seen.length !== events.length) {
    return [`${counts}; missed: ${missed.join(' ') || 'none'}; twice: ${twice.join(' ') || 'none'}`];
  }
  return seen.join() === ofTheFirst.join() ? [] : [`${counts}, in another order than the first follower`];
}

const statusesOf = ({ statuses }: PushResults): string =>
  Object.entries(statuses)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ');

/** Whether a call that began at this time can have been in progress when a primary was lost. */
const wasInProgress = (times: readonly FailoverTimes[], at: Date | null): boolean =>
  at !== null &&
  times.some(
    ({ lostAt, promotedAt }) => at.getTime() >= lostAt.getTime() - IN_PROGRESS_MS && at <= promotedAt,
  );

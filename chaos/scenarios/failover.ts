import { setTimeout as sleep } from 'node:timers/promises';
import { createBusiness } from '../../src/businesses/create.ts';
import { monotonicMs, SECOND, systemClock } from '../../src/kit/clock.ts';
import { expectStatus, Shop } from '../../test/support/shop.ts';
import { systemPostgresFolder } from '../../test/support/systemPostgres.ts';
import { auditRun } from '../audit.ts';
import { runFolder } from '../cleanup.ts';
import { openFaultProxy } from '../faultProxy.ts';
import { openFaultyReceiver } from '../faultyReceiver.ts';
import { followFeed } from '../feedFollower.ts';
import { startFleet } from '../fleet.ts';
import { type PushResults, pushAll } from '../merchants.ts';
import { callsFor } from '../orders.ts';
import { type PostgresPair, startPostgresPair } from '../postgresPair.ts';
import { openProviderServers } from '../providers/providerServers.ts';
import { createReportSender } from '../providers/reports.ts';
import { type Check, check, type ScenarioReport } from '../report.ts';
import { seededRandom } from '../seededRandom.ts';
import { settle } from '../settle.ts';

/** How the primary is lost, and what its clients see of it until the standby is promoted. */
interface Loss {
  readonly name: string;
  readonly lose: (pair: PostgresPair, route: Route) => void;
}

/** Where the address of the database leads, as DNS or a proxy decides it. */
interface Route {
  to: 'primary' | 'standby';
}

const LOSSES: readonly Loss[] = [
  { name: 'killed', lose: (pair) => pair.killPrimary() },
  { name: 'silent', lose: (pair) => pair.freezePrimary() },
  {
    name: 'killed, and the address leads to the standby before it is promoted',
    lose: (pair, route) => {
      pair.killPrimary();
      route.to = 'standby';
    },
  },
];

const PUSHES = 1_500;
const OVER_MS = 15 * SECOND;
const LOST_AFTER_MS = 4 * SECOND;
/** As long as an operator's tool takes to notice. */
const PROMOTED_AFTER_MS = 4 * SECOND;
const NEXT_PUSH_WITHIN_MS = 3 * SECOND;
const PROBE_EVERY_MS = 20;
const NOT_INSTALLED =
  'it needs a Postgres of the operating system, for a primary and a standby: apt-get install postgresql.';

/** A primary with a synchronous standby is lost in several ways; nothing else fails. */
export async function runFailover({ seed }: { seed: number }): Promise<ScenarioReport> {
  const scenario = 'The primary is lost and its standby promoted';
  const programs = systemPostgresFolder();
  if (programs === null) return { scenario, skipped: NOT_INSTALLED, figures: {}, checks: [] };
  const checks = new Map<string, Check>();
  const figures: ScenarioReport['figures'] = {};
  for (const loss of LOSSES) {
    const found = await failOver(programs, loss, seed);
    for (const [name, value] of Object.entries(found.figures)) figures[`${loss.name}: ${name}`] = value;
    for (const one of found.checks) checks.set(one.promise, added(checks.get(one.promise), one));
  }
  return { scenario, figures, checks: [...checks.values()] };
}

async function failOver(
  programs: string,
  { lose }: Loss,
  seed: number,
): Promise<Pick<ScenarioReport, 'figures' | 'checks'>> {
  const chance = seededRandom(seed);
  const folder = await runFolder();
  const pair = await startPostgresPair(programs, folder.path);
  const closers: (() => Promise<void> | void)[] = [];
  try {
    const route: Route = { to: 'primary' };
    const database = await openFaultProxy('database', () => pair[route.to], chance);
    let turn = 0;
    const ports: number[] = [];
    const front = await openFaultProxy(
      'clients',
      () => ({ host: '127.0.0.1', port: ports[turn++ % ports.length] ?? 0 }),
      chance,
    );
    const baseUrl = `http://127.0.0.1:${front.port}`;
    const reports = createReportSender(baseUrl);
    const providers = await openProviderServers(reports, chance);
    providers.heal();
    const receiver = await openFaultyReceiver(chance, 'some');
    receiver.heal();
    closers.push(database.close, front.close, providers.close, receiver.close);
    const env = {
      DATABASE_URL: pair.urlThrough(database.port),
      SECRET_KEY: 'the same secret for every process',
      PUBLIC_URL: baseUrl,
      RATE_LIMIT_PER_SECOND: '0',
      WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${receiver.port}`,
      ...providers.env.postmark,
    };
    const fleet = await startFleet({ api: [env, env], workers: [env, env] }, chance);
    closers.unshift(fleet.stop);
    ports.push(...fleet.apiPorts);
    await fleet.allUp();
    const business = { name: 'Shop', credits: 1_000_000 };
    const { businessId, apiKey } = await createBusiness(pair.pool(), systemClock, business);
    const endpoint = expectStatus<{ id: string; secret: string }>(
      201,
      await new Shop(baseUrl, businessId, apiKey).call('POST', '/api/v1/webhook-endpoints', {
        body: { url: `http://127.0.0.1:${receiver.port}/hook` },
      }),
    );
    receiver.secret = endpoint.secret;

    const followers = [followFeed(baseUrl, apiKey), followFeed(baseUrl, apiKey)];
    const [pushed, takenAfterMs] = await Promise.all([
      pushAll(callsFor(PUSHES, 1), { baseUrl, apiKeys: [apiKey], overMs: OVER_MS, chance }),
      promoteAfterLoss(),
    ]);
    await settle(pair.pool());
    await reports.allDelivered();
    const left = await settle(pair.pool());
    await Promise.all(followers.map(({ finish }) => finish()));
    const events = await pair.pool().query<{ id: string }>('select id from events');
    const found = await auditRun({
      pool: pair.pool(),
      businessIds: [businessId],
      pushed,
      providerLog: providers.providerLog,
      receivers: new Map([[endpoint.id, receiver]]),
    });
    const unknown = found.figures['sends failed (outcome_unknown)'] ?? 0;
    return {
      figures: {
        'pushes acknowledged': pushed.acknowledged.length,
        'answers by status (0: none)': statusesOf(pushed),
        'promotion to the next 201, ms': Math.round(takenAfterMs),
        'sends with an unknown outcome': unknown,
      },
      checks: [
        ...found.checks,
        check('nothing is left to do', left.sends + left.deliveries === 0 ? [] : [JSON.stringify(left)]),
        check(
          'each follower of the feed saw every event exactly once, in the same order',
          followers.flatMap(({ seen }) =>
            isSameSet(seen, events.rows) && seen.join() === followers[0]?.seen.join()
              ? []
              : [`${seen.length} of ${events.rows.length}`],
          ),
        ),
        check('no process ended by itself', fleet.endedByThemselves),
        check('no process was restarted', fleet.counts.starts === 4 ? [] : [`${fleet.counts.starts} starts`]),
        check(
          `the next push is taken within ${NEXT_PUSH_WITHIN_MS / SECOND} s of the promotion`,
          takenAfterMs <= NEXT_PUSH_WITHIN_MS ? [] : [`${Math.round(takenAfterMs)} ms`],
        ),
      ],
    };

    /** Resolves to the time from the promotion to the first push that is taken after it. */
    async function promoteAfterLoss(): Promise<number> {
      await sleep(LOST_AFTER_MS);
      lose(pair, route);
      await sleep(PROMOTED_AFTER_MS);
      await pair.promote();
      route.to = 'standby';
      const promoted = monotonicMs();
      const stored = async (): Promise<number> => {
        const { rows } = await pair.pool().query<{ count: number }>('select count(*)::int from messages');
        return rows[0]?.count ?? 0;
      };
      const before = await stored();
      while ((await stored()) === before) await sleep(PROBE_EVERY_MS);
      return monotonicMs() - promoted;
    }
  } finally {
    for (const close of closers) await close();
    await pair.stop();
    await folder.remove();
  }
}

const isSameSet = (seen: readonly string[], events: readonly { id: string }[]): boolean =>
  seen.length === events.length &&
  new Set(seen).size === events.length &&
  events.every(({ id }) => seen.includes(id));

const added = (before: Check | undefined, one: Check): Check => ({
  ...one,
  violations: one.violations + (before?.violations ?? 0),
  examples: [...(before?.examples ?? []), ...one.examples],
});

const statusesOf = ({ statuses }: PushResults): string =>
  Object.entries(statuses)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ');

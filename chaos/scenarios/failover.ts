import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND, systemClock } from '../../src/kit/clock.ts';
import { systemPostgresFolder } from '../../test/support/systemPostgres.ts';
import { runFolder } from '../cleanup.ts';
import { pushThroughFailovers, timeToNextPush } from '../failoverRun.ts';
import { openFaultProxy } from '../faultProxy.ts';
import { pushAll } from '../merchants.ts';
import { callsFor } from '../orders.ts';
import { type PostgresPair, startPostgresPair } from '../postgresPair.ts';
import type { Check, ScenarioReport } from '../report.ts';
import { seededRandom } from '../seededRandom.ts';

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
  const route: Route = { to: 'primary' };
  const database = await openFaultProxy('database', () => pair[route.to], chance);
  try {
    return await pushThroughFailovers({
      chance,
      postgres: pair,
      databaseUrl: pair.urlThrough(database.port),
      push: ({ baseUrl, apiKey }) =>
        pushAll(callsFor(PUSHES, 1), { baseUrl, apiKeys: [apiKey], overMs: OVER_MS, chance }),
      async failOver() {
        await sleep(LOST_AFTER_MS);
        const lostAt = systemClock.now();
        lose(pair, route);
        await sleep(PROMOTED_AFTER_MS);
        await pair.promote();
        route.to = 'standby';
        const promotedAt = systemClock.now();
        const takenAfterMs = await timeToNextPush(pair.pool());
        return {
          times: [{ lostAt, promotedAt, takenAfterMs }],
          figures: { 'promotion to the next 201, ms': Math.round(takenAfterMs) },
        };
      },
    });
  } finally {
    database.close();
    await pair.stop();
    await folder.remove();
  }
}

const added = (before: Check | undefined, one: Check): Check => ({
  ...one,
  violations: one.violations + (before?.violations ?? 0),
  examples: [...(before?.examples ?? []), ...one.examples],
});

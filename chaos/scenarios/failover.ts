import { setTimeout as sleep } from 'node:timers/promises';
import { thenClose } from '../../bench/cleanup.ts';
import { SECOND, systemClock } from '../../src/kit/clock.ts';
import { seededRandom } from '../../test/support/seededRandom.ts';
import { systemPostgresFolder } from '../../test/support/systemPostgres.ts';
import { pushThroughFailovers, timeToNextPush } from '../failoverRun.ts';
import { openFaultProxy } from '../faultProxy.ts';
import { callsFor, pushAll } from '../merchants.ts';
import { startPostgresPair, superuserUrl } from '../postgres.ts';
import type { ScenarioResult, Skipped, Violations } from '../report.ts';

/** How the primary is lost, and where the address of the database leads until the standby is promoted. */
type Loss = readonly [name: string, signal: 'SIGKILL' | 'SIGSTOP', leadsTo: 'primary' | 'standby'];

const LOSSES: readonly Loss[] = [
  ['killed', 'SIGKILL', 'primary'],
  ['silent', 'SIGSTOP', 'primary'],
  ['killed, and the address leads to the standby before it is promoted', 'SIGKILL', 'standby'],
];

const PUSHES = 1_500;
const OVER_MS = 15 * SECOND;
const LOST_AFTER_MS = 4 * SECOND;
/** As long as an operator's tool takes to notice. */
const PROMOTED_AFTER_MS = 4 * SECOND;
const NOT_INSTALLED =
  'it needs a Postgres of the operating system, for a primary and a standby: apt-get install postgresql.';

/** A primary with a synchronous standby is lost in several ways; nothing else fails. */
export async function runFailover({ seed }: { seed: number }): Promise<ScenarioResult | Skipped> {
  const programs = systemPostgresFolder();
  if (programs === null) return { skipped: NOT_INSTALLED };
  const figures: ScenarioResult['figures'] = {};
  const broken: Violations = {};
  for (const loss of LOSSES) {
    const found = await thenClose(() => failOver(programs, loss, seed));
    for (const [name, value] of Object.entries(found.figures)) figures[`${loss[0]}: ${name}`] = value;
    for (const [promise, by] of Object.entries(found.broken))
      broken[promise] = [...(broken[promise] ?? []), ...by];
  }
  return { figures, broken };
}

async function failOver(programs: string, [, signal, leadsTo]: Loss, seed: number): Promise<ScenarioResult> {
  const chance = seededRandom(seed);
  const pair = await startPostgresPair(programs);
  let address: Loss[2] = 'primary';
  const proxy = await openFaultProxy('database', () => ({ path: pair[address].socket }), chance);
  return pushThroughFailovers({
    chance,
    database: { url: superuserUrl(proxy.port), pool: pair.pool },
    push: (merchants) => pushAll(callsFor(PUSHES, 1), OVER_MS, merchants),
    async failOver() {
      await sleep(LOST_AFTER_MS);
      const lostAt = systemClock.now();
      pair.primary.signal(signal);
      address = leadsTo;
      await sleep(PROMOTED_AFTER_MS);
      await pair.promote();
      address = 'standby';
      const promotedAt = systemClock.now();
      const takenAfterMs = await timeToNextPush(pair.pool());
      return {
        times: [{ lostAt, promotedAt, takenAfterMs }],
        figures: { 'promotion to the next 201, ms': Math.round(takenAfterMs) },
      };
    },
  });
}

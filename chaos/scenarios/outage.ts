import { wallMs } from '../../bench/hostPauses.ts';
import type { Pool } from '../../src/db/pool.ts';
import { monotonicMs, SECOND } from '../../src/kit/clock.ts';
import { seededRandom } from '../../test/support/seededRandom.ts';
import { percentile } from '../../test/support/statistics.ts';
import { eventually } from '../../test/support/waiting.ts';
import { type AuditedSend, acceptedEmails, allSends, emailsWaiting } from '../auditSql.ts';
import { startInstallation } from '../installation.ts';
import { callsFor, pushAll, pushFigures } from '../merchants.ts';
import { startPostgres } from '../postgres.ts';
import type { Condition } from '../providers/outage.ts';
import type { ProviderLog } from '../providers/providerLog.ts';
import type { ScenarioResult, Violations } from '../report.ts';

interface OutageOptions {
  seed: number;
  say: (line: string) => void;
}

const CONDITIONS = ['well', 'down', 'slow', 'lying'] as const;
const SECONDS_EACH = 60;
/** A retry waits longer, so nothing waited for the first provider to come back. */
const WAIT_MAX_MS = 30 * SECOND;
/** Half of what a slow provider takes: two workers have ten calls to it at once, and each takes two seconds. */
const PUSHES_A_SECOND = 2;
const PLAN = {
  credits: [1_000_000, 1_000_000],
  api: 'postmarkThenResend',
  workers: ['postmarkThenResend', 'postmarkThenResend'],
} as const;

/** The first of two email providers is down, then slow, then silent about what it accepted. The second is well all the time. */
export async function runOutage({ seed, say }: OutageOptions): Promise<ScenarioResult> {
  const chance = seededRandom(seed);
  const postgres = await startPostgres();
  const database = { url: postgres.url, pool: () => postgres.pool };
  const installation = await startInstallation(database, chance, PLAN);
  const { merchants, providers, shops } = installation;
  const began = monotonicMs();
  const calls = callsFor(CONDITIONS.length * SECONDS_EACH * PUSHES_A_SECOND, shops.length);
  const callsEach = Math.ceil(calls.length / CONDITIONS.length);
  const pushed = await pushAll([], 0, merchants);
  const phases: Phase[] = [];
  for (const condition of CONDITIONS) {
    say(`the first provider is ${condition}`);
    await providers.setCondition(condition);
    const from = wallMs();
    await pushAll(calls.splice(0, callsEach), SECONDS_EACH * SECOND, merchants, pushed);
    await allEmailsAccepted(postgres.pool);
    phases.push({ condition, from, to: wallMs() });
  }
  await providers.setCondition('well');
  const { figures, broken } = await installation.finish(pushed);
  const emails = await readEmails(postgres.pool, providers.log);
  return {
    figures: {
      ...pushFigures(pushed),
      ...Object.assign({}, ...phases.map((phase) => phaseFigures(emails, phase))),
      'accepted without a report': providers.log.unreported().size,
      ...figures,
      'seconds in all': Math.round((monotonicMs() - began) / SECOND),
    },
    broken: {
      ...broken,
      ...(await brokenByOutage(postgres.pool, providers.log)),
      [`no email waited ${WAIT_MAX_MS / SECOND} s for a provider`]: emails
        .filter(({ waitedMs }) => waitedMs >= WAIT_MAX_MS)
        .map(({ reference, waitedMs }) => `${reference} ${waitedMs} ms`),
    },
  };
}

/** When the first provider was in one condition, in wall-clock milliseconds. */
interface Phase {
  condition: Condition;
  from: number;
  to: number;
}

/** So that no email of one condition waits for the next. */
const allEmailsAccepted = (pool: Pool): Promise<void> =>
  eventually(async () => {
    const [waiting] = await emailsWaiting(pool);
    if (waiting?.count !== 0) throw new Error(`${waiting?.count} emails wait`);
  });

interface AcceptedEmail {
  reference: string;
  pushedAt: number;
  waitedMs: number;
  /** Who accepted it, and why that one was asked. */
  by: string;
}

async function readEmails(pool: Pool, log: ProviderLog): Promise<AcceptedEmail[]> {
  const acceptedAt = new Map(
    log.submits.filter(({ accepted }) => accepted).map(({ reference, at }) => [reference, at]),
  );
  return (await acceptedEmails(pool)).map(
    ({ reference, pushed_at: pushedAt, provider, chosen_because: why }) => ({
      reference,
      pushedAt,
      waitedMs: (acceptedAt.get(reference) ?? Number.POSITIVE_INFINITY) - pushedAt,
      by: `${provider} (${why})`,
    }),
  );
}

function phaseFigures(
  emails: readonly AcceptedEmail[],
  { condition, from, to }: Phase,
): Record<string, string> {
  const those = emails.filter(({ pushedAt }) => pushedAt >= from && pushedAt < to);
  const waits = those.map(({ waitedMs }) => waitedMs);
  return {
    [`${condition}: emails, by who accepted them and why it was asked`]: countsOf(those.map(({ by }) => by)),
    [`${condition}: from push to acceptance: p50, p99 and longest, ms`]: [0.5, 0.99, 1]
      .map((share) => Math.round(percentile(waits, share)))
      .join(', '),
  };
}

const countsOf = (names: readonly string[]): string =>
  [...new Set(names)]
    .sort()
    .map((name) => `${names.filter((one) => one === name).length} ${name}`)
    .join(', ');

async function brokenByOutage(pool: Pool, log: ProviderLog): Promise<Violations> {
  const acceptedBy = log.acceptedBy();
  const unreported = log.unreported();
  const sends = await allSends(pool);
  const those = (isWrong: (send: AuditedSend) => boolean): string[] =>
    sends.filter(isWrong).map(({ reference, state, reason }) => `${reference} ${state} ${reason ?? ''}`);
  return {
    'every nudge that was not cancelled was accepted by one provider, once': those(
      ({ reference, state }) => state !== 'cancelled' && acceptedBy.get(reference)?.length !== 1,
    ),
    'no outcome is unknown': those(({ reason }) => reason === 'outcome_unknown'),
    'what a provider accepted without a report counts as accepted': those(
      ({ reference, state }) => unreported.has(reference) && state !== 'accepted',
    ),
  };
}

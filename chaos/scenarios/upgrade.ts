import { setTimeout as sleep } from 'node:timers/promises';
import { atEnd, runFolder } from '../../bench/cleanup.ts';
import { SECOND } from '../../src/kit/clock.ts';
import { listAt } from '../../src/kit/json.ts';
import { claimPort } from '../../src/server/listening.ts';
import { type Program, startProgram } from '../../test/support/program.ts';
import { seededRandom } from '../../test/support/seededRandom.ts';
import { openSurroundings } from '../installation.ts';
import { pushUntil, statusesOf } from '../merchants.ts';
import { startEmptyPostgres } from '../postgres.ts';
import {
  buildNextVersion,
  buildRelease,
  findCommit,
  type Release,
  runCommand,
  thisVersion,
} from '../release.ts';
import { type ScenarioResult, unless } from '../report.ts';

/** Long enough for pushes and nudges in each phase. */
const PHASE_MS = 5 * SECOND;
const API_PROCESSES = 2;

/**
 * This version, or the one that `from` names, works under load; the next one migrates its database, starts beside it, and takes over.
 * No caller may see a fault.
 */
export async function runUpgrade({
  seed,
  from,
}: {
  seed: number;
  from: string | null;
}): Promise<ScenarioResult> {
  const source = from === null ? null : { name: from, ...(await findCommit(from)) };
  // Not skipped: a run that shows nothing must not pass.
  if (source !== null && 'missing' in source)
    return { figures: {}, broken: { 'the version to upgrade from is there': [source.missing] } };
  const chance = seededRandom(seed);
  const old = source === null ? thisVersion : await buildRelease(source, await runFolder());
  const next = await buildNextVersion(await runFolder());
  const { pool, url } = await startEmptyPostgres();
  const around = await openSurroundings({ url, pool: () => pool }, chance);
  const { baseUrl, targets } = around;
  const env = around.env.postmark;
  const oldProcesses = await startProcesses(old, env);
  targets.push(...oldProcesses.ports);
  const made = await runCommand(old, env, 'business', 'create', '--name', 'Shop', '--credits', '1000000');
  const [businessId, apiKey] = [String(made.business_id), String(made.api_key)];
  await around.addEndpoint({ businessId, apiKey });

  const stored = async (): Promise<number> =>
    (await pool.query<{ count: number }>('select count(*)::int from messages')).rows[0]?.count ?? 0;

  /** The steps of docs/operations.md, and how many pushes were stored at each. */
  const upgrade = async () => {
    await sleep(PHASE_MS);
    const planned = await runCommand(next, env, 'migrate', '--plan');
    const beforeMigration = await stored();
    await runCommand(next, env, 'migrate');
    const afterMigration = await stored();
    const fresh = await startProcesses(next, env);
    targets.push(...fresh.ports);
    const sideBySide = await stored();
    await sleep(PHASE_MS);
    // As a load balancer does, no new connection goes to a process that is about to stop.
    targets.splice(0, targets.length, ...fresh.ports);
    const drained = await stored();
    await oldProcesses.stop();
    return {
      migrations: listAt(planned, 'pending').length,
      beforeMigration,
      afterMigration,
      sideBySide,
      drained,
    };
  };
  let isOver = false;
  const [pushed, steps] = await Promise.all([
    pushUntil(() => isOver, { baseUrl, apiKeys: [apiKey], chance }),
    upgrade().finally(() => {
      isOver = true;
    }),
  ]);
  const byNewAlone = (await stored()) - steps.drained;
  const found = await around.finish(pushed);
  const faults = Object.entries(pushed.statuses).filter(([status]) => Number(status) >= 500);
  return {
    figures: {
      from: old.name,
      to: next.name,
      'migrations applied under load': steps.migrations,
      'pushes acknowledged': pushed.acknowledged.length,
      'pushes stored before, during the migration': `${steps.beforeMigration}, ${steps.afterMigration - steps.beforeMigration}`,
      'pushes stored with both versions': steps.drained - steps.sideBySide,
      'pushes stored by the new version alone': byNewAlone,
      'answers by status (0: the connection was closed, and the call repeated)': statusesOf(pushed.statuses),
      'sends with an unknown outcome': found.figures['sends failed (outcome_unknown)'] ?? 0,
    },
    broken: {
      ...found.broken,
      'no answer is a 5xx': faults.map(([status, count]) => `${count} times ${status}`),
      'every process of the old version exited cleanly on SIGTERM': oldProcesses.badEnds,
      'both versions took pushes': unless(
        steps.drained > steps.sideBySide && byNewAlone > 0 && steps.beforeMigration > 0,
        steps,
      ),
      'the upgrade had migrations to apply': unless(steps.migrations > 0, 'none'),
    },
  };
}

interface Processes {
  ports: number[];
  /** What a process printed that ended with another status than 0. */
  badEnds: string[];
  stop(): Promise<void>;
}

/** API processes and a worker of one version. */
async function startProcesses({ name, server }: Release, env: Record<string, string>): Promise<Processes> {
  const ports = await Promise.all(Array.from({ length: API_PROCESSES }, () => claimPort('127.0.0.1')));
  const start = (more: Record<string, string>): Promise<Program> =>
    startProgram({ ...env, ...more }, { script: server });
  const programs = [
    ...(await Promise.all(ports.map((port) => start({ ROLES: 'api', PORT: String(port) })))),
    await start({ ROLES: 'worker', PORT: '0' }),
  ];
  const badEnds: string[] = [];
  const stop = async (): Promise<void> => {
    for (const program of programs.splice(0)) {
      const status = await program.end();
      if (status !== 0) badEnds.push(`${name}: ${status} ${program.printed().slice(-500)}`);
    }
  };
  atEnd(stop);
  return { ports, badEnds, stop };
}

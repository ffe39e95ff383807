import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbedded } from '../../src/db/embedded/embedded.ts';
import { openPool } from '../../src/db/pool.ts';
import { SECOND } from '../../src/kit/clock.ts';
import { listAt } from '../../src/kit/json.ts';
import { claimPort } from '../../src/server/listening.ts';
import { type Program, startProgram } from '../../test/support/program.ts';
import { expectStatus, Shop } from '../../test/support/shop.ts';
import { auditRun } from '../audit.ts';
import { registerCleanup, runFolder } from '../cleanup.ts';
import { openFaultyReceiver } from '../faultyReceiver.ts';
import { openLoadBalancer } from '../loadBalancer.ts';
import { pushUntil, statusesOf } from '../merchants.ts';
import { openProviderServers } from '../providers/providerServers.ts';
import { createReportSender } from '../providers/reports.ts';
import {
  buildNextVersion,
  buildRelease,
  findCommit,
  type Release,
  runCommand,
  thisVersion,
} from '../release.ts';
import { check, type ScenarioReport } from '../report.ts';
import { seededRandom } from '../seededRandom.ts';
import { settle } from '../settle.ts';

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
}): Promise<ScenarioReport> {
  const scenario = 'An upgrade without a stop';
  const source = from === null ? null : { name: from, ...(await findCommit(from)) };
  // Not skipped: a run that shows nothing must not pass.
  if (source !== null && 'missing' in source)
    return {
      scenario,
      figures: {},
      checks: [check('the version to upgrade from is there', [source.missing])],
    };
  const chance = seededRandom(seed);
  const folder = await runFolder();
  const closers: (() => unknown)[] = [];
  try {
    const old = source === null ? thisVersion : await buildRelease(source, join(folder.path, 'release'));
    const next = await buildNextVersion(join(folder.path, 'next'));
    const postgres = await startEmbedded({
      dataDir: join(folder.path, 'data'),
      settings: { max_connections: '200' },
    });
    closers.unshift(registerCleanup(() => postgres.stop()));
    const pool = openPool(postgres.url, { max: 4, name: 'chaos', onError: () => {} });
    closers.unshift(() => pool.end());

    const { baseUrl, targets, proxy } = await openLoadBalancer(chance);
    const reports = createReportSender(baseUrl);
    const providers = await openProviderServers(reports, chance);
    providers.heal();
    const receiver = await openFaultyReceiver(chance, 'some');
    receiver.heal();
    closers.push(proxy.close, providers.close, receiver.close);
    const env: Record<string, string> = {
      DATABASE_URL: postgres.url,
      SECRET_KEY: '7d0c4c1fa2e5497b8c1e0d5f6a3b9274',
      PUBLIC_URL: baseUrl,
      RATE_LIMIT_PER_SECOND: '0',
      WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${receiver.port}`,
      ...providers.env.postmark,
    };

    const oldProcesses = await startProcesses(old, env);
    targets.push(...oldProcesses.ports);
    closers.unshift(oldProcesses.stop);
    const made = await runCommand(old, env, 'business', 'create', '--name', 'Shop', '--credits', '1000000');
    const [businessId, apiKey] = [String(made.business_id), String(made.api_key)];
    const endpoint = expectStatus<{ id: string; secret: string }>(
      201,
      await new Shop(baseUrl, businessId, apiKey).call('POST', '/api/v1/webhook-endpoints', {
        body: { url: `http://127.0.0.1:${receiver.port}/hook` },
      }),
    );
    receiver.secret = endpoint.secret;

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
      closers.unshift(fresh.stop);
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
      pushUntil(() => isOver, { baseUrl, apiKey, chance }),
      upgrade().finally(() => {
        isOver = true;
      }),
    ]);
    const byNewAlone = (await stored()) - steps.drained;
    await settle(pool);
    await reports.allDelivered();
    const left = await settle(pool);
    const found = await auditRun({
      pool,
      businessIds: [businessId],
      pushed,
      providerLog: providers.providerLog,
      receivers: new Map([[endpoint.id, receiver]]),
    });
    const faults = Object.entries(pushed.statuses).filter(([status]) => Number(status) >= 500);
    return {
      scenario,
      figures: {
        from: old.name,
        to: next.name,
        'migrations applied under load': steps.migrations,
        'pushes acknowledged': pushed.acknowledged.length,
        'pushes stored before, during the migration': `${steps.beforeMigration}, ${steps.afterMigration - steps.beforeMigration}`,
        'pushes stored with both versions': steps.drained - steps.sideBySide,
        'pushes stored by the new version alone': byNewAlone,
        'answers by status (0: the connection was closed, and the call repeated)': statusesOf(pushed),
        'sends with an unknown outcome': found.figures['sends failed (outcome_unknown)'] ?? 0,
      },
      checks: [
        ...found.checks,
        check(
          'no answer is a 5xx',
          faults.map(([status, count]) => `${count} times ${status}`),
        ),
        check('nothing is left to do', left.sends + left.deliveries === 0 ? [] : [JSON.stringify(left)]),
        check('every process of the old version exited cleanly on SIGTERM', oldProcesses.badEnds),
        check(
          'both versions took pushes',
          steps.drained > steps.sideBySide && byNewAlone > 0 && steps.beforeMigration > 0
            ? []
            : [JSON.stringify(steps)],
        ),
        check('the upgrade had migrations to apply', steps.migrations > 0 ? [] : ['none']),
      ],
    };
  } finally {
    for (const close of closers) await close();
    await folder.remove();
  }
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
  return {
    ports,
    badEnds,
    stop: registerCleanup(async () => {
      const statuses = await Promise.all(programs.map((program) => program.end()));
      for (const [n, status] of statuses.entries())
        if (status !== 0) badEnds.push(`${name}: ${status} ${programs[n]?.printed().slice(-500)}`);
    }),
  };
}

import { type Demo, ensureDemo } from '../businesses/demo.ts';
import { startDatabaseClock } from '../db/databaseClock.ts';
import { startEmbedded } from '../db/embedded/embedded.ts';
import { explainDatabaseError } from '../db/faults.ts';
import { migrate } from '../db/migrate.ts';
import type { Pool } from '../db/pool.ts';
import { connectPool } from '../db/route.ts';
import { type Config, readConfig, sandboxOn } from '../environment/config.ts';
import { secretKeys } from '../environment/secretKey.ts';
import { systemClock } from '../kit/clock.ts';
import { OperatorError } from '../kit/errors.ts';
import { createLog, type Log } from '../kit/log.ts';
import { demoSignInToken } from '../members/demoLink.ts';
import {
  banner,
  claimPort,
  EXPOSED_WARNING,
  sandboxAccessKey,
  sandboxAddress,
  sandboxIsExposed,
} from './listening.ts';
import { embeddedConnections, layoutOf } from './processLayout.ts';
import { startWarnings } from './readiness.ts';
import { SharedPort } from './sharedPort.ts';
import { prepareShutdown, type Shutdown } from './signals.ts';
import { Supervisor, type SupervisorDeps } from './supervisor.ts';

/** Starts the configured roles and prints what to do next. */
async function start(shutdown: Shutdown): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const [databaseUrl, runService] = await Promise.all([openDatabase(config, shutdown), loadService(config)]);
  const port = config.port === 0 ? await claimPort(config.host) : config.port;
  const publicUrl = config.publicUrl ?? `http://localhost:${port}`;
  const keys = await secretKeys(config);
  const place = { databaseUrl, secretKeys: keys, publicUrl };
  const portToListenOn = listens(config) ? port : null;
  const pool =
    runService !== null
      ? (await runService({ ...place, config, log }, portToListenOn, shutdown)).pool
      : await runProcesses(config, place, portToListenOn, log, shutdown);
  for (const warning of startWarnings(config, publicUrl)) log.warn({}, warning);
  const sandboxKey = sandboxIsExposed(config, publicUrl) ? sandboxAccessKey(keys[0] ?? '') : null;
  if (sandboxKey !== null) log.warn({}, EXPOSED_WARNING);
  if (shutdown.begun()) return;
  if (config.databaseUrl === null && sandboxOn(config)) {
    const demo = await makeDemo(pool, databaseUrl, { dataDir: config.dataDir, baseUrl: publicUrl });
    console.log(banner({ ...demo, publicUrl, sandboxKey }));
  } else {
    console.log(`Waypost is ${listens(config) ? `listening on ${publicUrl}` : 'working'}.`);
    if (sandboxKey !== null)
      console.log(`The sandbox is at ${sandboxAddress(publicUrl, '/sandbox', sandboxKey)}`);
  }
}

/** A worker without the api role serves its health only if PORT is set. */
const listens = (config: Config): boolean => config.roles.api || process.env.PORT !== undefined;

/**
 * Nearly all of the program. It is not loaded for a start that its settings prevent, nor by a supervisor, whose processes load it
 * themselves.
 */
const loadService = async (config: Config) =>
  config.processes === 1 ? (await import('./wire.ts')).runService : null;

/** Several processes under this one, which then has no pool. */
async function runProcesses(
  config: Config,
  place: SupervisorDeps['place'],
  portNumber: number | null,
  log: Log,
  shutdown: Shutdown,
): Promise<null> {
  const plans = layoutOf(config.roles, config.processes);
  const port = portNumber === null ? null : await SharedPort.open(config.host, portNumber);
  const supervisor = new Supervisor({ plans, place, port, log, onGivenUp: fail });
  shutdown.add(supervisor.stop);
  await supervisor.ready;
  return null;
}

/** The demo shop, and a link that signs in to its dashboard. A supervisor has no pool of its own. */
async function makeDemo(
  pool: Pool | null,
  databaseUrl: string,
  where: { dataDir: string; baseUrl: string },
): Promise<{ demo: Demo; signInToken: string | null }> {
  if (pool === null) {
    const options = { max: 1, name: 'start', onError: () => {} };
    const { pool: own } = await connectPool({ url: databaseUrl, directUrl: null }, options);
    return makeDemo(own, databaseUrl, where).finally(() => own.end());
  }
  const demo = await ensureDemo(pool, systemClock, where);
  // The link ends by the clock that the sandbox may have moved.
  const clock = await startDatabaseClock(pool, () => {});
  try {
    return { demo, signInToken: await demoSignInToken(pool, clock.now()) };
  } finally {
    clock.stop();
  }
}

/** Opens the database and migrates it. */
async function openDatabase(config: Config, shutdown: Shutdown): Promise<string> {
  let url = config.databaseUrl;
  if (url === null) {
    const starting = startEmbedded({ dataDir: config.dataDir, settings: embeddedConnections(config) });
    // Registered before it has started, so that a signal meanwhile stops it too.
    shutdown.add(() =>
      starting.then(
        ({ stop }) => stop(),
        () => {},
      ),
    );
    ({ url } = await starting);
  }
  await migrate(config.databaseDirectUrl ?? url).catch((error: unknown) => {
    throw explainDatabaseError(error);
  });
  return url;
}

const shutdown = prepareShutdown({ interrupted: 0 });

function fail(error: unknown): void {
  console.error(error instanceof OperatorError ? error.message : error);
  shutdown.begin(1);
}

start(shutdown).catch(fail);

import { ensureDemo } from '../businesses/demo.ts';
import { type Config, readConfig, sandboxOn } from '../config/config.ts';
import { secretKeys } from '../config/secretKey.ts';
import { startEmbedded } from '../db/embedded/embedded.ts';
import { explainDatabaseError } from '../db/faults.ts';
import { migrate } from '../db/migrate.ts';
import { systemClock } from '../kit/clock.ts';
import { OperatorError } from '../kit/errors.ts';
import { createLog } from '../kit/log.ts';
import {
  banner,
  claimPort,
  EXPOSED_WARNING,
  explainListenError,
  sandboxAddress,
  sandboxIsExposed,
} from './listening.ts';
import { startWarnings } from './readiness.ts';
import { sandboxAccessKey } from './sandbox.ts';
import { prepareShutdown, type Shutdown } from './signals.ts';
import { wire } from './wire.ts';

/** Starts the configured roles and prints what to do next. */
async function start(shutdown: Shutdown): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const databaseUrl = await openDatabase(config, shutdown);
  const port = config.port === 0 ? await claimPort(config.host) : config.port;
  const publicUrl = config.publicUrl ?? `http://localhost:${port}`;
  const keys = await secretKeys(config);
  const service = await wire({ config, databaseUrl, secretKeys: keys, publicUrl, log });
  shutdown.add(service.stop);
  if (listens(config)) {
    await service.app.listen({ host: config.host, port }).catch((error: unknown) => {
      throw explainListenError(error, config.host, port);
    });
  }
  for (const warning of startWarnings(config, publicUrl)) log.warn({}, warning);
  const sandboxKey = sandboxIsExposed(config, publicUrl) ? sandboxAccessKey(keys[0] ?? '') : null;
  if (sandboxKey !== null) log.warn({}, EXPOSED_WARNING);
  if (shutdown.begun()) return;
  if (config.databaseUrl === null && sandboxOn(config)) {
    const demo = await ensureDemo(service.pool, systemClock, { dataDir: config.dataDir, baseUrl: publicUrl });
    console.log(banner({ demo, publicUrl, sandboxKey }));
  } else {
    console.log(`Waypost is ${listens(config) ? `listening on ${publicUrl}` : 'working'}.`);
    if (sandboxKey !== null)
      console.log(`The sandbox is at ${sandboxAddress(publicUrl, '/sandbox', sandboxKey)}`);
  }
}

/** A worker without the api role serves its health only if PORT is set. */
const listens = (config: Config): boolean => config.roles.api || process.env.PORT !== undefined;

/** Opens the database and migrates it. */
async function openDatabase(config: Config, shutdown: Shutdown): Promise<string> {
  let url = config.databaseUrl;
  if (url === null) {
    const starting = startEmbedded({ dataDir: config.dataDir });
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
start(shutdown).catch((error: unknown) => {
  console.error(error instanceof OperatorError ? error.message : error);
  shutdown.begin(1);
});

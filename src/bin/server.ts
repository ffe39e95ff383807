import { mkdir } from 'node:fs/promises';
import { ensureDemo } from '../businesses/demo.ts';
import { type Config, readConfig, sandboxOn } from '../config/config.ts';
import { secretKeys } from '../config/secretKey.ts';
import { startEmbedded } from '../db/embedded/embedded.ts';
import { migrate } from '../db/migrate.ts';
import { systemClock } from '../kit/clock.ts';
import { messageOf, OperatorError } from '../kit/errors.ts';
import { createLog } from '../kit/log.ts';
import { banner } from './banner.ts';
import { claimPort, explainListenError } from './listening.ts';
import { sandboxWarnings } from './readiness.ts';
import { onSignals } from './signals.ts';
import { wire } from './wire.ts';

/** Starts everything this process was told to do, and says what to do next. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const stops: (() => Promise<void>)[] = [];
  // From here on a signal must find what there is to stop, however far the start has come.
  const stopping = onSignals(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  const keys = await secretKeys(config);
  const database = await openDatabase(config, stops);
  await migrate(database).catch((error: unknown) => {
    throw new OperatorError(`The database could not be brought up to date: ${messageOf(error)}`);
  });
  const port = config.port === 0 ? await claimPort(config.host) : config.port;
  const publicUrl = config.publicUrl ?? `http://localhost:${port}`;
  const service = await wire({ config, databaseUrl: database, secretKeys: keys, publicUrl, log });
  stops.push(service.stop);
  if (listens(config)) {
    await service.app.listen({ host: config.host, port }).catch((error: unknown) => {
      throw explainListenError(error, config.host, port);
    });
  }
  for (const warning of sandboxWarnings(config)) log.warn({}, warning);
  if (stopping()) return;
  if (config.databaseUrl === null && !config.production) {
    const demo = await ensureDemo(service.pool, systemClock, { dataDir: config.dataDir, baseUrl: publicUrl });
    console.log(banner({ demo, publicUrl, sandbox: sandboxOn(config) }));
  } else {
    console.log(`Waypost is ${listens(config) ? `listening on ${publicUrl}` : 'working'}.`);
  }
}

/** A worker alone is asked for its health only where it was given a port of its own. */
const listens = (config: Config): boolean => config.roles.api || process.env.PORT !== undefined;

async function openDatabase(config: Config, stops: (() => Promise<void>)[]): Promise<string> {
  if (config.databaseUrl !== null) return config.databaseUrl;
  await mkdir(config.dataDir, { recursive: true });
  const embedded = await startEmbedded({ dataDir: config.dataDir });
  stops.push(embedded.stop);
  return embedded.url;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof OperatorError ? error.message : error);
  process.exitCode = 1;
  process.kill(process.pid, 'SIGTERM');
}

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LaunchOptions, startProgram } from '../test/support/program.ts';

/** A server in its own process. */
export interface BenchServer {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

export const THIS_CHECKOUT = fileURLToPath(new URL('..', import.meta.url));
/** What `npm start` runs. */
const START = join(THIS_CHECKOUT, 'scripts/start.mjs');
const BUILT_SERVER = 'dist/program/start.js';
/** In a checkout from before the program was bundled. */
const OLDER_BUILT_SERVER = 'dist/server/start.js';
/** Higher than any load here: the rate limiter counts calls and refuses none. */
const UNREACHED_RATE = '1000000';

/**
 * The flags of `npm start`. Without them V8 lets the heap grow to four times the live data on a machine with much memory,
 * and a process of 150 MB takes 250.
 */
export function nodeFlags(checkout = THIS_CHECKOUT): string[] {
  const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
  return String(scripts.start)
    .split(' ')
    .filter((word) => word.startsWith('--'));
}

/** Where the built server of a checkout is, or would be. */
export const builtServer = (checkout: string): string =>
  [BUILT_SERVER, OLDER_BUILT_SERVER].find((file) => existsSync(join(checkout, file))) ?? BUILT_SERVER;

/** The default ones, but for the rate limit. */
export const benchSettings = (databaseUrl: string): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  SECRET_KEY: 'the secret that the benchmark gives to each of its processes',
  RATE_LIMIT_PER_SECOND: UNREACHED_RATE,
  RATE_LIMIT_BURST: UNREACHED_RATE,
  LOG_LEVEL: 'info',
});

/** Starts the program as `npm start` does, with its default settings and its log, on this database. */
export const startBenchServer = (
  databaseUrl: string,
  env: Record<string, string> = {},
): Promise<BenchServer> =>
  startServer({ ...benchSettings(databaseUrl), ...env }, { nodeFlags: nodeFlags(), script: START });

/**
 * Starts the API of a checkout as it is built. `npm start` would first look whether to install and build, and must not do
 * that in a folder of somebody else's.
 */
export const startBuiltServer = (checkout: string, databaseUrl: string): Promise<BenchServer> =>
  startServer(
    { ...benchSettings(databaseUrl), ROLES: 'api' },
    { nodeFlags: nodeFlags(checkout), script: join(checkout, builtServer(checkout)) },
  );

async function startServer(env: Record<string, string>, how: LaunchOptions): Promise<BenchServer> {
  // The log is written, but not read: reading it would cost this process CPU time.
  const { child, url, end } = await startProgram(env, { ...how, discardLog: true });
  return {
    pid: child.pid ?? 0,
    port: Number(new URL(url).port),
    stop: async () => void (await end()),
  };
}

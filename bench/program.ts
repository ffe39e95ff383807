import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProgram } from '../test/support/program.ts';
import { startChild } from './children.ts';
import { atEnd } from './cleanup.ts';
import { costOf } from './cost.ts';
import type { BenchDatabase, BenchEnvironment } from './environment.ts';
import type { RowLoad } from './load/generator.ts';
import type { Measured } from './measure.ts';

/** A server in its own process, on its database. */
export interface BenchServer {
  readonly pid: number;
  readonly port: number;
  readonly database: BenchDatabase;
  /** Its throughput under load, and the CPU time of each process. */
  measure(load: RowLoad, seconds: number): Promise<Measured>;
}

export const THIS_CHECKOUT = fileURLToPath(new URL('..', import.meta.url));
/** What `npm start` runs. */
const START = join(THIS_CHECKOUT, 'scripts/start.mjs');
export const BUILT_SERVER = 'dist/program/start.js';
export const API_ONLY = { ROLES: 'api' };
/** Higher than any load here: the rate limiter counts calls and refuses none. */
const UNREACHED_RATE = '1000000';

/**
 * The flags of `npm start`. Without them V8 lets the heap grow to four times the live data on a machine with much memory,
 * and a process of 150 MB takes 250.
 */
export function nodeFlags(checkout = THIS_CHECKOUT): string[] {
  const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
  return scripts.start.split(' ').filter((word: string) => word.startsWith('--'));
}

/** The default ones, but for the rate limit. */
export const benchSettings = (databaseUrl: string): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  SECRET_KEY: 'the secret that the benchmark gives to each of its processes',
  RATE_LIMIT_PER_SECOND: UNREACHED_RATE,
  RATE_LIMIT_BURST: UNREACHED_RATE,
  LOG_LEVEL: 'info',
});

/**
 * Starts the program as `npm start` does, with its default settings and its log. That of another checkout is started as it is
 * built: `npm start` would first look whether to install and build, and must not do that in a folder of somebody else's.
 */
export async function startBenchServer(
  world: BenchEnvironment,
  database: BenchDatabase,
  env: Record<string, string> = {},
  builtIn?: string,
): Promise<BenchServer> {
  const settings = { ...benchSettings(database.url), ...env };
  const script = builtIn === undefined ? START : join(builtIn, BUILT_SERVER);
  // The log is written, but not read: reading it would cost this process CPU time.
  const how = { nodeFlags: nodeFlags(builtIn), script, discardLog: true };
  const { child, url, end } = await startProgram(settings, how);
  atEnd(end);
  return underLoad(world, database, child.pid ?? 0, Number(new URL(url).port));
}

/** A server of the benchmark's own: by default plain Fastify with one SQL call per request. */
export async function startBareServer(
  world: BenchEnvironment,
  database: BenchDatabase,
  file = 'limits/bareServer.ts',
  options: Record<string, string> = {},
): Promise<BenchServer> {
  const { url, businessId } = database;
  const child = await startChild(file, { url, businessId, ...options });
  return underLoad(world, database, child.pid, await child.call<number>('port'));
}

const underLoad = (
  world: BenchEnvironment,
  database: BenchDatabase,
  pid: number,
  port: number,
): BenchServer => ({
  pid,
  port,
  database,
  // The CPU counters include the generator's warm-up.
  measure: ({ units = 1, ...load }, ofSeconds) =>
    costOf(world, [pid], async () => {
      const done = await world.load({ ...load, port, seconds: ofSeconds });
      const { count, seconds, p50, p99, cpuSeconds } = done;
      return { perSecond: (count * units) / seconds, p50, p99, generatorCpu: cpuSeconds / seconds };
    }),
});

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startProgram } from '../test/support/program.ts';

/** A server in its own process. */
export interface BenchServer {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

/** What `npm start` runs. */
const START = fileURLToPath(new URL('../scripts/start.mjs', import.meta.url));
/** Higher than any load here: the rate limiter counts calls and refuses none. */
const UNREACHED_RATE = '1000000';

/**
 * The flags of `npm start`. Without them V8 lets the heap grow to four times the live data on a machine with much memory,
 * and a process of 150 MB takes 250.
 */
export function nodeFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return String(scripts.start)
    .split(' ')
    .filter((word) => word.startsWith('--'));
}

/** Starts the program as `npm start` does, with its default settings and its log, on this database. */
export async function startBenchServer(
  databaseUrl: string,
  env: Record<string, string> = {},
): Promise<BenchServer> {
  const { child, url, end } = await startProgram(
    {
      DATABASE_URL: databaseUrl,
      SECRET_KEY: 'the secret that the benchmark gives to each of its processes',
      RATE_LIMIT_PER_SECOND: UNREACHED_RATE,
      RATE_LIMIT_BURST: UNREACHED_RATE,
      LOG_LEVEL: 'info',
      ...env,
    },
    // The log is written, but not read: reading it would cost this process CPU time.
    { nodeFlags: nodeFlags(), script: START, discardLog: true },
  );
  return {
    pid: child.pid ?? 0,
    port: Number(new URL(url).port),
    stop: async () => void (await end()),
  };
}

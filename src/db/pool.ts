import pg from 'pg';
import { closeSilentConnections } from './silence.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** No statement of ours should take this long; one that does is stuck, and holds a connection others need. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** How long a connection may be idle before TCP asks whether the other end is still there. */
const KEEPALIVE_AFTER_MS = 10_000;
/** Waiting longer for a lock than this means its holder is stuck; the caller is told to come back. */
const LOCK_TIMEOUT_MS = 5_000;
/**
 * Our transactions go from statement to statement without a pause. A process that makes one stands still or is gone,
 * and the locks it holds (a recipient's, a business's credits) would turn others away: shorter than they wait for a lock.
 */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 4_000;

/**
 * A connection that is not needed for a while is kept: a new one has everything to learn, and plans each statement
 * anew, just when there is the most to do. `max` bounds them.
 */
const KEPT = 0;

// Counts and offsets are far below 2^53: as numbers they are easier to handle than as text.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export type Pool = pg.Pool;
export type Client = pg.PoolClient;

/** A pool on one Postgres. `onError` hears of idle connections that broke; the pool replaces them by itself. */
export function openPool(
  url: string,
  options: { max: number; name: string; onError: (error: Error) => void; statementTimeoutMs?: number },
): Pool {
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max,
    application_name: `waypost ${options.name}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_AFTER_MS,
    options: startupOptions(),
    idleTimeoutMillis: KEPT,
    // Statements that need no answer of one another go out together; they still run in their order.
    pipeline: true,
  });
  return preparePool(pool, { ...options, statementTimeoutMs });
}

/** What every pool of ours has in common. */
export function preparePool(
  pool: Pool,
  {
    onError,
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
  }: { onError: (error: Error) => void; statementTimeoutMs?: number },
): Pool {
  pool.on('error', onError);
  pool.on('connect', writeOnceATurn);
  closeSilentConnections(pool, statementTimeoutMs);
  return pool;
}

/**
 * Our statements touch a few rows each, and compiling one takes a thousand times as long as running it. Postgres compiles
 * what it believes to be expensive, which a plan made for a full table may look like.
 */
export const startupOptions = (settings: Readonly<Record<string, string>> = {}): string =>
  Object.entries({ jit: 'off', ...settings })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

/** What is sent in one turn of the event loop leaves in one write: each of its own would wake the database once more. */
export function writeOnceATurn({ connection: { stream } }: Client): void {
  const write = stream.write;
  let gathering = false;
  stream.write = (...sent: unknown[]): boolean => {
    if (!gathering) {
      gathering = true;
      stream.cork();
      process.nextTick(() => {
        gathering = false;
        stream.uncork();
      });
    }
    return Reflect.apply(write, stream, sent);
  };
}

/**
 * For work in lists that name every row by its key: a plan made while the tables were empty would scan them ever
 * after, so plans are made for the indexes, once. And for work that is simply done again when the database crashes
 * and takes back its last moment: a commit does not wait for the disk.
 */
const SETTINGS = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
  synchronous_commit: 'off',
} as const;

/** Connections of a worker's own, to the same database as those of the process. */
export function openWorkerPool(
  pool: Pool,
  { max, onError }: { max: number; onError: (error: Error) => void },
): Pool {
  return preparePool(new pg.Pool({ ...pool.options, max, options: startupOptions(SETTINGS) }), { onError });
}

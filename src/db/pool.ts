import pg from 'pg';
import { closeSilentConnections } from './silence.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** A statement that takes this long is stuck, and occupies a connection that others need. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** The idle time after which TCP probes the other end. */
const KEEPALIVE_AFTER_MS = 10_000;
/** If a lock takes longer than this, its holder is stuck; the caller gets a 503. */
const LOCK_TIMEOUT_MS = 5_000;
/**
 * Our transactions send one statement after another without a pause. A process that pauses is stalled or gone,
 * and its locks (a recipient's, a business's credits) block others: so this is shorter than the lock timeout.
 */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 4_000;

/**
 * Idle connections are kept: a new one would plan every statement again, just when the load is highest. `max`
 * bounds them.
 */
const NEVER = 0;

// Counts and offsets are far below 2^53, so numbers are safe.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export type Pool = pg.Pool;
export type Client = pg.PoolClient;

/** A pool on one Postgres. `onError` is called for idle connections that fail; the pool replaces them. */
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
    idleTimeoutMillis: NEVER,
    // Independent statements are sent without waiting for each other; they still run in order.
    pipeline: true,
  });
  return preparePool(pool, { ...options, statementTimeoutMs });
}

function preparePool(
  pool: Pool,
  {
    onError,
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
  }: { onError: (error: Error) => void; statementTimeoutMs?: number },
): Pool {
  pool.on('error', onError);
  pool.on('connect', writeOncePerTurn);
  closeSilentConnections(pool, statementTimeoutMs);
  return pool;
}

/**
 * Our statements touch a few rows each, and JIT compilation takes a thousand times as long as running one.
 * Postgres compiles plans that it believes to be expensive, which a plan for a full table can look like.
 */
const startupOptions = (settings: Readonly<Record<string, string>> = {}): string =>
  Object.entries({ jit: 'off', ...settings })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

/** Sends everything of one event loop turn in one write: each separate write would wake the database once more. */
function writeOncePerTurn({ connection: { stream } }: Client): void {
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
 * For work in lists that name every row by its key: a plan made while the tables are empty would scan them
 * forever, so these settings force index plans. Also for work that is repeated if a crash loses its last commits:
 * asynchronous commit.
 */
const WORKER_SETTINGS = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
  synchronous_commit: 'off',
} as const;

/** A worker's own pool, on the same database as the process's pool. */
export function openWorkerPool(
  pool: Pool,
  { max, onError }: { max: number; onError: (error: Error) => void },
): Pool {
  return preparePool(new pg.Pool({ ...pool.options, max, options: startupOptions(WORKER_SETTINGS) }), {
    onError,
  });
}

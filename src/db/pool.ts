import pg from 'pg';
import { closeSilentConnections, findBackendsOf } from './connectionWatchdog.ts';
import { sendWithoutNames, writeOncePerTurn } from './driver.ts';
import { SilentShard } from './errors.ts';

/** A busy server can take seconds to sign somebody in. */
const CONNECT_TIMEOUT_MS = 5_000;
/** A statement that takes this long is stuck, and occupies a connection that others need. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** The idle time after which TCP probes the other end. */
const KEEPALIVE_AFTER_MS = 10_000;
/** If a lock takes longer than this, its holder is stuck; the caller gets a 503. */
export const LOCK_TIMEOUT_MS = 5_000;
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

/** The parts of the database. Businesses on one shard share their groups, statements and commits. One Postgres is one shard. */
export interface Shards {
  readonly count: number;
  /** Those of workers that do not answer: nothing is sent to them. */
  silent: ReadonlySet<number>;
  /** A statement failed as one for a lost worker does: the workers are to be asked. */
  areSuspect: boolean;
  /** The number of a business's shard, from 0. */
  of(businessId: string): number;
  /** Keeps `silent` up to date while statements of this pool wait. */
  watch(pool: Pool): void;
}

const ONE_SHARD: Shards = { count: 1, silent: new Set(), areSuspect: false, of: () => 0, watch: () => {} };

export type Pool = pg.Pool;
export type Client = pg.PoolClient;

/** How the database is reached: directly, or through a pooler that gives a connection to each transaction. */
export interface DatabaseRoute {
  url: string;
  /** An address of Postgres itself, for migrations and LISTEN; null: the pooler is all there is. */
  directUrl: string | null;
  /**
   * `namedStatements`: it keeps prepared statements apart by client, as PgBouncer does from 1.21 on when `max_prepared_statements`
   * is set.
   */
  pooler: { namedStatements: boolean } | null;
}

export interface PoolOptions {
  max: number;
  name: string;
  /** Called for idle connections that fail; the pool replaces them. */
  onError: (error: Error) => void;
  statementTimeoutMs?: number;
  /** 0: none, for tests that hold a lock for as long as they like. */
  idleInTransactionTimeoutMs?: number;
}

/** Settings of Postgres for a session, or for a transaction. */
type Settings = Readonly<Record<string, string | number>>;

/** How the connections of a pool get their settings. */
interface PoolState {
  route: DatabaseRoute;
  /** What a transaction begins with behind a pooler: a session there is shared, so nothing may be set for its whole length. */
  begin: string;
  /** Those of a cluster are found out at the start. */
  shards: Shards;
}
/** Of pools, and of their connections. */
const states = new WeakMap<object, PoolState>();

/** A pool on one Postgres. */
export function openPool(to: string | DatabaseRoute, options: PoolOptions): Pool {
  const route = typeof to === 'string' ? { url: to, directUrl: to, pooler: null } : to;
  return makePool(route, options, {});
}

/** A worker's own pool, on the same database as the process's pool. */
export function openWorkerPool(pool: Pool, { max, onError }: Pick<PoolOptions, 'max' | 'onError'>): Pool {
  const { route, shards } = stateOf(pool);
  const settings = isOnCluster(pool) ? WORKER_SETTINGS : { ...BY_KEY, ...WORKER_SETTINGS };
  const own = makePool(route, { max, name: 'webhooks', onError }, settings);
  useAsCluster(own, shards);
  return own;
}

/** From now on statements through this pool are those for a cluster. */
export const useAsCluster = (pool: Pool, shards: Shards): void => {
  stateOf(pool).shards = shards;
  shards.watch(pool);
};

/** Of the database that this pool or connection leads to. */
export const shardsOf = (db: object): Shards => states.get(db)?.shards ?? ONE_SHARD;

/** Throws if the shard of this business does not answer: work for it would occupy a connection for nothing. */
export function requireShard(pool: Pool, businessId: string): void {
  const { silent, of } = shardsOf(pool);
  if (silent.size > 0 && silent.has(of(businessId))) throw new SilentShard();
}

/** Whether statements through this pool or connection reach a cluster. */
export const isOnCluster = (db: object): boolean => shardsOf(db) !== ONE_SHARD;

/** An address of Postgres itself, on which LISTEN works; null: there is only a pooler. */
export const directUrlOf = (pool: Pool): string | null => stateOf(pool).route.directUrl;

/**
 * How the statements of a transaction are planned. `by_key`: for groups that name every row by its key. A plan made while
 * the tables were empty would scan them ever after, so plans are made for the indexes, once, and kept. On a cluster it changes
 * nothing: a statement is planned for its businesses each time, since they decide which shard it goes to.
 */
export type Planning = 'as_usual' | 'by_key';

/** The statement that begins a transaction of this pool. */
export function beginOf(pool: Pool, planning: Planning = 'as_usual'): string {
  const begin = states.get(pool)?.begin ?? 'begin';
  return planning === 'as_usual' || isOnCluster(pool) ? begin : [begin, ...localSettings(BY_KEY)].join('; ');
}

/** Whether a statement outside of a transaction has to bring its own settings. */
export const isBehindPooler = (db: object): db is Pool => {
  const state = db instanceof pg.Pool ? states.get(db) : undefined;
  return state !== undefined && state.route.pooler !== null;
};

function stateOf(pool: Pool): PoolState {
  const state = states.get(pool);
  if (state === undefined) throw new Error('the pool was not opened here');
  return state;
}

function makePool(
  route: DatabaseRoute,
  {
    max,
    name,
    onError,
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
    idleInTransactionTimeoutMs = IDLE_IN_TRANSACTION_TIMEOUT_MS,
  }: PoolOptions,
  more: Settings,
): Pool {
  const settings: Settings = {
    statement_timeout: statementTimeoutMs,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    // Our statements touch a few rows each, and JIT compilation takes a thousand times as long as running one. Postgres
    // compiles plans that it believes to be expensive, which a plan for a full table can look like.
    jit: 'off',
    ...more,
  };
  const pool = new pg.Pool({
    connectionString: route.url,
    max,
    application_name: `waypost ${name}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_AFTER_MS,
    idleTimeoutMillis: NEVER,
    // Independent statements are sent without waiting for each other; they still run in order.
    pipeline: true,
    ...(route.pooler === null ? { options: startupOptions(settings) } : {}),
  });
  const state: PoolState = {
    route,
    begin: route.pooler === null ? 'begin' : ['begin', ...localSettings(settings)].join('; '),
    shards: ONE_SHARD,
  };
  states.set(pool, state);
  pool.on('connect', (client) => states.set(client, state));
  // One that was given up after a failure may still say why the server ends it, when nobody listens to it any more.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', onError);
  pool.on('connect', writeOncePerTurn);
  if (route.pooler?.namedStatements === false) pool.on('connect', sendWithoutNames);
  closeSilentConnections(pool, statementTimeoutMs, route.pooler === null ? findBackendsOf(route.url) : null);
  return pool;
}

const startupOptions = (settings: Settings): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

const localSettings = (settings: Settings): string[] =>
  Object.entries(settings).map(([name, value]) => `set local ${name} = ${value}`);

const BY_KEY = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
} as const;

/** For work that is repeated if a crash loses its last commits. */
const WORKER_SETTINGS = { synchronous_commit: 'off' } as const;

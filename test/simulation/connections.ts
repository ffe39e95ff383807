import pg from 'pg';
import type { Pool, Client as PoolClient } from '../../src/db/pool.ts';
import { processTaskOf, type SimulatedProcess, type SimulationScheduler } from './scheduler.ts';
import { currentTask, runOutsideTask } from './simulatedGlobals.ts';

/** Real connections, opened in advance, so that checkout is immediate. */
const CONNECTIONS = 32;
/**
 * Plans and deadlocks must not depend on the machine's load, and a wait for a lock lasts as long as the seed decides.
 */
const SETTINGS = '-c plan_cache_mode=force_generic_plan -c deadlock_timeout=30ms -c synchronous_commit=off';

export interface SimulatedConnections {
  take(process: SimulatedProcess): SimulatedConnection;
  /** How many are idle. */
  left(): number;
  monitor: pg.Client;
  close(): Promise<void>;
}

/**
 * The usage counters choose a row by the connection's process id. Here the id is the connection's place, so that a seed
 * meets the same lock waits every time; few rows, so that it meets some.
 */
const COUNTER_ROWS = 4;
const NUMBERED_CONNECTIONS = `
  create schema if not exists simulation;
  create or replace function simulation.pg_backend_pid() returns integer language sql stable
    return current_setting('simulation.connection')::integer % ${COUNTER_ROWS}`;

/** Connects to the database of a simulation. */
export async function openSimulatedConnections(url: string): Promise<SimulatedConnections> {
  const open = async (options: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url, options });
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  const monitor = await open(SETTINGS);
  await monitor.query(NUMBERED_CONNECTIONS);
  const clients = await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, place) =>
      open(`${SETTINGS} -c search_path=simulation,pg_catalog,public -c simulation.connection=${place}`),
    ),
  );
  const pids = new Map<pg.Client, number>();
  for (const client of clients) {
    const { rows } = await client.query<{ pid: number }>('select pg_catalog.pg_backend_pid() as pid');
    pids.set(client, rows[0]?.pid ?? 0);
  }
  const free = [...clients];
  return {
    monitor,
    left: () => free.length,
    take(process) {
      // The one released last, whose statements are already planned.
      const client = free.pop();
      if (!client) throw new Error('the simulation has no connection left');
      const connection = new SimulatedConnection(client, pids.get(client) ?? 0, process, () =>
        free.push(client),
      );
      process.connections.add(connection);
      return connection;
    },
    async close() {
      await Promise.all([...clients, monitor].map((client) => client.end()));
    },
  };
}

/** A connection that a simulated process has checked out, until it releases or loses it. */
export class SimulatedConnection {
  readonly pid: number;
  readonly #client: pg.Client;
  readonly #process: SimulatedProcess;
  readonly #giveBack: () => void;
  #inTransaction = false;
  #gone = false;
  /** Whether the transaction may have changed anything. */
  #wrote = false;

  constructor(client: pg.Client, pid: number, process: SimulatedProcess, giveBack: () => void) {
    this.#client = client;
    this.pid = pid;
    this.#process = process;
    this.#giveBack = giveBack;
  }

  get wrote(): boolean {
    return this.#wrote;
  }

  get gone(): boolean {
    return this.#gone;
  }

  run(query: Query, values: readonly unknown[] | undefined): Promise<unknown> {
    const text = textOf(query);
    if (kindOf(text) === 'begin') this.#inTransaction = true;
    if (kindOf(text) === 'begin') this.#wrote = false;
    if (text === 'commit' || text === 'rollback') this.#inTransaction = false;
    if (WRITES.test(text)) this.#wrote = true;
    // The driver's own timers and sockets run outside the simulation.
    return runOutsideTask(() => this.#client.query(query, values ? [...values] : undefined));
  }

  /** Ends as after a crash or a network failure: Postgres rolls back the open transaction. */
  async cut(): Promise<void> {
    if (this.#gone) return;
    if (this.#inTransaction) await this.#client.query('rollback');
    this.release();
  }

  release(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#process.connections.delete(this);
    this.#giveBack();
  }
}

/** Never resolves: a dead process waits for it. */
const NEVER = new Promise<never>(() => {});

const WRITES = /\b(insert|update|delete)\b/i;

type Query = string | pg.QueryConfig;

const textOf = (query: Query): string => (typeof query === 'string' ? query : query.text);
const labelOf = (query: Query): string => textOf(query).trim().replace(/\s+/g, ' ').slice(0, 70);

function kindOf(text: string): 'begin' | 'commit' | 'rollback' | 'statement' {
  // A begin may be followed by settings of the transaction.
  if (text.startsWith('begin')) return 'begin';
  return text === 'commit' || text === 'rollback' ? text : 'statement';
}

/** The product's pool interface; every statement waits for the scheduler. It acts for the process that calls it. */
export function scheduledPool(connections: SimulatedConnections, scheduler: () => SimulationScheduler): Pool {
  const connect = async (): Promise<PoolClient> => {
    const { process } = processTaskOf(currentTask());
    return process.alive ? scheduledClient(connections.take(process), scheduler) : NEVER;
  };
  const query = async (asked: Query, values?: unknown[]): Promise<unknown> => {
    const client = await connect();
    return client.query(asked, values).finally(() => client.release());
  };
  return Object.assign(new pg.Pool(), { query, connect });
}

function scheduledClient(connection: SimulatedConnection, scheduler: () => SimulationScheduler): PoolClient {
  const client = Object.create(pg.Client.prototype);
  // As asked: a transaction is sent without waiting for its begin.
  let inTransaction = false;
  return Object.assign(client, {
    query: (asked: Query, values?: readonly unknown[]): Promise<unknown> => {
      if (connection.gone) return Promise.reject(new Error('Connection terminated'));
      const kind = kindOf(textOf(asked));
      if (kind !== 'statement') inTransaction = kind === 'begin';
      return scheduler().run(
        kind === 'statement' && !inTransaction ? 'autocommit' : kind,
        labelOf(asked),
        connection,
        () => connection.run(asked, values),
      );
    },
    release: () => connection.release(),
    on: () => client,
    off: () => client,
  });
}

import type { Dispatcher } from 'undici';
import type { Pool } from '../db/pool.ts';
import { type Clock, earlier, HOUR, later, MINUTE, monotonicMs, SECOND } from '../kit/clock.ts';
import { idBoundAt } from '../kit/ids.ts';
import type { Log } from '../kit/log.ts';
import { type Loop, startLoop } from '../kit/loop.ts';
import type { Sealer } from '../kit/seal.ts';
import { callOut } from './callOut.ts';
import { secretsAndCredentials } from './connections.ts';
import { TRACKING_KINDS } from './kinds/kind.ts';
import {
  changedOrders,
  type DueRegistration,
  dueConnections,
  dueRegistrations,
  insertRegistrations,
  nextDueConnection,
  oldestWaitingChange,
  type RegisteringConnection,
  recordRegistration,
  registrationRow,
  releaseConnection,
  takeConnection,
} from './registerSql.ts';
import {
  apiUrlOf,
  noApiUrl,
  type RegistrationOutcome,
  registrationCall,
  registrationOutcome,
} from './registration.ts';

/*
 * New shipments are named to the tracking services whose API key a connection has. A process takes a connection for a while, writes
 * down which shipments are new, and then makes the calls that are due, one after another. If it dies between a call and its record,
 * the next process calls again: the services answer that they know the shipment.
 */

export interface RegisterDeps {
  pool: Pool;
  clock: Clock;
  sealer: Sealer;
  /** Guarded: it reaches public addresses only. */
  client: Dispatcher;
  log: Log;
  /** Of one call; shorter in tests. */
  callMs?: number;
}

const READ_EVERY_MS = 15 * SECOND;
const CONNECTIONS_AT_ONCE = 4;
/** Longer than a turn with its last call. */
const LEASE_MS = 2 * MINUTE;
const TURN_MS = 30 * SECOND;
const CALLS_A_TURN = 20;
const CALL_MS = 10 * SECOND;
const ANSWER_MAX_BYTES = 64 * 1024;
/** Between the attempts of one shipment. */
const RETRIES_MS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR] as const;
/** After so many failures in a row, a connection makes no call for a while. */
const FAILURES_IN_A_ROW = 5;
const PAUSE_AFTER_FAILURES_MS = HOUR;
const PAUSE_WHEN_BUSY_MS = MINUTE;

/** Any number of processes may run it at once. */
export function startRegistering(deps: RegisterDeps): Loop {
  const { pool, clock, log } = deps;
  const stopping = new AbortController();
  const turns = new Turns(deps, stopping.signal, () => loop.wake());
  const loop = startLoop({
    name: 'tracking registrations',
    clock,
    log,
    step: () => turns.start(),
    busy: () => turns.running,
    abort: () => stopping.abort(),
    nextDue: async (now) => (await nextDueConnection(pool, TRACKING_KINDS, now))[0]?.due_at ?? null,
    settled: async (now) =>
      turns.running === 0 && (await dueConnections(pool, TRACKING_KINDS, now, 1)).length === 0,
  });
  return loop;
}

class Turns {
  readonly #deps: RegisterDeps;
  readonly #signal: AbortSignal;
  readonly #onEnd: () => void;
  /** By connection. Another process counts for itself. */
  readonly #failures = new Map<string, number>();
  running = 0;

  constructor(deps: RegisterDeps, signal: AbortSignal, onEnd: () => void) {
    this.#deps = deps;
    this.#signal = signal;
    this.#onEnd = onEnd;
  }

  /** Starts the turns of due connections. */
  async start(): Promise<boolean> {
    const { pool, clock } = this.#deps;
    const room = CONNECTIONS_AT_ONCE - this.running;
    if (room <= 0) return false;
    const now = clock.now();
    const until = later(now, LEASE_MS);
    for (const due of await dueConnections(pool, TRACKING_KINDS, now, room)) {
      const [taken] = await takeConnection(pool, due.id, due.next_read_at, until);
      if (taken) void this.#turn(due, until);
    }
    return false;
  }

  async #turn(connection: RegisteringConnection, until: Date): Promise<void> {
    const { pool, clock, log } = this.#deps;
    this.running += 1;
    try {
      const readUpTo = await noteNewShipments(this.#deps, connection);
      const { pauseMs, lastError } = await this.#makeCalls(connection);
      await releaseConnection(pool, connection.id, until, later(clock.now(), pauseMs), readUpTo, lastError);
    } catch (error) {
      // Its lease ends by itself.
      log.error({ error, connection_id: connection.id }, 'shipments not registered');
    } finally {
      this.running -= 1;
      this.#onEnd();
    }
  }

  /** The calls that are due; how long the connection rests after them, and what it shows. */
  async #makeCalls(
    connection: RegisteringConnection,
  ): Promise<{ pauseMs: number; lastError: string | null }> {
    const { pool, clock, sealer, log } = this.#deps;
    const { id, business_id: businessId, kind, store_url: storeUrl } = connection;
    const { credentials } = await secretsAndCredentials(pool, sealer, id, clock.now());
    let lastError = connection.last_error;
    if (credentials === null) return { pauseMs: READ_EVERY_MS, lastError };
    const apiUrl = apiUrlOf(kind, storeUrl);
    if (apiUrl === null) return { pauseMs: READ_EVERY_MS, lastError: noApiUrl(kind) };

    const beganMs = monotonicMs();
    const due = await dueRegistrations(pool, businessId, id, clock.now(), CALLS_A_TURN);
    for (const registration of due) {
      if (monotonicMs() - beganMs > TURN_MS) return { pauseMs: 0, lastError };
      const outcome = await this.#call(connection, { apiUrl, key: credentials.key }, registration);
      if (outcome === null) return { pauseMs: 0, lastError };
      if (outcome.kind === 'busy') return { pauseMs: PAUSE_WHEN_BUSY_MS, lastError: outcome.error };
      await this.#record(connection, registration, outcome);
      lastError = outcome.kind === 'registered' ? null : `${registration.tracking_number}: ${outcome.error}`;
      if (this.#countFailures(id, outcome) >= FAILURES_IN_A_ROW) {
        log.warn({ connection_id: id, kind }, 'registering paused after failures');
        return { pauseMs: PAUSE_AFTER_FAILURES_MS, lastError };
      }
    }
    return { pauseMs: due.length === CALLS_A_TURN ? 0 : READ_EVERY_MS, lastError };
  }

  /** Null: the process stops. */
  async #call(
    { kind }: RegisteringConnection,
    api: { apiUrl: string; key: string },
    { tracking_number: trackingNumber, carrier }: DueRegistration,
  ): Promise<RegistrationOutcome | null> {
    const { client, callMs = CALL_MS } = this.#deps;
    const call = registrationCall(kind, api, { trackingNumber, carrier });
    if (typeof call === 'string') return { kind: 'refused', error: call };
    const limits = { signal: this.#signal, timeoutMs: callMs, maxBytes: ANSWER_MAX_BYTES };
    const called = await callOut(client, call, limits);
    return called.kind === 'aborted' ? null : registrationOutcome(kind, called);
  }

  async #record(
    { id, business_id: businessId }: RegisteringConnection,
    { tracking_number: trackingNumber, attempts: before }: DueRegistration,
    outcome: RegistrationOutcome,
  ): Promise<void> {
    const { pool, clock } = this.#deps;
    const now = clock.now();
    const attempts = before + 1;
    const isRegistered = outcome.kind === 'registered';
    const retryMs = outcome.kind === 'failed' ? RETRIES_MS[before] : undefined;
    await recordRegistration(
      pool,
      businessId,
      id,
      trackingNumber,
      attempts,
      retryMs === undefined ? null : later(now, retryMs),
      isRegistered ? now : null,
      isRegistered ? null : outcome.error,
    );
  }

  /** In a row, with this outcome. After a pause one more failure is enough for the next. */
  #countFailures(id: string, outcome: RegistrationOutcome): number {
    if (outcome.kind !== 'failed') {
      this.#failures.delete(id);
      return 0;
    }
    const failures = Math.min((this.#failures.get(id) ?? 0) + 1, FAILURES_IN_A_ROW);
    this.#failures.set(id, failures);
    return failures;
  }
}

/** A transaction may commit this long after it made its ids. */
const COMMITS_WITHIN_MS = 2 * MINUTE;
const ORDERS_A_READ = 500;

/** Writes down the shipments that are new to the connection; answers how far it has read. */
async function noteNewShipments(
  { pool, clock }: RegisterDeps,
  { id, business_id: businessId, created_at, next_read_at, read_up_to }: RegisteringConnection,
): Promise<string> {
  const now = clock.now();
  // What a connection has not read yet begins when its key was entered, which made it due.
  const readUpTo = read_up_to === null ? next_read_at : new Date(read_up_to);
  const [waiting] = await oldestWaitingChange(pool, businessId);
  const namedSince = idBoundAt(created_at);
  let from = idBoundAt(earlier(readUpTo, COMMITS_WITHIN_MS));
  for (let read = ORDERS_A_READ; read >= ORDERS_A_READ; ) {
    const rows = await changedOrders(pool, businessId, from, id, namedSince, ORDERS_A_READ);
    read = new Set(rows.map(({ change_id }) => change_id)).size;
    from = rows.at(-1)?.change_id ?? from;
    // A number that two orders name is registered once, with the carrier that was named last.
    const found = new Map(
      rows.flatMap(({ tracking_number: trackingNumber, carrier }) =>
        trackingNumber === null
          ? []
          : [[trackingNumber, registrationRow(businessId, id, { trackingNumber, carrier })] as const],
      ),
    );
    if (found.size > 0) await insertRegistrations(pool, JSON.stringify([...found.values()]), now);
  }
  const until = waiting !== undefined && waiting.at < now ? waiting.at : now;
  return until.toISOString();
}

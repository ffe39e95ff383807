import pg from 'pg';
import { SECOND } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { closeAtOnce } from './driver.ts';
import { directUrlOf, type Pool } from './pool.ts';
import { listenOn, notifyChannel, probe, type WakeChannel } from './sql.ts';

const NOTIFY_AT_MOST_EVERY_MS = 20;
const CONNECT_TIMEOUT_MS = 5 * SECOND;
/** Instead of notifications: an idle look costs about a millisecond. */
const WAKE_EVERY_MS = 100;
const RECONNECT_AFTER_MS = 1 * SECOND;
/** A listener sends nothing by itself, so without a probe it would not notice a dead connection. */
const PROBE_EVERY_MS = 10 * SECOND;
/** The driver's own timer is fine here: this connection sends one statement every ten seconds. */
const ANSWER_WITHIN_MS = 12 * SECOND;
const END_WITHIN_MS = 1 * SECOND;

/**
 * For a process without workers: notifies those that have some, at most 50 times a second however often it is
 * called. It notifies outside of any transaction, because NOTIFY in a transaction serialises commits. It never
 * waits and never fails: a worker that misses it finds the work by polling.
 */
export function createNotifier(pool: Pool, channel: WakeChannel, log: Log): () => void {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      notifyChannel(pool, channel).catch((error: unknown) => log.warn({ channel, error }, 'notify failed'));
    }, NOTIFY_AT_MOST_EVERY_MS).unref();
  };
}

export type Listener = ReturnType<typeof listen>;

/** `payload` is null where a notification may have been lost: it could have said anything. */
type OnWake = (payload: string | null) => void;

/**
 * Calls `onWake` on a notification from another process. After a reconnect it calls `onWake` too, because notifications
 * may have been lost. All listeners of a pool share one connection.
 */
export function listen(pool: Pool, channel: WakeChannel, onWake: OnWake, log: Log) {
  const directUrl = directUrlOf(pool);
  if (directUrl === null) return wakeOften(onWake);
  const shared = sharedConnections.get(pool) ?? new ListeningConnection(directUrl, log);
  sharedConnections.set(pool, shared);
  const subscription: Subscription = { channel, onWake, isListened: false };
  shared.add(subscription);
  return {
    async stop(): Promise<void> {
      if (shared.remove(subscription) > 0) return;
      if (sharedConnections.get(pool) === shared) sharedConnections.delete(pool);
      await shared.close();
    },
  };
}

/** Behind a pooler notifications are lost, since a session there belongs to nobody. */
function wakeOften(onWake: OnWake) {
  const timer = setInterval(() => onWake(null), WAKE_EVERY_MS).unref();
  return { stop: async (): Promise<void> => clearInterval(timer) };
}

interface Subscription {
  channel: WakeChannel;
  onWake: OnWake;
  /** Whether the present connection listens for it. */
  isListened: boolean;
}

const sharedConnections = new WeakMap<Pool, ListeningConnection>();

class ListeningConnection {
  readonly #url: string;
  readonly #log: Log;
  readonly #subscriptions = new Set<Subscription>();
  #client: pg.Client | null = null;
  #isConnected = false;
  #isClosed = false;
  #isLossLogged = false;
  #connecting: Promise<void> | null = null;
  #retry: NodeJS.Timeout | undefined;
  #probing: NodeJS.Timeout | undefined;

  constructor(url: string, log: Log) {
    this.#url = url;
    this.#log = log;
  }

  add(subscription: Subscription): void {
    this.#subscriptions.add(subscription);
    const client = this.#client;
    this.#connecting ??= this.#connect();
    if (this.#isConnected && client !== null)
      this.#listenFor(client, subscription).catch((error: unknown) => this.#lost(client, error));
  }

  /** Returns how many are left. */
  remove(subscription: Subscription): number {
    this.#subscriptions.delete(subscription);
    return this.#subscriptions.size;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#connecting;
    clearInterval(this.#probing);
    const last = this.#client;
    this.#client = null;
    if (last) await endWithin(last, END_WITHIN_MS);
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'waypost listen',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      query_timeout: ANSWER_WITHIN_MS,
    });
    this.#client = client;
    client.on('notification', ({ channel, payload = '' }) => {
      for (const one of this.#subscriptions) if (one.channel === channel) one.onWake(payload);
    });
    const onLost = (error: unknown): void => this.#lost(client, error);
    client.on('error', onLost);
    client.on('end', () => onLost(null));
    try {
      await client.connect();
      this.#isConnected = true;
      this.#isLossLogged = false;
      this.#probing = setInterval(() => probe(client).catch(onLost), PROBE_EVERY_MS).unref();
      // One after the other: a client takes one query at a time.
      for (const one of this.#subscriptions) await this.#listenFor(client, one);
    } catch (error) {
      onLost(error);
    }
  }

  async #listenFor(client: pg.Client, one: Subscription): Promise<void> {
    if (one.isListened) return;
    one.isListened = true;
    await client.query(listenOn(one.channel));
    if (this.#subscriptions.has(one)) one.onWake(null);
  }

  #lost(client: pg.Client, error: unknown): void {
    if (this.#client !== client) return;
    this.#client = null;
    this.#isConnected = false;
    for (const one of this.#subscriptions) one.isListened = false;
    clearInterval(this.#probing);
    closeAtOnce(client);
    if (this.#isClosed) return;
    if (!this.#isLossLogged) this.#log.warn({ error }, 'listen connection lost');
    this.#isLossLogged = true;
    this.#retry = setTimeout(() => void this.#connect(), RECONNECT_AFTER_MS).unref();
  }
}

/** Sends Terminate to the server, and does not wait long for a silent one. */
async function endWithin(client: pg.Client, milliseconds: number): Promise<void> {
  const timer = setTimeout(() => closeAtOnce(client), milliseconds);
  await client.end().catch(() => {});
  clearTimeout(timer);
}

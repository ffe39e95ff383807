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

export interface Listener {
  stop(): Promise<void>;
}

/** `payload` is null where a notification may have been lost: it could have said anything. */
type OnWake = (payload: string | null) => void;

/**
 * Calls `onWake` on a notification from another process. After a reconnect it calls `onWake` too, because notifications
 * may have been lost. All listeners of a pool share one connection.
 */
export function listen(pool: Pool, channel: WakeChannel, onWake: OnWake, log: Log): Listener {
  const directUrl = directUrlOf(pool);
  if (directUrl === null) return wakeOften(onWake);
  const shared = sharedConnections.get(pool) ?? openListening(directUrl, log);
  sharedConnections.set(pool, shared);
  const subscription: Subscription = { channel, onWake, isListened: false };
  shared.add(subscription);
  return {
    async stop() {
      if (shared.remove(subscription) > 0) return;
      if (sharedConnections.get(pool) === shared) sharedConnections.delete(pool);
      await shared.close();
    },
  };
}

/** Behind a pooler notifications are lost, since a session there belongs to nobody. */
function wakeOften(onWake: OnWake): Listener {
  const timer = setInterval(() => onWake(null), WAKE_EVERY_MS);
  timer.unref();
  return { stop: async () => clearInterval(timer) };
}

interface Subscription {
  channel: WakeChannel;
  onWake: OnWake;
  /** Whether the present connection listens for it. */
  isListened: boolean;
}

interface ListeningConnection {
  add(subscription: Subscription): void;
  /** Returns how many are left. */
  remove(subscription: Subscription): number;
  close(): Promise<void>;
}

const sharedConnections = new WeakMap<Pool, ListeningConnection>();

function openListening(url: string, log: Log): ListeningConnection {
  const subscriptions = new Set<Subscription>();
  let closed = false;
  let client: pg.Client | null = null;
  let isConnected = false;
  let retry: NodeJS.Timeout | undefined;
  let probing: NodeJS.Timeout | undefined;
  let lossLogged = false;

  const connect = async (): Promise<void> => {
    const opened = new pg.Client({
      connectionString: url,
      application_name: 'waypost listen',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      query_timeout: ANSWER_WITHIN_MS,
    });
    client = opened;
    opened.on('notification', ({ channel, payload = '' }) => {
      for (const one of subscriptions) if (one.channel === channel) one.onWake(payload);
    });
    opened.on('error', (error) => lost(opened, error));
    opened.on('end', () => lost(opened, null));
    try {
      await opened.connect();
      isConnected = true;
      lossLogged = false;
      probing = setInterval(
        () => probe(opened).catch((error: unknown) => lost(opened, error)),
        PROBE_EVERY_MS,
      );
      probing.unref();
      await Promise.all([...subscriptions].map((one) => listenFor(opened, one)));
    } catch (error) {
      lost(opened, error);
    }
  };

  const listenFor = async (opened: pg.Client, one: Subscription): Promise<void> => {
    if (one.isListened) return;
    one.isListened = true;
    await opened.query(listenOn(one.channel));
    if (subscriptions.has(one)) one.onWake(null);
  };

  const lost = (which: pg.Client, error: unknown): void => {
    if (client !== which) return;
    client = null;
    isConnected = false;
    for (const one of subscriptions) one.isListened = false;
    clearInterval(probing);
    closeAtOnce(which);
    if (closed) return;
    if (!lossLogged) log.warn({ error }, 'listen connection lost');
    lossLogged = true;
    retry = setTimeout(() => void connect(), RECONNECT_AFTER_MS);
    retry.unref();
  };

  let connecting: Promise<void> | null = null;
  return {
    add(subscription) {
      subscriptions.add(subscription);
      const opened = client;
      connecting ??= connect();
      if (isConnected && opened !== null)
        listenFor(opened, subscription).catch((error: unknown) => lost(opened, error));
    },
    remove(subscription) {
      subscriptions.delete(subscription);
      return subscriptions.size;
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      await connecting;
      clearInterval(probing);
      const last = client;
      client = null;
      if (last) await endWithin(last, END_WITHIN_MS);
    },
  };
}

/** Sends Terminate to the server, and does not wait long for a silent one. */
async function endWithin(client: pg.Client, milliseconds: number): Promise<void> {
  const timer = setTimeout(() => closeAtOnce(client), milliseconds);
  await client.end().catch(() => {});
  clearTimeout(timer);
}

import pg from 'pg';
import { SECOND } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { directUrlOf, type Pool } from './pool.ts';
import { closeAtOnce } from './silence.ts';
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
 * Calls `onWake` on a notification from another process, over its own connection. After a reconnect it calls
 * `onWake` too, because notifications may have been lost.
 */
export function listen(pool: Pool, channel: WakeChannel, onWake: OnWake, log: Log): Listener {
  const directUrl = directUrlOf(pool);
  return directUrl === null ? wakeOften(onWake) : listenDirectly(directUrl, channel, onWake, log);
}

/** Behind a pooler notifications are lost, since a session there belongs to nobody. */
function wakeOften(onWake: OnWake): Listener {
  const timer = setInterval(() => onWake(null), WAKE_EVERY_MS);
  timer.unref();
  return { stop: async () => clearInterval(timer) };
}

function listenDirectly(url: string, channel: WakeChannel, onWake: OnWake, log: Log): Listener {
  let stopped = false;
  let client: pg.Client | null = null;
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
    opened.on('notification', ({ payload = '' }) => onWake(payload));
    opened.on('error', (error) => lost(opened, error));
    opened.on('end', () => lost(opened, null));
    try {
      await opened.connect();
      await opened.query(listenOn(channel));
      lossLogged = false;
      probing = setInterval(
        () => probe(opened).catch((error: unknown) => lost(opened, error)),
        PROBE_EVERY_MS,
      );
      probing.unref();
      if (!stopped) onWake(null);
    } catch (error) {
      lost(opened, error);
    }
  };

  const lost = (which: pg.Client, error: unknown): void => {
    if (client !== which) return;
    client = null;
    clearInterval(probing);
    closeAtOnce(which);
    if (stopped) return;
    if (!lossLogged) log.warn({ channel, error }, 'listen connection lost');
    lossLogged = true;
    retry = setTimeout(() => void connect(), RECONNECT_AFTER_MS);
    retry.unref();
  };

  const connecting = connect();
  return {
    async stop() {
      stopped = true;
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

import pg from 'pg';
import { SECOND } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import type { Pool } from './pool.ts';
import { listenOn, notifyChannel } from './wakeSql.ts';

/** What workers of other processes can be woken for. */
export type WakeChannel = 'waypost_sends' | 'waypost_webhooks';

export interface Notifier {
  /** Says that there is work. Never waits and never fails: whoever misses it finds the work by polling. */
  notify(): void;
  /** Resolves when everything said has been passed on. */
  idle(): Promise<void>;
}

/**
 * Tells the other processes, outside of any transaction: a NOTIFY within one would make every commit of the server
 * queue behind one lock. However often it is said meanwhile, one notification is under way at a time.
 */
export function createNotifier(pool: Pool, channel: WakeChannel, log: Log): Notifier {
  let said = false;
  let passingOn: Promise<void> | null = null;

  const passOn = async () => {
    while (said) {
      said = false;
      try {
        await notifyChannel(pool, channel);
      } catch (error) {
        log.warn({ channel, error }, 'other processes could not be woken');
      }
    }
    passingOn = null;
  };

  return {
    notify() {
      said = true;
      passingOn ??= passOn();
    },
    idle: async () => {
      await passingOn;
    },
  };
}

export interface Listener {
  stop(): Promise<void>;
}

const RECONNECT_AFTER_MS = 1 * SECOND;

/**
 * Calls `onWake` when another process says that there is work, on a connection of its own. A lost connection is
 * opened again; what was said meanwhile is unknown, so that counts as being woken too.
 */
export function listen(pool: Pool, channel: WakeChannel, onWake: () => void, log: Log): Listener {
  let stopped = false;
  let client: pg.Client | null = null;
  let retry: NodeJS.Timeout | undefined;
  let lostIsKnown = false;

  const connect = async () => {
    const opened = new pg.Client(pool.options);
    client = opened;
    opened.on('notification', onWake);
    opened.on('error', (error) => lost(opened, error));
    opened.on('end', () => lost(opened, null));
    try {
      await opened.connect();
      await opened.query(listenOn(channel));
      lostIsKnown = false;
      onWake();
    } catch (error) {
      lost(opened, error);
    }
  };

  const lost = (which: pg.Client, error: unknown) => {
    if (client !== which) return;
    client = null;
    which.end().catch(() => {});
    if (stopped) return;
    if (!lostIsKnown) log.warn({ channel, error }, 'not listening for other processes; polling meanwhile');
    lostIsKnown = true;
    retry = setTimeout(() => void connect(), RECONNECT_AFTER_MS);
    retry.unref();
  };

  void connect();
  return {
    async stop() {
      stopped = true;
      clearTimeout(retry);
      const last = client;
      client = null;
      await last?.end().catch(() => {});
    },
  };
}

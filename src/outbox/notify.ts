import type { Client, Pool } from '../db/pool.ts';
import { SECOND } from '../kit/clock.ts';
import type { Log } from '../kit/log.ts';
import { LISTEN, notifyOutbox } from './notifySql.ts';

const RECONNECT_MS = 2 * SECOND;
const AT_MOST_EVERY_MS = 20;

/** Hears of sends that another process queued. Keeps one connection; while it is down the poll does its work. */
export function listen(pool: Pool, onWake: () => void, log: Log): { stop(): Promise<void> } {
  let stopped = false;
  let client: Client | null = null;
  let timer: NodeJS.Timeout | undefined;

  const connect = async (): Promise<void> => {
    try {
      const connected = await pool.connect();
      if (stopped) return connected.release();
      client = connected;
      connected.on('notification', onWake);
      connected.on('error', () => lose(connected));
      connected.on('end', () => lose(connected));
      await connected.query(LISTEN);
    } catch (error) {
      if (client) lose(client);
      else if (!stopped) again();
      log.debug({ error }, 'not listening for new sends');
    }
  };
  const lose = (lost: Client): void => {
    if (client !== lost) return;
    client = null;
    lost.removeAllListeners('notification');
    lost.release(true);
    if (!stopped) again();
  };
  const again = (): void => {
    timer = setTimeout(() => void connect(), RECONNECT_MS);
    timer.unref();
  };

  const connecting = connect();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await connecting;
      const last = client;
      client = null;
      last?.removeAllListeners('notification');
      last?.release(true);
    },
  };
}

/** For a process that queues sends and has no worker: tells those that have one, however often it is called, at most 50 times a second. */
export function createNotifier(pool: Pool, log: Log): () => void {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      notifyOutbox(pool).catch((error: unknown) => log.debug({ error }, 'workers were not told of new sends'));
    }, AT_MOST_EVERY_MS);
  };
}

import type { Pool } from '../db/pool.ts';
import { monotonicMs } from '../kit/clock.ts';
import { randomText } from '../kit/ids.ts';
import type { Log } from '../kit/log.ts';
import { notifyOfEvents } from './sql.ts';

const NOTIFY_AT_MOST_EVERY_MS = 20;
/** Postgres takes less than 8,000 bytes. */
const PAYLOAD_BYTES_MAX = 7_500;
const ORIGIN_CHARACTERS = 12;

/**
 * Names the businesses that got events to all processes. It notifies outside of any transaction, because NOTIFY in one
 * serialises commits. A process that misses it finds the events by its own check.
 */
export function createEventNotifier(pool: Pool, log: Log) {
  const origin = randomText(ORIGIN_CHARACTERS);
  const named = new Set<string>();
  let notifiedAt = Number.NEGATIVE_INFINITY;
  const flush = (): void => {
    notifiedAt = monotonicMs();
    const businessIds = [...named];
    named.clear();
    for (const payload of payloadsOf(origin, businessIds))
      notifyOfEvents(pool, payload).catch((error: unknown) => log.warn({ error }, 'event notify failed'));
  };
  return {
    /** Names these businesses to the other processes, soon and together with others. Never waits and never fails. */
    notify(businessIds: Iterable<string>): void {
      if (named.size === 0) {
        const early = notifiedAt + NOTIFY_AT_MOST_EVERY_MS - monotonicMs();
        // A lone event is named at once, the next ones together.
        if (early > 0) setTimeout(flush, early).unref();
        else setImmediate(flush);
      }
      for (const id of businessIds) named.add(id);
    },
    /** The businesses that another process names; none if the payload is this process's own. */
    read(payload: string): readonly string[] {
      const [from, ...businessIds] = payload.split(' ');
      return from === origin ? [] : businessIds;
    },
  };
}

/** The sender and business ids, separated by spaces, in as many payloads as it takes. */
export function payloadsOf(origin: string, businessIds: readonly string[]): string[] {
  const payloads: string[] = [];
  let payload = origin;
  for (const id of businessIds) {
    if (Buffer.byteLength(payload) + 1 + Buffer.byteLength(id) > PAYLOAD_BYTES_MAX) {
      payloads.push(payload);
      payload = origin;
    }
    payload += ` ${id}`;
  }
  return payload === origin ? payloads : [...payloads, payload];
}

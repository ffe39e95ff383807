import type { Pool } from '../db/pool.ts';
import { type Clock, MINUTE } from '../kit/clock.ts';
import { coalesce } from '../kit/coalesce.ts';
import type { Log } from '../kit/log.ts';
import type { Caller } from './keys.ts';
import { noteUses } from './keysSql.ts';

type UsedKey = Pick<Caller, 'businessId' | 'keyId'>;

/** A key is written at most this often by one process, however many calls it makes. */
const NOTED_EVERY_MS = MINUTE;
/** More keys than a process sees in a while; beyond this it starts over. */
const REMEMBERED_MAX = 10_000;
const LIST_MAX = 500;

/** Keeps when each key was last used. No call waits for it. */
export function createKeyUses({ pool, clock, log }: { pool: Pool; clock: Clock; log: Log }) {
  const notedAt = new Map<string, number>();
  const writes = coalesce<UsedKey, true>({
    run: async (used) => {
      const businessIds = used.map(({ businessId }) => businessId);
      const keyIds = used.map(({ keyId }) => keyId);
      await noteUses(pool, businessIds, keyIds, clock.now());
      return used.map(() => true as const);
    },
    concurrency: 1,
    maxItems: LIST_MAX,
    maxWaiting: REMEMBERED_MAX,
  });
  return {
    note({ businessId, keyId }: UsedKey): void {
      const now = clock.now().getTime();
      const before = notedAt.get(keyId);
      if (before !== undefined && now - before < NOTED_EVERY_MS) return;
      if (notedAt.size >= REMEMBERED_MAX) notedAt.clear();
      notedAt.set(keyId, now);
      writes.add({ businessId, keyId }).catch((error: unknown) => {
        // The key's next use is noted instead: a list of keys is no reason to fail a call.
        notedAt.delete(keyId);
        log.warn({ error }, 'key use not noted');
      });
    },
    /** Resolves once everything noted is written. */
    idle: () => writes.idle(),
  };
}

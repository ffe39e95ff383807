import type { Queryable } from '../db/statement.ts';
import { DAY, earlier } from '../kit/clock.ts';
import { idBoundAt } from '../kit/ids.ts';
import type { EndpointRef } from './claimShares.ts';
import { countLeft, countLost, newestReplays, type ReplayRow } from './replaysSql.ts';

/** The attempts of an event take less than a day, so a replay has ended by then. */
const REPLAY_TAKES_MS = DAY;
const REPLAYS_SHOWN = 3;
/** Deliveries that are looked at: a page that updates itself costs the same however many wait. */
export const LEFT_COUNTED_MAX = 10_000;

export interface ReplayState extends ReplayRow {
  arrived: number;
  /** Their last attempt failed, and they are tried again. */
  failing: number;
  /** Ended without arriving. */
  lost: number;
  /** Not all waiting deliveries were counted, so `arrived` is an upper bound. */
  isAtMost: boolean;
  isOver: boolean;
}

/** How far the replays of the last day are, newest first. */
export async function readReplays(db: Queryable, ref: EndpointRef, now: Date): Promise<ReplayState[]> {
  const { businessId, endpointId } = ref;
  const since = idBoundAt(earlier(now, REPLAY_TAKES_MS));
  const replays = await newestReplays(db, businessId, endpointId, since, REPLAYS_SHOWN);
  if (replays.length === 0) return [];
  const ids = replays.map(({ id }) => id);
  const left = await countLeft(db, businessId, endpointId, ids, LEFT_COUNTED_MAX);
  return Promise.all(
    replays.map(async (replay) => {
      const { waiting = 0, failing = 0, scanned = 0 } = left.find(({ id }) => id === replay.id) ?? {};
      const [first, last] = [idBoundAt(replay.since), idBoundAt(replay.until)];
      const [ended] = await countLost(db, businessId, endpointId, replay.id, first, last, LEFT_COUNTED_MAX);
      const lost = ended?.lost ?? 0;
      const isAtMost = scanned >= LEFT_COUNTED_MAX;
      const arrived = Math.max(0, replay.queued - waiting - failing - lost);
      return { ...replay, arrived, failing, lost, isAtMost, isOver: !isAtMost && waiting + failing === 0 };
    }),
  );
}

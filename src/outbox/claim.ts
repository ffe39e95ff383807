import type { Channel } from '../contract/channels.ts';
import { isOnCluster, type Pool } from '../db/pool.ts';
import { later, monotonicMs, SECOND } from '../kit/clock.ts';
import { randomText } from '../kit/ids.ts';
import { createScanWatermark, type ScanWatermark } from '../kit/scanWatermark.ts';
import type { ClaimCapacity } from './capacity.ts';
import { type ClaimSends, claimSendsOnCluster } from './claimOnCluster.ts';
import { claimDueSends } from './claimSql.ts';
import type { OfPerson } from './send.ts';

export const SEND_LEASE_MS = 30 * SECOND;
const LEASE_TOKEN_LENGTH = 12;
/** Index steps per claim; a step is one business and channel with waiting sends, due or not. */
const MAX_STEPS = 2_000;
/** A push that commits late can add a send below the watermark. A full scan this often finds it. */
const FULL_SCAN_EVERY_MS = SECOND / 2;

export interface ClaimedSend extends OfPerson {
  state: 'held' | 'queued' | 'submitting';
  channel: Channel;
}

interface ClaimResult {
  lease: string;
  sends: ClaimedSend[];
  /** Whether another claim may find more now. */
  more: boolean;
  /** False while a worker of a cluster cannot be reached. */
  complete: boolean;
}

/**
 * Whether a business may have more due sends than this claim took. With n businesses, each gets at most limit / n. If one
 * of them got that many and each of the others at least one, `found` is at least limit / n + n - 2, which is never below
 * the bound here.
 */
export const mayBeMore = (found: number, limit: number): boolean => found >= 2 * Math.sqrt(limit) - 2;

/** Claims due sends. Each claim starts after the business where the last one ended. */
export class Claimer {
  readonly #pool: Pool;
  readonly #watermark: ScanWatermark;
  readonly #claimSends: ClaimSends;
  #after = '';

  /** `claimSends`: the form for this database; both run on one Postgres. */
  constructor(
    pool: Pool,
    monotonic = monotonicMs,
    claimSends: ClaimSends = isOnCluster(pool) ? claimSendsOnCluster : claimSendsAtOnce,
  ) {
    this.#pool = pool;
    this.#watermark = createScanWatermark(FULL_SCAN_EVERY_MS, monotonic);
    this.#claimSends = claimSends;
  }

  async claim(capacity: ClaimCapacity, now: Date): Promise<ClaimResult> {
    let reachedEnd = this.#after === '';
    for (;;) {
      const claim = await this.#claimOnce(capacity, now);
      if (claim.sends.length > 0) return claim;
      if (this.#after !== '') continue;
      // Nothing is due up to the last business. Start again from the first, once.
      if (reachedEnd) return claim;
      reachedEnd = true;
    }
  }

  async #claimOnce(capacity: ClaimCapacity, now: Date): Promise<ClaimResult> {
    const lease = randomText(LEASE_TOKEN_LENGTH);
    const fromFirst = this.#after === '';
    if (fromFirst) this.#watermark.begin(now);
    const { rows, nextAfter, earliest, complete } = await this.#claimSends(this.#pool, capacity, {
      after: this.#after,
      now,
      floor: this.#watermark.at(),
      maxQueues: MAX_STEPS,
      lease,
      leaseEnd: later(now, SEND_LEASE_MS),
    });
    this.#watermark.passed(earliest === null ? null : new Date(earliest));
    this.#after = nextAfter;
    if (this.#after === '') this.#watermark.end();
    const sends = rows.flatMap(
      ({ business_id, id, recipient_id, message_id, state, channel }): ClaimedSend[] =>
        business_id !== null && id !== null && recipient_id !== null && state !== null && channel !== null
          ? [{ business_id, id, recipient_id, message_id, state, channel }]
          : [],
    );
    const scannedAll = fromFirst && this.#after === '';
    return { lease, sends, more: !scannedAll || mayBeMore(sends.length, capacity.limit), complete };
  }
}

/** The claim on one Postgres: one statement finds the sends and takes them. */
export const claimSendsAtOnce: ClaimSends = async (
  pool,
  { limit, channels, full },
  { after, now, floor, maxQueues, lease, leaseEnd },
) => {
  const rows = await claimDueSends(
    pool,
    after,
    now,
    maxQueues,
    limit,
    channels,
    full.map(({ business_id }) => business_id),
    full.map(({ channel }) => channel),
    lease,
    leaseEnd,
    floor,
  );
  const [first] = rows;
  return { rows, nextAfter: first?.next_after ?? '', earliest: first?.earliest ?? null, complete: true };
};

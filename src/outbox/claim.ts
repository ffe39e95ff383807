import type { Channel } from '../contract/channels.ts';
import type { Pool } from '../db/pool.ts';
import { later, monotonicMs, SECOND } from '../kit/clock.ts';
import { randomText } from '../kit/ids.ts';
import { createScanWatermark, type ScanWatermark } from '../kit/scanWatermark.ts';
import type { ClaimCapacity } from './capacity.ts';
import { claimDueSends } from './claimSql.ts';
import type { OfPerson } from './send.ts';

export const SEND_LEASE_MS = 30 * SECOND;
const LEASE_TOKEN_LENGTH = 12;
/** Businesses with something waiting, due or not, that one look passes at most. */
const LONGEST_WALK = 2_000;
/** A send whose push was slow to be written is found after this long at most. */
const FROM_THE_BOTTOM_EVERY_MS = SECOND / 2;

export interface ClaimedSend extends OfPerson {
  state: 'held' | 'queued' | 'submitting';
  channel: Channel;
}

export interface ClaimResult {
  lease: string;
  sends: ClaimedSend[];
  /** Whether there may be more at once. */
  more: boolean;
}

/**
 * Whether anyone may have more due than a look gave them. With n of them each gets limit / n; where one got all of that
 * and each of the others something, together they got at least limit / n + n - 2, which is never below this.
 */
export const mayBeMore = (found: number, limit: number): boolean => found >= 2 * Math.sqrt(limit) - 2;

/** Claims what is due, beginning each time after the business where the last look ended. */
export class Claimer {
  readonly #pool: Pool;
  readonly #watermark: ScanWatermark;
  #after = '';

  constructor(pool: Pool, monotonic = monotonicMs) {
    this.#pool = pool;
    this.#watermark = createScanWatermark(FROM_THE_BOTTOM_EVERY_MS, monotonic);
  }

  async claim(capacity: ClaimCapacity, now: Date): Promise<ClaimResult> {
    let reachedEnd = this.#after === '';
    for (;;) {
      const claim = await this.#claimOnce(capacity, now);
      if (claim.sends.length > 0) return claim;
      if (this.#after !== '') continue;
      // Nothing between there and the last business. What is due may lie before: once more, from the first.
      if (reachedEnd) return claim;
      reachedEnd = true;
    }
  }

  async #claimOnce(capacity: ClaimCapacity, now: Date): Promise<ClaimResult> {
    const lease = randomText(LEASE_TOKEN_LENGTH);
    const fromTheFirst = this.#after === '';
    if (fromTheFirst) this.#watermark.begin(now);
    const rows = await claimDueSends(
      this.#pool,
      this.#after,
      now,
      LONGEST_WALK,
      capacity.limit,
      capacity.channels,
      capacity.full.map(({ business_id }) => business_id),
      capacity.full.map(({ channel }) => channel),
      lease,
      later(now, SEND_LEASE_MS),
      this.#watermark.at(),
    );
    const [first] = rows;
    this.#watermark.passed(first?.earliest == null ? null : new Date(first.earliest));
    this.#after = first?.next_after ?? '';
    if (this.#after === '') this.#watermark.end();
    const sends = rows.flatMap(
      ({ business_id, id, recipient_id, message_id, state, channel }): ClaimedSend[] =>
        business_id !== null && id !== null && recipient_id !== null && state !== null && channel !== null
          ? [{ business_id, id, recipient_id, message_id, state, channel }]
          : [],
    );
    const wasWhole = fromTheFirst && this.#after === '';
    return { lease, sends, more: !wasWhole || mayBeMore(sends.length, capacity.limit) };
  }
}

import type { QueueKey } from '../db/dueQueues.ts';
import { eachReachable } from '../db/eachShard.ts';
import type { Pool } from '../db/pool.ts';
import { later, monotonicMs, SECOND } from '../kit/clock.ts';
import { columns } from '../kit/columns.ts';
import { groupBy } from '../kit/groupBy.ts';
import { randomText } from '../kit/ids.ts';
import { createScanWatermark, type ScanWatermark } from '../kit/scanWatermark.ts';
import type { ClaimCapacity } from './capacity.ts';
import { type SendShares, shareAmongBusinesses } from './claimShares.ts';
import { type ClaimedSend, claimDueSends, dueSends } from './claimSql.ts';

export const SEND_LEASE_MS = 30 * SECOND;
const LEASE_TOKEN_LENGTH = 12;
/** Queues that a claim looks at: each is of one business and channel. */
const QUEUES_MAX = 2_000;
/** A push that commits late can add a send below the watermark. A full scan this often finds it. */
const FULL_SCAN_EVERY_MS = SECOND / 2;

/**
 * Claims due sends in two steps: it looks for the queues with due sends without a lock, and then takes each business's share under a
 * lease. Between the two another worker may take some; then this one gets less than its share, and the next claim finds the rest.
 *
 * Each claim starts after the business where the last one ended. It reads nothing below a watermark: entries of finished sends stay
 * in the index until a vacuum, which an old transaction can delay for long, and each claim would have to step over all of them.
 */
export class Claimer {
  readonly #pool: Pool;
  readonly #watermark: ScanWatermark;
  readonly #queuesMax: number;
  #after: QueueKey | null = null;

  constructor(pool: Pool, monotonic = monotonicMs, queuesMax = QUEUES_MAX) {
    this.#pool = pool;
    this.#watermark = createScanWatermark(FULL_SCAN_EVERY_MS, monotonic);
    this.#queuesMax = queuesMax;
  }

  async claim(capacity: ClaimCapacity, now: Date) {
    let reachedEnd = this.#after === null;
    for (;;) {
      const claim = await this.#claimOnce(capacity, now);
      if (claim.sends.length > 0) return claim;
      if (this.#after !== null) continue;
      // Nothing is due up to the last business. Start again from the first, once.
      if (reachedEnd) return claim;
      reachedEnd = true;
    }
  }

  async #claimOnce(capacity: ClaimCapacity, now: Date) {
    const lease = randomText(LEASE_TOKEN_LENGTH);
    const fromFirst = this.#after === null;
    if (fromFirst) this.#watermark.begin(now);
    const range = { after: this.#after, floor: this.#watermark.at(), now, max: this.#queuesMax };
    const scan = await dueSends.find(this.#pool, range);
    this.#watermark.passed(scan.earliest);
    const shares = shareAmongBusinesses(scan.queues, capacity);
    const sends = await this.#take(shares, now, lease);
    const last = shares.fullAt ?? scan.end?.business_id ?? null;
    this.#after = last === null ? null : { business_id: last, queue: null };
    if (this.#after === null) this.#watermark.end();
    const scannedAll = fromFirst && this.#after === null;
    return {
      lease,
      sends,
      /** Whether another claim may find more now. */
      more: !scannedAll || someHasAll(sends, shares.share),
      /** False while a part of the database cannot be reached. */
      complete: scan.complete,
    };
  }

  async #take({ queues, share }: SendShares, now: Date, lease: string): Promise<ClaimedSend[]> {
    if (queues.length === 0) return [];
    const taken = await eachReachable(
      this.#pool,
      queues,
      ({ business_id }) => business_id,
      (some) =>
        claimDueSends(
          this.#pool,
          ...columns(some, 'business_id', 'queue'),
          some.map(({ earliest }) => new Date(earliest)),
          now,
          share,
          lease,
          later(now, SEND_LEASE_MS),
        ),
    );
    return taken.flat();
  }
}

/** Whether a business got all of its share, so that it may have more due sends than that. */
const someHasAll = (sends: readonly ClaimedSend[], share: number): boolean =>
  [...groupBy(sends, ({ business_id }) => business_id).values()].some(({ length }) => length >= share);

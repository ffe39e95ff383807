import type { Channel } from '../../src/contract/channels.ts';
import { later } from '../../src/kit/clock.ts';
import type { ClaimCapacity } from '../../src/outbox/capacity.ts';
import { SEND_LEASE_MS } from '../../src/outbox/claim.ts';

export interface OutboxSend {
  business_id: string;
  id: string;
  channel: Channel;
  state: 'held' | 'queued' | 'submitting';
  due_at: Date;
}

/**
 * What the claim promises, in the plainest words, for one worker:
 *
 * - A claim takes due sends only: queued ones whose channel has capacity, for their business too, and every held or submitting one.
 * - It serves businesses in the order of their ids, after the last one of the claim before, and as many as `limit`. If none of the rest
 *   has such a send, it starts again from the first.
 * - Each of them gets its longest-waiting sends, up to limit / number of businesses served, rounded down and at least one.
 * - A claimed send is not due again until its lease ends.
 *
 * So a claim never takes more than `limit`, and everything that is due if no business has more than that share.
 */
export class PromisedSends {
  #after = '';
  #sends: OutboxSend[];

  constructor(sends: readonly OutboxSend[]) {
    this.#sends = sends.map((send) => ({ ...send }));
  }

  /** `chosen`: between sends that are due at the same time, as after a lease, a claim may choose. */
  claim(capacity: ClaimCapacity, now: Date, chosen: readonly string[]): string[] {
    const startedLate = this.#after !== '';
    const claimed = this.#claimAfter(capacity, now, chosen);
    return claimed.length === 0 && startedLate ? this.#claimAfter(capacity, now, chosen) : claimed;
  }

  #claimAfter({ limit, channels, full }: ClaimCapacity, now: Date, chosen: readonly string[]): string[] {
    const mayBeCalled = ({ business_id, channel }: OutboxSend): boolean =>
      channels.includes(channel) &&
      !full.some((one) => one.business_id === business_id && one.channel === channel);
    const due = this.#sends.filter(
      (send) =>
        send.business_id > this.#after &&
        send.due_at <= now &&
        (send.state !== 'queued' || mayBeCalled(send)),
    );
    const served = [...new Set(due.map(({ business_id }) => business_id))].sort().slice(0, limit);
    const share = Math.max(1, Math.floor(limit / Math.max(1, served.length)));
    const claimed = served.flatMap((businessId) =>
      due
        .filter(({ business_id }) => business_id === businessId)
        .sort(
          (a, b) =>
            a.due_at.getTime() - b.due_at.getTime() ||
            Number(chosen.includes(b.id)) - Number(chosen.includes(a.id)),
        )
        .slice(0, share),
    );
    for (const send of claimed) send.due_at = later(now, SEND_LEASE_MS);
    this.#after = served.length >= limit ? (served.at(-1) ?? '') : '';
    return claimed.map(({ id }) => id).sort();
  }
}

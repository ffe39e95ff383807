import type { DueQueue } from '../db/dueQueues.ts';
import { equalShare } from '../kit/fairShare.ts';
import { groupBy } from '../kit/groupBy.ts';
import type { ClaimCapacity } from './capacity.ts';
import { CALLED_OR_HELD } from './claimSql.ts';

/** What a claim takes. */
export type SendShares = ReturnType<typeof shareAmongBusinesses>;

/**
 * Shares the limit of a claim equally between the first businesses with due sends, as many as the limit. A queue whose channel has no
 * capacity, or none for its business, waits; held sends and calls in progress need none.
 */
export function shareAmongBusinesses(queues: readonly DueQueue[], { limit, channels, full }: ClaimCapacity) {
  const open = new Set<string>([CALLED_OR_HELD, ...channels]);
  const closed = new Set(full.map(({ business_id, channel }) => `${business_id} ${channel}`));
  const businesses = groupBy(
    queues.filter(({ business_id, queue }) => open.has(queue) && !closed.has(`${business_id} ${queue}`)),
    ({ business_id }) => business_id,
  );
  const served = [...businesses].slice(0, limit);
  return {
    /** Of the businesses that it serves, all with capacity. */
    queues: served.flatMap(([, group]) => group),
    /** The most sends that each of these businesses gets. */
    share: equalShare(limit, served.length),
    /** The last of them, if there may be more businesses than the limit; the next claim starts after it. */
    fullAt: served.length >= limit ? (served.at(-1)?.[0] ?? null) : null,
  };
}

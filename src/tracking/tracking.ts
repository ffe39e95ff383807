import type { PushConcurrency } from '../config/connections.ts';
import type { Slots } from '../kit/slots.ts';
import type { AcceptDeps } from '../push/accept.ts';
import { createGroups } from '../push/groups.ts';
import type { PushResponse } from '../push/outcomes.ts';
import { answerOf } from '../push/pushes.ts';
import { acceptTracking } from './accept.ts';
import type { TrackingItem } from './item.ts';

export interface Tracking {
  report(item: TrackingItem): Promise<PushResponse>;
  /** Resolves when no event is waiting or being written. */
  idle(): Promise<void>;
}

/** The entry for every tracking event. They are gathered into groups as pushes are, and wait for locks in the same slots. */
export function createTracking(
  deps: AcceptDeps,
  concurrency: PushConcurrency,
  { deferredSlots }: { deferredSlots: Slots },
): Tracking {
  const groups = createGroups<TrackingItem>({
    pool: deps.pool,
    concurrency: { ...concurrency, spareGroups: 0, spareSingle: 0 },
    accept: (items, options) => acceptTracking(deps, items, options),
    deferredSlots,
  });
  return {
    report: (item) => answerOf(groups.add(item)),
    idle: () => groups.idle(),
  };
}

import { later } from '../../src/kit/clock.ts';
import { DELIVERY_LEASE_MS } from '../../src/webhooks/claim.ts';
import type { ClaimLimits } from '../../src/webhooks/claimShares.ts';

export interface TestEndpoint {
  businessId: string;
  endpointId: string;
  live: boolean;
  failing: boolean;
}

export interface WaitingDelivery {
  businessId: string;
  endpointId: string;
  eventId: string;
  dueAt: Date;
  lease: { worker: string; end: Date } | null;
  stopped: boolean;
}

/**
 * What the claim promises, in the plainest words:
 *
 * - A claim takes due deliveries only, and none under a lease that has not ended.
 * - It leaves out an endpoint without capacity, and one of which another worker holds a due delivery.
 * - Each of the other endpoints with due deliveries gets its longest-waiting ones, up to its capacity and to limit / number of these
 *   endpoints, rounded down and at least one. A failing endpoint has a capacity of one, one of which this worker holds deliveries has
 *   what that leaves, and one that is disabled or deleted has no bound: its deliveries are stopped.
 * - Where there are more endpoints than `limit`, the first in the order of their ids are served.
 */
export class PromisedDeliveries {
  readonly #endpoints: readonly TestEndpoint[];
  readonly #deliveries: WaitingDelivery[];

  constructor(endpoints: readonly TestEndpoint[], deliveries: readonly WaitingDelivery[]) {
    this.#endpoints = endpoints;
    this.#deliveries = deliveries.map((delivery) => ({ ...delivery }));
  }

  claim(worker: string, { limit, perEndpoint, held }: ClaimLimits, now: Date): void {
    const isHeld = ({ lease }: WaitingDelivery): boolean => lease !== null && lease.end >= now;
    const capacityOf = ({ businessId, endpointId, live, failing }: TestEndpoint): number => {
      if (!live) return limit;
      const own = held.find((one) => one.businessId === businessId && one.endpointId === endpointId);
      return own?.capacity ?? (failing ? 1 : perEndpoint);
    };
    const served = this.#endpoints.flatMap((endpoint) => {
      const due = this.#deliveries
        .filter(
          ({ businessId, endpointId, dueAt, stopped }) =>
            businessId === endpoint.businessId &&
            endpointId === endpoint.endpointId &&
            dueAt <= now &&
            !stopped,
        )
        .sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime() || (a.eventId < b.eventId ? -1 : 1));
      const isTaken = due.some((one) => isHeld(one) && one.lease?.worker !== worker);
      const capacity = capacityOf(endpoint);
      return due.length === 0 || isTaken || capacity <= 0 ? [] : [{ live: endpoint.live, capacity, due }];
    });
    const share = Math.max(1, Math.floor(limit / Math.max(1, served.length)));
    const claimed = served.flatMap(({ live, capacity, due }) =>
      due
        .filter((one) => !isHeld(one))
        .slice(0, Math.min(capacity, share))
        .map((one) => ({ one, live })),
    );
    for (const { one, live } of claimed.slice(0, limit)) {
      one.stopped = !live;
      one.lease = live ? { worker, end: later(now, DELIVERY_LEASE_MS) } : null;
    }
  }

  /** In the order of their keys: who holds each, or that it was stopped. */
  state(): string[] {
    return this.#deliveries
      .map(
        ({ endpointId, eventId, lease, stopped }) =>
          `${endpointId} ${eventId}: ${stopped ? 'stopped' : lease ? `${lease.worker} until ${lease.end.getTime()}` : 'waits'}`,
      )
      .sort();
  }
}

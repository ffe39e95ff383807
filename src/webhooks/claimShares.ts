import { equalShare } from '../kit/fairShare.ts';
import type { DueEndpoint } from './claimSql.ts';

export interface EndpointRef {
  businessId: string;
  endpointId: string;
}

export const endpointKey = ({ businessId, endpointId }: EndpointRef): string => `${businessId} ${endpointId}`;

/** How many to claim in all, per endpoint, and for the endpoints of which this worker already holds some. */
export interface ClaimLimits {
  limit: number;
  perEndpoint: number;
  held: readonly (EndpointRef & { capacity: number })[];
}

/** An endpoint that a claim serves, and how many of its deliveries it takes at most. */
export interface EndpointShare {
  endpoint: DueEndpoint;
  count: number;
}

/**
 * Shares the limit of a claim equally between the endpoints with due deliveries, up to the capacity of each. A failing endpoint gets one
 * delivery at a time. An endpoint of which another worker holds a delivery is left to it, so that order and the concurrency limit
 * hold across processes; two workers that look at the same moment can share one for one claim.
 */
export function shareAmongEndpoints(
  endpoints: readonly DueEndpoint[],
  { limit, perEndpoint, held }: ClaimLimits,
): EndpointShare[] {
  const left = new Map(held.map((endpoint) => [endpointKey(endpoint), endpoint.capacity]));
  const capacityOf = ({ business_id, queue, live, failing }: DueEndpoint): number =>
    // The deliveries of one that is disabled or deleted are only stopped.
    live ? (left.get(`${business_id} ${queue}`) ?? (failing ? 1 : perEndpoint)) : limit;
  const due = endpoints.filter((endpoint) => !endpoint.leased && capacityOf(endpoint) > 0);
  const share = equalShare(limit, due.length);
  return due
    .filter(({ free }) => free)
    .slice(0, limit)
    .map((endpoint) => ({ endpoint, count: Math.min(capacityOf(endpoint), share) }));
}

import { ofReachableShops } from '../db/cluster/reachable.ts';
import type { Queryable } from '../db/statement.ts';
import { claimOfEndpoint, type DueEndpoint, findDueEndpoints } from './claimOnClusterSql.ts';
import type { FoundRow } from './claimSql.ts';
import { leaseStamp } from './lease.ts';

/** The most endpoints with pending deliveries that one scan visits. */
export const SCAN_ENDPOINTS_MAX = 1_000;

export interface EndpointKey {
  businessId: string;
  endpointId: string;
}

/** Sorts before every endpoint. */
export const SCAN_START: EndpointKey = { businessId: '', endpointId: '' };

/**
 * How many deliveries to claim: in all, per endpoint, and for the endpoints of which this worker already holds
 * some.
 */
export interface ClaimLimits {
  limit: number;
  perEndpoint: number;
  held: readonly (EndpointKey & { capacity: number })[];
}

interface DeliveryClaimRange extends ClaimLimits {
  /** The endpoint after which it starts. */
  from: EndpointKey;
  floor: Date;
  now: Date;
  worker: string;
  lease: string;
}

interface FoundDeliveries {
  found: FoundRow[];
  /** Where the next scan continues; SCAN_START after the last endpoint. */
  next: EndpointKey;
  /** The earliest pending delivery that the scan passed. */
  earliest: Date | null;
}

/**
 * One claim of due deliveries. It has two forms, for one Postgres and for a cluster, that claim the same deliveries
 * (test/cluster/deliveryClaims.test.ts).
 */
export type ClaimDeliveries = (db: Queryable, range: DeliveryClaimRange) => Promise<FoundDeliveries>;

/**
 * Claims due deliveries on a cluster: finds the endpoints with due deliveries on all shards without a lock, and then takes each
 * one's share from its own shard under SKIP LOCKED.
 */
export const claimDeliveriesOnCluster: ClaimDeliveries = async (db, range) => {
  const { from, floor, now, limit, perEndpoint, held, worker, lease } = range;
  const stamp = leaseStamp(now);
  const { rows: scanned, complete } = await findDueEndpoints(
    db,
    from.businessId,
    from.endpointId,
    floor,
    now,
    stamp,
    worker,
    SCAN_ENDPOINTS_MAX,
  );
  const capacityOf = ({ business_id, endpoint_id, live, failing }: DueEndpoint): number => {
    if (!live) return limit;
    const own = held.find((one) => one.businessId === business_id && one.endpointId === endpoint_id);
    return own?.capacity ?? (failing ? 1 : perEndpoint);
  };
  const due = scanned.filter((endpoint) => !endpoint.taken && capacityOf(endpoint) > 0);
  const share = Math.max(1, Math.floor(limit / Math.max(1, due.length)));
  // An endpoint whose deliveries are all under way must not use up the limit.
  const served = due.filter(({ free }) => free).slice(0, limit);
  const claims = await ofReachableShops(
    served.map((endpoint) =>
      claimOfEndpoint(
        db,
        endpoint.business_id,
        endpoint.endpoint_id,
        floor,
        now,
        stamp,
        Math.min(capacityOf(endpoint), share),
        lease,
        endpoint.live,
        endpoint.failing,
      ),
    ),
  );
  const last = scanned.length >= SCAN_ENDPOINTS_MAX ? scanned.at(-1) : undefined;
  return {
    found: claims.flat(),
    next: last ? { businessId: last.business_id, endpointId: last.endpoint_id } : SCAN_START,
    earliest: complete ? earliestOf(scanned) : UNKNOWN,
  };
};

/** There may be anything on a shard that did not answer: the next scan starts from the beginning. */
const UNKNOWN = new Date(0);

const earliestOf = (scanned: readonly DueEndpoint[]): Date | null =>
  scanned.length === 0 ? null : new Date(Math.min(...scanned.map(({ earliest }) => earliest)));

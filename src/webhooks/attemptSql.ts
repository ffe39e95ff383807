import { statement } from '../db/statement.ts';
import type { Json } from './canonicalJson.ts';

export interface PreparedRow {
  position: number;
  url: string;
  secret_sealed: Buffer;
  live: boolean;
  type: string;
  occurred_at: Date;
  data: Json;
}

/**
 * What an attempt about to begin says, and to whom. Read this late so that an erasure reaches every attempt that
 * begins after it, and so that nothing begins for an endpoint that was disabled or deleted meanwhile. A delivery
 * whose lease was lost is not found. (Each row is fetched on its own: always by key, whatever the tables' size.)
 */
export const prepareAttempts = statement<
  [worker: string, businessIds: string[], endpointIds: string[], eventIds: string[]],
  PreparedRow
>(`
  select k.position::int as position, w.url, w.secret_sealed, w.live, e.type, e.occurred_at, e.data
  from unnest($2::text[], $3::text[], $4::text[]) with ordinality k (business_id, endpoint_id, event_id, position)
  cross join lateral (
    select from webhook_deliveries d
    where d.business_id = k.business_id and d.endpoint_id = k.endpoint_id and d.event_id = k.event_id
      and d.lease = $1 limit 1) d
  cross join lateral (
    select url, secret_sealed, disabled_at is null and deleted_at is null as live from webhook_endpoints
    where business_id = k.business_id and id = k.endpoint_id limit 1) w
  cross join lateral (
    select type, occurred_at, data from events where business_id = k.business_id and id = k.event_id limit 1) e`);

import { statement } from '../db/statement.ts';
import type { Json } from './canonicalJson.ts';

export interface ContentRow {
  position: number;
  url: string;
  secret_sealed: Buffer;
  live: boolean;
  id: string;
  type: string;
  occurred_at: Date;
  data: Json;
}

/**
 * What deliveries that have waited for their turn say, and to whom, as it is now. One whose lease was lost is not
 * found. (Each row is fetched on its own: always by key, whatever the tables' size.)
 */
export const readContents = statement<
  [businessIds: string[], endpointIds: string[], eventIds: string[], leases: string[]],
  ContentRow
>(`
  select k.position::int as position, w.url, w.secret_sealed, w.live, e.id, e.type, e.occurred_at, e.data
  from unnest($1::text[], $2::text[], $3::text[], $4::text[])
    with ordinality k (business_id, endpoint_id, event_id, lease, position)
  cross join lateral (
    select from webhook_deliveries d
    where d.business_id = k.business_id and d.endpoint_id = k.endpoint_id and d.event_id = k.event_id
      and d.lease = k.lease limit 1) d
  cross join lateral (
    select url, secret_sealed, disabled_at is null and deleted_at is null as live from webhook_endpoints
    where business_id = k.business_id and id = k.endpoint_id limit 1) w
  cross join lateral (
    select id, type, occurred_at, data from events where business_id = k.business_id and id = k.event_id limit 1) e`);

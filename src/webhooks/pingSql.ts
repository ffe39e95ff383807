import { statement } from '../db/statement.ts';

/** Locked, so that tests of one endpoint are counted one after the other, on whatever node they are asked for. */
export const lockEndpoint = statement<
  [businessId: string, id: string],
  { url: string; secret_sealed: Buffer }
>(`
  select url, secret_sealed from webhook_endpoints
  where business_id = $1 and id = $2 and deleted_at is null for no key update`);

/** By the primary key, whose range from `firstId` on holds only the pings of about the time asked for. */
export const countPings = statement<
  [businessId: string, endpointId: string, firstId: string, lastId: string, since: Date],
  { pings: number; oldest: Date | null }
>(`
  select count(*)::int as pings, min(at) as oldest from webhook_attempts
  where business_id = $1 and endpoint_id = $2 and event_id >= $3 and event_id < $4 and at > $5`);

export const beginPing = statement<
  [businessId: string, endpointId: string, eventId: string, at: Date, error: string]
>(`
  insert into webhook_attempts (business_id, endpoint_id, event_id, attempt, at, error, duration_ms)
  values ($1, $2, $3, 1, $4, $5, 0)`);

export const endPing = statement<
  [
    businessId: string,
    endpointId: string,
    eventId: string,
    statusCode: number | null,
    error: string | null,
    durationMs: number,
  ]
>(`
  update webhook_attempts set status_code = $4, error = $5, duration_ms = $6
  where business_id = $1 and endpoint_id = $2 and event_id = $3 and attempt = 1`);

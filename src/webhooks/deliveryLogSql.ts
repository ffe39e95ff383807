import { statement } from '../db/statement.ts';

export interface DeliveryRow {
  event_id: string;
  type: string;
  occurred_at: Date;
  state: 'pending' | 'delivered' | 'exhausted' | 'stopped';
  attempts: number;
  next_attempt_at: Date | null;
  settled_at: Date | null;
  status_code: number | null;
  error: string | null;
}

const DELIVERY = `
  d.event_id, e.type, e.occurred_at, d.state, d.attempts, d.due_at as next_attempt_at, d.settled_at`;

/** Newest event first, each with its latest attempt. */
export const listDeliveries = statement<
  [businessId: string, endpointId: string, state: string | null, limit: number],
  DeliveryRow
>(`
  select ${DELIVERY}, a.status_code, a.error
  from webhook_deliveries d
  join events e on e.business_id = d.business_id and e.id = d.event_id
  left join lateral (
    select status_code, error from webhook_attempts a
    where a.business_id = d.business_id and a.endpoint_id = d.endpoint_id and a.event_id = d.event_id
    order by a.attempt desc limit 1) a on true
  where d.business_id = $1 and d.endpoint_id = $2 and ($3::text is null or d.state = $3)
  order by d.event_id desc limit $4`);

export const findDelivery = statement<
  [businessId: string, endpointId: string, eventId: string],
  Omit<DeliveryRow, 'status_code' | 'error'>
>(`
  select ${DELIVERY}
  from webhook_deliveries d
  join events e on e.business_id = d.business_id and e.id = d.event_id
  where d.business_id = $1 and d.endpoint_id = $2 and d.event_id = $3`);

export interface AttemptRow {
  attempt: number;
  at: Date;
  status_code: number | null;
  error: string | null;
  duration_ms: number;
}

export const listAttempts = statement<[businessId: string, endpointId: string, eventId: string], AttemptRow>(`
  select attempt, at, status_code, error, duration_ms from webhook_attempts
  where business_id = $1 and endpoint_id = $2 and event_id = $3
  order by attempt`);

/** Deleted endpoints too: their log outlives them. */
export const findEndpoint = statement<[endpointId: string], { businessId: string }>(`
  select business_id as "businessId" from webhook_endpoints where id = $1`);

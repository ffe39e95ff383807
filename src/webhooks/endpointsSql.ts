import type { EndpointView } from '../contract/endpoints.ts';
import type { ValueOf } from '../contract/schema.ts';
import { statement } from '../db/statement.ts';
import type { OfEndpoint } from './deliveriesSql.ts';
import type { StoredSecrets } from './signature.ts';

/** An endpoint as the interface shows it (2.12). `secret` is masked except in the response that creates or rotates it. */
export type Endpoint = Omit<ValueOf<typeof EndpointView>, 'created_at' | 'last_success_at'> & {
  created_at: Date;
  last_success_at: Date | null;
};

const ENDPOINT = `
  id, url, description, secret_masked as secret, event_types, disabled_at is not null as disabled,
  consecutive_failures, created_at, last_success_at, last_error`;

/** Newest first. */
export const listLiveEndpoints = statement<[businessId: string], Endpoint>(`
  select ${ENDPOINT}
  from webhook_endpoints where business_id = $1 and deleted_at is null
  order by created_at desc, id desc`);

/** Serialises the creation of endpoints, so that their count is exact. Pushes, whose foreign keys refer to the row, do not wait. */
export const lockBusiness = statement<[businessId: string], { id: string }>(`
  select id from businesses where id = $1 for no key update`);

/** A statement of its own after the lock, so that it sees the commits of the lock's previous holder. */
export const countLive = statement<[businessId: string, url: string], { live: number; same_url: boolean }>(`
  select count(*)::int as live, coalesce(bool_or(url = $2), false) as same_url
  from webhook_endpoints where business_id = $1 and deleted_at is null`);

export const insertEndpoint = statement<
  [
    ...OfEndpoint,
    url: string,
    description: string,
    secretSealed: Buffer,
    secretMasked: string,
    eventTypes: readonly string[],
    createdAt: Date,
    lastError: string | null,
  ],
  Endpoint
>(`
  insert into webhook_endpoints (business_id, id, url, description, secret_sealed, secret_masked, event_types,
    created_at, last_error)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  returning ${ENDPOINT}`);

/** The secret is deleted; the delivery log stays. */
export const markDeleted = statement<[...OfEndpoint, at: Date], { id: string }>(`
  update webhook_endpoints set deleted_at = $3, secret_sealed = '', previous_secret_sealed = null
  where business_id = $1 and id = $2 and deleted_at is null
  returning id`);

/**
 * Gives an endpoint a new secret. Until `switchesAt` the one that signs now keeps signing: that is the previous one
 * while an earlier rotation is pending, which this one replaces. With no time in between it is dropped at once.
 */
export const writeNextSecret = statement<
  [...OfEndpoint, secretSealed: Buffer, secretMasked: string, now: Date, switchesAt: Date],
  Endpoint
>(`
  update webhook_endpoints set secret_sealed = $3, secret_masked = $4, secret_switches_at = $6,
    previous_secret_sealed = case
      when $6::timestamptz <= $5 then null
      when secret_switches_at > $5 and previous_secret_sealed is not null then previous_secret_sealed
      else secret_sealed end
  where business_id = $1 and id = $2 and deleted_at is null
  returning ${ENDPOINT}`);

export interface EnabledRow {
  businessId: string;
  url: string;
  wasDisabled: boolean;
}

/** Changes an endpoint and answers what it was before. */
const change = (set: string, returning: string): string => `
  update webhook_endpoints w set ${set}
  from (
    select business_id, id, disabled_at, event_types from webhook_endpoints
    where business_id = $1 and id = $2 and deleted_at is null for no key update
  ) before
  where w.business_id = $1 and w.id = before.id
  returning ${returning}`;

/** Resets the count too, or the next exhausted event would disable the endpoint again. */
export const markEnabled = statement<OfEndpoint, EnabledRow>(
  change(
    'disabled_at = null, consecutive_failures = 0',
    'w.business_id as "businessId", w.url, before.disabled_at is not null as "wasDisabled"',
  ),
);

/** The count stays: it says whether failures disabled the endpoint, or a person. */
export const markDisabled = statement<[...OfEndpoint, now: Date], { wasDisabled: boolean }>(
  change('disabled_at = coalesce(w.disabled_at, $3)', 'before.disabled_at is not null as "wasDisabled"'),
);

/** Events that are queued already are not concerned. */
export const setEventTypes = statement<[...OfEndpoint, eventTypes: readonly string[]], { before: string[] }>(
  change('event_types = $3', 'before.event_types as before'),
);

/** The health begins anew. Of a disabled endpoint the count stays: it says whether failures disabled it, or a person. */
export const setUrl = statement<[...OfEndpoint, url: string, now: Date, lastError: string | null]>(`
  update webhook_endpoints set url = $3, url_changed_at = $4, last_error = $5, last_success_at = null,
    consecutive_failures = case when disabled_at is null then 0 else consecutive_failures end
  where business_id = $1 and id = $2 and deleted_at is null`);

/** The lock serialises the tests of one endpoint across nodes, so that their count is exact. */
export const lockEndpoint = statement<OfEndpoint, StoredSecrets & { url: string }>(`
  select url, secret_sealed, previous_secret_sealed, secret_switches_at from webhook_endpoints
  where business_id = $1 and id = $2 and deleted_at is null for no key update`);

/** The range of the primary key from `firstId` on holds only recent pings. */
export const countPings = statement<
  [...OfEndpoint, firstId: string, lastId: string, since: Date],
  { pings: number; oldest: Date | null }
>(`
  select count(*)::int as pings, min(at) as oldest from webhook_attempts
  where business_id = $1 and endpoint_id = $2 and event_id >= $3 and event_id < $4 and at > $5`);

export const beginPing = statement<[...OfEndpoint, eventId: string, at: Date, error: string]>(`
  insert into webhook_attempts (business_id, endpoint_id, event_id, attempt, at, error, duration_ms)
  values ($1, $2, $3, 1, $4, $5, 0)`);

export const endPing = statement<
  [
    ...OfEndpoint,
    eventId: string,
    statusCode: number | null,
    error: string | null,
    durationMs: number,
    response: string | null,
  ]
>(`
  update webhook_attempts set status_code = $4, error = $5, duration_ms = $6, response = $7
  where business_id = $1 and endpoint_id = $2 and event_id = $3 and attempt = 1`);

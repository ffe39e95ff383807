import { actorOf } from '../businesses/audit.ts';
import type { Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import type { Clock } from '../kit/clock.ts';
import { ApiError, invalid } from '../kit/errors.ts';
import { stopQueued } from './attemptSql.ts';
import {
  auditEndpoint,
  type CheckedUrl,
  checkUrl,
  type EndpointDeps,
  type OwnEndpointRequest,
  typeFaults,
} from './endpoints.ts';
import {
  type Endpoint,
  listLiveEndpoints,
  lockBusiness,
  markDeleted,
  markDisabled,
  markEnabled,
  setEventTypes,
  setUrl,
} from './endpointsSql.ts';
import { leaseStamp } from './lease.ts';

/** What is to become of an endpoint; what is not named, or null, stays as it is. */
export interface EndpointChanges {
  /** Sends what is due to another URL, after the same checks as for a new endpoint. */
  url?: string | null;
  /** What it takes from now on; none named: see `typesByDefault`. */
  event_types?: readonly string[] | null;
  enabled?: boolean | null;
}

/** Changes all that is named, or nothing, each with its entry in the audit log. `changed`: something was another before. */
export async function changeEndpoint(
  { pool, clock, hosts }: Omit<EndpointDeps, 'sealer'>,
  request: OwnEndpointRequest,
  { url = null, event_types: types = null, enabled = null }: EndpointChanges,
): Promise<{ endpoint: Endpoint; changed: boolean }> {
  const faults = typeFaults(types ?? []);
  if (faults.length > 0) throw invalid(...faults);
  const checked = url === null ? null : await checkUrl(url, hosts);
  return transaction(pool, async (tx) => {
    const write: Writing = { tx, now: clock.now(), request };
    const written = [
      checked !== null && (await writeUrl(write, checked)),
      types !== null && (await writeTypes(write, types)),
      enabled !== null && (await (enabled ? enable(write) : disable(write))),
    ];
    const endpoint = await ownEndpoint(write);
    return { endpoint, changed: written.includes(true) };
  });
}

/** Deletes an endpoint and its secret, and stops its pending deliveries. */
export const deleteEndpoint = (pool: Pool, clock: Clock, request: OwnEndpointRequest): Promise<void> =>
  transaction(pool, async (tx) => {
    const write: Writing = { tx, now: clock.now(), request };
    existing(await markDeleted(tx, request.businessId, request.endpointId, write.now));
    await stopDeliveries(write);
    await audit(write, 'endpoint.deleted');
  });

interface Writing {
  tx: Queryable;
  now: Date;
  request: OwnEndpointRequest;
}

/**
 * An attempt under way ends at the URL before, and counts no more for the endpoint's health, which begins anew. The secret
 * stays.
 */
async function writeUrl(write: Writing, { href, origin, note }: CheckedUrl): Promise<boolean> {
  const { tx, now, request } = write;
  const { businessId, endpointId } = request;
  await lockBusiness(tx, businessId);
  const endpoints = await listLiveEndpoints(tx, businessId);
  const before = existing(endpoints.filter(({ id }) => id === endpointId));
  if (before.url === href) return false;
  if (endpoints.some(({ url }) => url === href)) throw new ApiError('webhook.endpoint_exists');
  await setUrl(tx, businessId, endpointId, href, now, note);
  // The rest of a URL may hold a secret.
  await audit(write, 'endpoint.url_changed', { from: new URL(before.url).origin, to: origin });
  return true;
}

async function writeTypes(write: Writing, types: readonly string[]): Promise<boolean> {
  const { tx, request } = write;
  const to = [...new Set(types)];
  const { before } = existing(await setEventTypes(tx, request.businessId, request.endpointId, to));
  if (before.length === to.length && before.every((type) => to.includes(type))) return false;
  await audit(write, 'endpoint.types_changed', { from: before, to });
  return true;
}

/** Earlier deliveries stay stopped. */
async function enable(write: Writing): Promise<boolean> {
  const { tx, request } = write;
  const { wasDisabled } = existing(await markEnabled(tx, request.businessId, request.endpointId));
  if (wasDisabled) await audit(write, 'endpoint.enabled');
  return wasDisabled;
}

/** Stops its pending deliveries, as its failures would. */
async function disable(write: Writing): Promise<boolean> {
  const { tx, now, request } = write;
  const { wasDisabled } = existing(await markDisabled(tx, request.businessId, request.endpointId, now));
  if (wasDisabled) return false;
  await stopDeliveries(write);
  await audit(write, 'endpoint.disabled');
  return true;
}

async function ownEndpoint({ tx, request }: Writing): Promise<Endpoint> {
  const endpoints = await listLiveEndpoints(tx, request.businessId);
  return existing(endpoints.filter(({ id }) => id === request.endpointId));
}

const stopDeliveries = ({ tx, now, request }: Writing): Promise<unknown> =>
  stopQueued(tx, request.businessId, request.endpointId, now, leaseStamp(now));

const audit = ({ tx, now, request }: Writing, action: string, detail: object = {}): Promise<void> =>
  auditEndpoint(tx, now, request, { actor: actorOf(request), action, ...detail });

function existing<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new ApiError('webhook.endpoint_not_found');
  return row;
}

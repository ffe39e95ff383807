import { type Acting, actorOf, OPERATOR, recordAudit } from '../businesses/audit.ts';
import { ENDPOINTS_MAX } from '../config/limits.ts';
import { eventTypes } from '../contract/eventTypes.ts';
import type { Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import { type Clock, later, MINUTE } from '../kit/clock.ts';
import { ApiError, type Fault, invalid, OperatorError } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Sealer } from '../kit/seal.ts';
import { stopQueued } from './attemptSql.ts';
import type { EndpointRef } from './claimShares.ts';
import { findEndpoint } from './deliveriesSql.ts';
import {
  countLive,
  type EnabledRow,
  type Endpoint,
  insertEndpoint,
  lockBusiness,
  markDeleted,
  markDisabled,
  markEnabled,
  setEventTypes,
  writeNextSecret,
} from './endpointsSql.ts';
import { checkEndpointHost, type HostCheck, parseEndpointUrl } from './endpointUrl.ts';
import { leaseStamp } from './lease.ts';
import { mask, newSecret, secretContext } from './signature.ts';

export interface EndpointDeps {
  pool: Pool;
  clock: Clock;
  sealer: Sealer;
  /** The same rules as at every later connection. */
  hosts: HostCheck;
}

export type EndpointRequest = Acting & {
  businessId: string;
  url: string;
  /** Empty: every event but those that must be named. */
  eventTypes: readonly string[];
  description: string;
};

export type OwnEndpointRequest = Acting & EndpointRef;

/** Checks the form of the request first, then where the URL leads, then what the business already has. */
export async function createEndpoint(deps: EndpointDeps, request: EndpointRequest): Promise<Endpoint> {
  const { pool, clock, sealer, hosts } = deps;
  const parsed = parseEndpointUrl(request.url, hosts);
  const faults = typeFaults(request.eventTypes);
  if (!parsed.ok) faults.unshift(urlFault(parsed.fault, request.url));
  if (!parsed.ok || faults.length > 0) throw invalid(...faults.slice(0, MAX_FAULTS));
  const host = await checkEndpointHost(parsed.url, hosts);
  if (!host.ok) throw invalid(urlFault(host.fault, request.url));

  const { businessId, description } = request;
  const url = parsed.url.href;
  const eventTypes = [...new Set(request.eventTypes)];
  return transaction(pool, async (tx) => {
    await lockBusiness(tx, businessId);
    const [count] = await countLive(tx, businessId, url);
    if (count?.same_url) throw new ApiError('webhook.endpoint_exists');
    if (count && count.live >= ENDPOINTS_MAX) throw new ApiError('webhook.endpoint_limit_reached');

    const now = clock.now();
    const id = newId(now);
    const secret = newSecret();
    const sealed = sealer.seal(secret, secretContext(id));
    const fields = [url, description, sealed, mask(secret), eventTypes, now, host.note] as const;
    const [created] = await insertEndpoint(tx, businessId, id, ...fields);
    if (!created) throw new Error('the endpoint was not written');
    const endpoint = { businessId, endpointId: id };
    await auditEndpoint(tx, now, endpoint, { actor: actorOf(request), action: 'endpoint.created' });
    return { ...created, secret };
  });
}

interface EndpointChange<Row> {
  action: string;
  /** Writes it; answers what was before. */
  mark(tx: Queryable, now: Date): Promise<Row[]>;
  isChange?: (before: Row) => boolean;
  stopsDeliveries?: boolean;
  detail?: (before: Row) => Record<string, unknown>;
}

/** Writes a change of an endpoint with its entry in the audit log. False: nothing changed. */
const changeEndpoint = <Row>(
  pool: Pool,
  clock: Clock,
  request: OwnEndpointRequest,
  { action, mark, isChange = () => true, stopsDeliveries = false, detail = () => ({}) }: EndpointChange<Row>,
): Promise<boolean> =>
  transaction(pool, async (tx) => {
    const { businessId, endpointId } = request;
    const now = clock.now();
    const [before] = await mark(tx, now);
    if (!before) throw new ApiError('webhook.endpoint_not_found');
    if (!isChange(before)) return false;
    if (stopsDeliveries) await stopQueued(tx, businessId, endpointId, now, leaseStamp(now));
    await auditEndpoint(tx, now, request, { actor: actorOf(request), action, ...detail(before) });
    return true;
  });

/** Deletes an endpoint and its secret, and stops its pending deliveries. */
export const deleteEndpoint = (pool: Pool, clock: Clock, request: OwnEndpointRequest): Promise<boolean> =>
  changeEndpoint(pool, clock, request, {
    action: 'endpoint.deleted',
    mark: (tx, now) => markDeleted(tx, request.businessId, request.endpointId, now),
    stopsDeliveries: true,
  });

/** For the operator: enables an endpoint that its failures disabled. Earlier deliveries stay stopped. */
export function enableEndpoint(pool: Pool, clock: Clock, endpointId: string): Promise<EnabledRow> {
  return transaction(pool, async (tx) => {
    // Ids are random, so no two businesses share one and the operator need not name the business.
    const [owner] = await findEndpoint(tx, endpointId);
    const [enabled] = owner ? await markEnabled(tx, owner.businessId, endpointId) : [];
    if (!enabled) throw noSuchEndpoint(endpointId);
    const endpoint = { businessId: enabled.businessId, endpointId };
    await auditEndpoint(tx, clock.now(), endpoint, { actor: OPERATOR, action: 'endpoint.enabled' });
    return enabled;
  });
}

/** The same for the endpoint of a business. False: it was enabled before. */
export const enableOwnEndpoint = (pool: Pool, clock: Clock, request: OwnEndpointRequest): Promise<boolean> =>
  changeEndpoint(pool, clock, request, {
    action: 'endpoint.enabled',
    mark: (tx) => markEnabled(tx, request.businessId, request.endpointId),
    isChange: ({ wasDisabled }) => wasDisabled,
  });

/** Disables an endpoint and stops its pending deliveries, as its failures would. False: it was disabled before. */
export const disableEndpoint = (pool: Pool, clock: Clock, request: OwnEndpointRequest): Promise<boolean> =>
  changeEndpoint(pool, clock, request, {
    action: 'endpoint.disabled',
    mark: (tx, now) => markDisabled(tx, request.businessId, request.endpointId, now),
    isChange: ({ wasDisabled }) => !wasDisabled,
    stopsDeliveries: true,
  });

/** Changes which events an endpoint takes from now on; none named: see `typesByDefault`. False: it took these before. */
export function changeEventTypes(
  pool: Pool,
  clock: Clock,
  request: OwnEndpointRequest,
  types: readonly string[],
) {
  const faults = typeFaults(types);
  if (faults.length > 0) throw invalid(...faults);
  const to = [...new Set(types)];
  return changeEndpoint(pool, clock, request, {
    action: 'endpoint.types_changed',
    mark: (tx) => setEventTypes(tx, request.businessId, request.endpointId, to),
    isChange: ({ before }) => before.length !== to.length || !before.every((type) => to.includes(type)),
    detail: ({ before }) => ({ from: before, to }),
  });
}

/** `endpoint.secret` is masked; `secret` is whole. */
export interface Rotation {
  endpoint: Endpoint;
  secret: string;
  switchesAt: Date;
}

/**
 * Gives an endpoint a new secret, which signs its deliveries after the switch; null: there is no such endpoint. The
 * list shows the new secret, masked, at once: it is the one that the merchant was given last.
 */
export async function rotateEndpointSecret(
  tx: Queryable,
  sealer: Sealer,
  request: OwnEndpointRequest & { switchAfterMinutes: number },
  now: Date,
): Promise<Rotation | null> {
  const { businessId, endpointId, switchAfterMinutes } = request;
  const secret = newSecret();
  const sealed = sealer.seal(secret, secretContext(endpointId));
  const switchesAt = later(now, switchAfterMinutes * MINUTE);
  const [endpoint] = await writeNextSecret(tx, businessId, endpointId, sealed, mask(secret), now, switchesAt);
  if (!endpoint) return null;
  const entry = { actor: actorOf(request), action: 'endpoint.secret_rotated', switches_at: switchesAt };
  await auditEndpoint(tx, now, request, entry);
  return { endpoint, secret, switchesAt };
}

export const noSuchEndpoint = (endpointId: string): OperatorError =>
  new OperatorError(`No webhook endpoint has the id "${endpointId}".`);

export const auditEndpoint = (
  tx: Queryable,
  now: Date,
  { businessId, endpointId }: EndpointRef,
  { actor, action, ...detail }: { actor: string; action: string; [field: string]: unknown },
): Promise<void> =>
  recordAudit(tx, now, { businessId, actor, action, detail: { endpoint_id: endpointId, ...detail } });

/** Limits the size of the response that a small request can cause. */
const MAX_FAULTS = 100;
/** A fault does not repeat a longer value. */
const MAX_INPUT_BYTES = 16 * 1024;

const knownTypes: ReadonlySet<string> = new Set(eventTypes);
const choices = eventTypes.map((type) => `'${type}'`);
const NOT_A_TYPE = `Input should be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;

/* Faults are in the vocabulary of Pydantic v2. */

const typeFaults = (types: readonly string[]): Fault[] =>
  types
    .flatMap((type, index): Fault[] =>
      knownTypes.has(type)
        ? []
        : [{ type: 'enum', loc: ['body', 'event_types', index], msg: NOT_A_TYPE, input: inputOf(type) }],
    )
    .slice(0, MAX_FAULTS);

export const urlFault = (fault: string, url: string): Fault => ({
  type: 'value_error',
  loc: ['body', 'url'],
  msg: `Value error, ${fault}`,
  input: inputOf(url),
});

const inputOf = (text: string): string | null =>
  Buffer.byteLength(JSON.stringify(text)) > MAX_INPUT_BYTES ? null : text;

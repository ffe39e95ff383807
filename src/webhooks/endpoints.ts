import { actingKey, OPERATOR, recordAudit } from '../businesses/audit.ts';
import { ENDPOINTS_MAX } from '../config/limits.ts';
import { eventTypes } from '../contract/eventTypes.ts';
import type { Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import type { Clock } from '../kit/clock.ts';
import { ApiError, type Fault, invalid, OperatorError } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Sealer } from '../kit/seal.ts';
import { stopQueued } from './attemptSql.ts';
import { leaseStamp } from './claim.ts';
import {
  countLive,
  type EnabledRow,
  type Endpoint,
  insertEndpoint,
  lockBusiness,
  markDeleted,
  markEnabled,
} from './endpointsSql.ts';
import { checkEndpointHost, type HostCheck, parseEndpointUrl, type UrlVerdict } from './endpointUrl.ts';
import { mask, newSecret, secretContext } from './signature.ts';

export interface EndpointDeps {
  pool: Pool;
  clock: Clock;
  sealer: Sealer;
  /** The same rules as at every later connection. */
  hosts: HostCheck;
}

export interface EndpointRequest {
  businessId: string;
  keyId: string;
  url: string;
  /** Empty: every event. */
  eventTypes: readonly string[];
  description: string | null;
}

/**
 * Creates an endpoint. Checks the request's form first, then where the URL leads, then what the business already
 * has.
 */
export async function createEndpoint(deps: EndpointDeps, request: EndpointRequest): Promise<Endpoint> {
  const { pool, clock, sealer, hosts } = deps;
  const parsed = parseEndpointUrl(request.url, hosts);
  const faults = formFaults(request, parsed);
  if (!parsed.ok || faults.length > 0) throw invalid(...faults);
  const host = await checkEndpointHost(parsed.url, hosts);
  if (!host.ok) throw invalid(urlFault(host.fault, request.url));

  const { businessId, keyId, description } = request;
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
    await insertEndpoint(
      tx,
      businessId,
      id,
      url,
      description,
      sealed,
      mask(secret),
      eventTypes,
      now,
      host.note,
    );
    await auditEndpoint(tx, now, businessId, keyId, 'endpoint.created', id);
    return {
      id,
      url,
      description,
      secret,
      event_types: eventTypes,
      disabled: false,
      consecutive_failures: 0,
      created_at: now,
      last_success_at: null,
      last_error: host.note,
    };
  });
}

/** Deletes an endpoint and its secret, and stops its pending deliveries. */
export function deleteEndpoint(
  pool: Pool,
  clock: Clock,
  request: { businessId: string; keyId: string; endpointId: string },
): Promise<void> {
  const { businessId, keyId, endpointId } = request;
  return transaction(pool, async (tx) => {
    const now = clock.now();
    const [deleted] = await markDeleted(tx, businessId, endpointId, now);
    if (!deleted) throw new ApiError('webhook.endpoint_not_found');
    await stopQueued(tx, businessId, endpointId, now, leaseStamp(now));
    await auditEndpoint(tx, now, businessId, keyId, 'endpoint.deleted', endpointId);
  });
}

/** For the operator: enables an endpoint that its failures disabled. Earlier deliveries stay stopped. */
export function enableEndpoint(pool: Pool, clock: Clock, endpointId: string): Promise<EnabledRow> {
  return transaction(pool, async (tx) => {
    const [enabled] = await markEnabled(tx, endpointId);
    if (!enabled) throw noSuchEndpoint(endpointId);
    await auditEndpoint(tx, clock.now(), enabled.businessId, null, 'endpoint.enabled', endpointId);
    return enabled;
  });
}

export const noSuchEndpoint = (endpointId: string): OperatorError =>
  new OperatorError(`No webhook endpoint has the id "${endpointId}".`);

const auditEndpoint = (
  tx: Queryable,
  now: Date,
  businessId: string,
  keyId: string | null,
  action: string,
  endpointId: string,
): Promise<void> =>
  recordAudit(tx, now, {
    businessId,
    actor: keyId === null ? OPERATOR : actingKey(keyId),
    action,
    detail: { endpoint_id: endpointId },
  });

/** Limits the size of the response that a small request can cause. */
const MAX_FAULTS = 100;
/** A fault does not repeat a longer value. */
const MAX_INPUT_BYTES = 16 * 1024;

const knownTypes: ReadonlySet<string> = new Set(eventTypes);
const choices = eventTypes.map((type) => `'${type}'`);
const NOT_A_TYPE = `Input should be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;

/** Every fault in the form of a request for an endpoint, in the vocabulary of Pydantic v2. */
function formFaults(request: { url: string; eventTypes: readonly string[] }, url: UrlVerdict): Fault[] {
  const types = request.eventTypes.flatMap((type, index): Fault[] =>
    knownTypes.has(type)
      ? []
      : [{ type: 'enum', loc: ['body', 'event_types', index], msg: NOT_A_TYPE, input: inputOf(type) }],
  );
  return [...(url.ok ? [] : [urlFault(url.fault, request.url)]), ...types].slice(0, MAX_FAULTS);
}

const urlFault = (fault: string, url: string): Fault => ({
  type: 'value_error',
  loc: ['body', 'url'],
  msg: `Value error, ${fault}`,
  input: inputOf(url),
});

const inputOf = (text: string): string | null =>
  Buffer.byteLength(JSON.stringify(text)) > MAX_INPUT_BYTES ? null : text;

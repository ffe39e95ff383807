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
import type { EndpointRef } from './claimShares.ts';
import { findEndpoint } from './deliveriesSql.ts';
import {
  countLive,
  type EnabledRow,
  type Endpoint,
  insertEndpoint,
  lockBusiness,
  markEnabled,
  writeNextSecret,
} from './endpointsSql.ts';
import { checkEndpointHost, type HostCheck, parseEndpointUrl } from './endpointUrl.ts';
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
  const { href: url, note } = await checkUrl(request.url, hosts, typeFaults(request.eventTypes));
  const { businessId, description } = request;
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
    const fields = [url, description, sealed, mask(secret), eventTypes, now, note] as const;
    const [created] = await insertEndpoint(tx, businessId, id, ...fields);
    if (!created) throw new Error('the endpoint was not written');
    const endpoint = { businessId, endpointId: id };
    await auditEndpoint(tx, now, endpoint, { actor: actorOf(request), action: 'endpoint.created' });
    return { ...created, secret };
  });
}

export interface CheckedUrl {
  href: string;
  origin: string;
  /** Why it cannot be reached now; null: it can. */
  note: string | null;
}

/** Checks the form of the URL, whose fault comes together with `others`, then where it leads. */
export async function checkUrl(
  url: string,
  hosts: HostCheck,
  others: readonly Fault[] = [],
): Promise<CheckedUrl> {
  const parsed = parseEndpointUrl(url, hosts);
  if (!parsed.ok) throw invalid(...[urlFault(parsed.fault, url), ...others].slice(0, MAX_FAULTS));
  if (others.length > 0) throw invalid(...others);
  const host = await checkEndpointHost(parsed.url, hosts);
  if (!host.ok) throw invalid(urlFault(host.fault, url));
  const { href, origin } = parsed.url;
  return { href, origin, note: host.note };
}

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

export const typeFaults = (types: readonly string[]): Fault[] =>
  types
    .flatMap((type, index): Fault[] =>
      knownTypes.has(type)
        ? []
        : [{ type: 'enum', loc: ['body', 'event_types', index], msg: NOT_A_TYPE, input: inputOf(type) }],
    )
    .slice(0, MAX_FAULTS);

const urlFault = (fault: string, url: string): Fault => ({
  type: 'value_error',
  loc: ['body', 'url'],
  msg: `Value error, ${fault}`,
  input: inputOf(url),
});

const inputOf = (text: string): string | null =>
  Buffer.byteLength(JSON.stringify(text)) > MAX_INPUT_BYTES ? null : text;

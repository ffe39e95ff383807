import { actorOf } from '../businesses/audit.ts';
import type { Queryable } from '../db/statement.ts';
import { later, MINUTE } from '../kit/clock.ts';
import type { Sealer } from '../kit/seal.ts';
import { auditEndpoint, type EndpointAct } from './endpoints.ts';
import { type Endpoint, rotateSecret } from './endpointsSql.ts';
import { mask, newSecret, secretContext } from './signature.ts';

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
  request: EndpointAct & { switchAfterMinutes: number },
  now: Date,
): Promise<Rotation | null> {
  const { businessId, endpointId, switchAfterMinutes } = request;
  const secret = newSecret();
  const sealed = sealer.seal(secret, secretContext(endpointId));
  const switchesAt = later(now, switchAfterMinutes * MINUTE);
  const [endpoint] = await rotateSecret(tx, businessId, endpointId, sealed, mask(secret), now, switchesAt);
  if (!endpoint) return null;
  const entry = { actor: actorOf(request), action: 'endpoint.secret_rotated', switches_at: switchesAt };
  await auditEndpoint(tx, now, request, entry);
  return { endpoint, secret, switchesAt };
}

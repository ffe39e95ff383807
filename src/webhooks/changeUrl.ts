import { actorOf } from '../businesses/audit.ts';
import { transaction } from '../db/transaction.ts';
import { ApiError, invalid } from '../kit/errors.ts';
import { auditEndpoint, type EndpointDeps, type OwnEndpointRequest, urlFault } from './endpoints.ts';
import { listLiveEndpoints, lockBusiness, setUrl } from './endpointsSql.ts';
import { checkEndpointHost, parseEndpointUrl } from './endpointUrl.ts';

/**
 * Sends what is due to another URL from now on, after the same checks as for a new endpoint. An attempt under way ends at the URL before,
 * and counts no more for the endpoint's health, which begins anew. The secret stays. False: it had this URL already.
 */
export async function changeEndpointUrl(
  { pool, clock, hosts }: Omit<EndpointDeps, 'sealer'>,
  request: OwnEndpointRequest & { url: string },
): Promise<boolean> {
  const parsed = parseEndpointUrl(request.url, hosts);
  if (!parsed.ok) throw invalid(urlFault(parsed.fault, request.url));
  const host = await checkEndpointHost(parsed.url, hosts);
  if (!host.ok) throw invalid(urlFault(host.fault, request.url));

  const { businessId, endpointId } = request;
  const { href, origin } = parsed.url;
  return transaction(pool, async (tx) => {
    await lockBusiness(tx, businessId);
    const endpoints = await listLiveEndpoints(tx, businessId);
    const before = endpoints.find(({ id }) => id === endpointId);
    if (!before) throw new ApiError('webhook.endpoint_not_found');
    if (before.url === href) return false;
    if (endpoints.some(({ url }) => url === href)) throw new ApiError('webhook.endpoint_exists');
    const now = clock.now();
    await setUrl(tx, businessId, endpointId, href, now, host.note);
    // The rest of a URL may hold a secret.
    const detail = { from: new URL(before.url).origin, to: origin };
    await auditEndpoint(tx, now, request, {
      actor: actorOf(request),
      action: 'endpoint.url_changed',
      ...detail,
    });
    return true;
  });
}

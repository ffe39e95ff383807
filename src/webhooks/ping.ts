import { actingMember } from '../businesses/audit.ts';
import { ENDPOINT_TESTS_A_MINUTE } from '../config/limits.ts';
import type { Queryable } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import { earlier, MINUTE, SECOND } from '../kit/clock.ts';
import { ApiError } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { TraceSpan } from '../kit/tracing.ts';
import { type DeliveryAttemptDeps, idsOf } from './attempt.ts';
import type { EndpointRef } from './claimShares.ts';
import { auditEndpoint } from './endpoints.ts';
import { beginPing, countPings, endPing, lockEndpoint } from './endpointsSql.ts';
import { envelope } from './events.ts';
import { failureTexts } from './failures.ts';
import { postWebhook } from './post.ts';
import { secretContext, signedWebhookHeaders, signingKeys, signingSecret } from './signature.ts';

export type PingDeps = Pick<DeliveryAttemptDeps, 'pool' | 'clock' | 'log' | 'sealer' | 'client'>;

interface PingOptions extends EndpointRef {
  memberId?: string;
  /** Of the request that asks for the ping: it belongs to that trace. */
  span?: TraceSpan | null;
}

/** Prefix of every ping's id and of no event's, so that the log distinguishes them. */
export const PING_PREFIX = 'ping';
/** Sorts after every id that begins with the prefix. */
export const AFTER_PINGS = 'pinh';

/**
 * Sends one signed ping and returns its outcome, without changing the endpoint's health. A ping is no event: it
 * is never stored, retried or replayed. Its attempt is in the log, which also counts towards the limit per
 * minute.
 */
export async function pingEndpoint(
  deps: PingDeps,
  { businessId, endpointId, memberId, span = null }: PingOptions,
) {
  const { pool, clock, log, sealer, client } = deps;
  const now = clock.now();
  const ref = { businessId, endpointId };
  const id = PING_PREFIX + newId(now);
  const endpoint = await transaction(pool, async (tx) => {
    const [found] = await lockEndpoint(tx, businessId, endpointId);
    if (!found) throw new ApiError('webhook.endpoint_not_found');
    await refuseOverLimit(tx, ref, now);
    await beginPing(tx, businessId, endpointId, id, now, failureTexts.unanswered);
    if (memberId !== undefined)
      await auditEndpoint(tx, now, ref, { actor: actingMember(memberId), action: 'endpoint.tested' });
    return found;
  });

  const type = 'ping';
  const body = envelope({ id, type, occurred_at: now, data: { endpoint_id: endpointId } });
  const keys = signingKeys(sealer.open(signingSecret(endpoint, now), secretContext(endpointId)));
  const headers = signedWebhookHeaders({ keys, eventId: id, eventType: type, rawBody: body });
  if (span) headers.traceparent = span.context;
  const answer = await postWebhook(client, { url: endpoint.url, headers, body });
  const { delivered, statusCode: status_code, error, durationMs: duration_ms, response } = answer;
  await endPing(pool, businessId, endpointId, id, status_code, error, duration_ms, response);
  log.info(
    { ...idsOf({ ...ref, eventId: id }), delivered, status_code, reason: error, duration_ms },
    'webhook endpoint tested',
  );
  return { delivered, status_code, error, duration_ms };
}

async function refuseOverLimit(tx: Queryable, { businessId, endpointId }: EndpointRef, now: Date) {
  const since = earlier(now, MINUTE);
  const firstId = PING_PREFIX + newId(earlier(since, SECOND));
  const [count] = await countPings(tx, businessId, endpointId, firstId, AFTER_PINGS, since);
  if (!count || count.pings < ENDPOINT_TESTS_A_MINUTE) return;
  const left = (count.oldest?.getTime() ?? 0) + MINUTE - now.getTime();
  throw new ApiError('webhook.test_rate_limited', undefined, {
    'retry-after': String(Math.max(1, Math.ceil(left / SECOND))),
  });
}

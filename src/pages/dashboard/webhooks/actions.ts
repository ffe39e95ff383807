import type { Pool } from '../../../db/pool.ts';
import { answerOnce, type KeyClaim, type OnceResult } from '../../../idempotency/idempotency.ts';
import { ApiError } from '../../../kit/errors.ts';
import type { Sealer } from '../../../kit/seal.ts';
import { type Rotation, rotateEndpointSecret } from '../../../webhooks/rotate.ts';

/**
 * Gives an endpoint a new secret, once per form, as the API does once per idempotency key. Null: the form was sent before, and
 * its secret was shown then.
 */
export async function rotateAsMember(
  { pool, sealer }: { pool: Pool; sealer: Sealer },
  claim: KeyClaim,
  request: { memberId: string; endpointId: string; switchAfterMinutes: number },
): Promise<Rotation | null> {
  const answer = await answerOnce<OnceResult & { rotation: Rotation }>(pool, claim, async (tx) => {
    const { businessId, now } = claim;
    const rotation = await rotateEndpointSecret(tx, sealer, { businessId, ...request }, now);
    if (rotation === null) throw new ApiError('webhook.endpoint_not_found');
    // Nothing of it is stored with the form: the secret is shown once.
    return { status: 200, body: '{}', recipientId: null, rotation };
  });
  return answer.replayed ? null : answer.done.rotation;
}

import type { Client } from '../../db/pool.ts';
import { answerOnce, type KeyClaim } from '../../idempotency/idempotency.ts';
import { ApiError } from '../../kit/errors.ts';
import type { MessageKey } from '../../messages/lock.ts';
import { failureBody } from '../failures.ts';
import { keyedFingerprint, requestFingerprint } from '../fingerprint.ts';
import type { Call, OperationDeps, Reply } from '../operation.ts';

type CallOnOne = Call<{ public_id: string }, unknown, unknown>;

/** The use of a call's idempotency key. An unknown id can be any text, so its fingerprint is keyed. */
export const claimOf = (
  { clock, hash }: Pick<OperationDeps, 'clock' | 'hash'>,
  scope: KeyClaim['scope'],
  { caller, params, idempotencyKey }: CallOnOne,
  body: unknown = null,
): KeyClaim => ({
  businessId: caller.businessId,
  scope,
  key: idempotencyKey,
  fingerprint: keyedFingerprint(hash, requestFingerprint(body, params)),
  now: clock.now(),
});

interface Worked {
  result: object;
  recipientId: string;
}

const NOT_FOUND = failureBody(new ApiError('message.not_found'));

/**
 * A handler that acts on one message once per idempotency key. "No such message" is a reply like any other: it
 * uses up the key and is replayed.
 */
export const onceOnMessage =
  <W extends Worked>(
    deps: OperationDeps,
    scope: KeyClaim['scope'],
    work: (tx: Client, key: MessageKey, now: Date) => Promise<W | null>,
    afterwards: (worked: W) => void,
  ) =>
  async (call: CallOnOne): Promise<Reply> => {
    const claim = claimOf(deps, scope, call);
    const key = { businessId: claim.businessId, messageId: call.params.public_id };
    const answer = await answerOnce(deps.pool, claim, async (tx) => {
      const worked = await work(tx, key, claim.now);
      if (worked === null) return { status: 404, body: NOT_FOUND, recipientId: null, worked };
      return { status: 200, body: JSON.stringify(worked.result), recipientId: worked.recipientId, worked };
    });
    if (!answer.replayed && answer.done.worked !== null) afterwards(answer.done.worked);
    return answer;
  };

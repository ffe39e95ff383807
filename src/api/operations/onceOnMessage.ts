import type { Client, Pool } from '../../db/pool.ts';
import { answerOnce, type KeyClaim } from '../../idempotency/idempotency.ts';
import type { Clock } from '../../kit/clock.ts';
import { sentenceOf } from '../../kit/errors.ts';
import type { Hasher } from '../../kit/seal.ts';
import type { MessageKey } from '../../messages/lock.ts';
import { keyedFingerprint, requestFingerprint } from '../fingerprint.ts';
import type { Call, Reply } from '../operation.ts';

interface Worked {
  result: object;
  recipientId: string;
}

const NOT_FOUND = JSON.stringify({
  error_code: 'message.not_found',
  detail: sentenceOf('message.not_found'),
});

/**
 * A handler that acts on one message once per idempotency key. "No such message" is a reply like any other: it
 * uses up the key and is replayed.
 */
export function onceOnMessage<W extends Worked>(
  { pool, clock, hash }: { pool: Pool; clock: Clock; hash: Hasher },
  scope: KeyClaim['scope'],
  work: (tx: Client, key: MessageKey, now: Date) => Promise<W | null>,
  afterwards: (worked: W) => void,
) {
  return async ({
    caller,
    params,
    idempotencyKey,
  }: Call<{ public_id: string }, unknown, unknown>): Promise<Reply> => {
    const now = clock.now();
    const { businessId } = caller;
    const claim: KeyClaim = {
      businessId,
      scope,
      key: idempotencyKey,
      // An unknown id can be any text, and its reply is stored under no person.
      fingerprint: keyedFingerprint(hash, requestFingerprint(null, params)),
      now,
    };
    const answer = await answerOnce(pool, claim, async (tx) => {
      const worked = await work(tx, { businessId, messageId: params.public_id }, now);
      if (worked === null) return { status: 404, body: NOT_FOUND, recipientId: null, worked };
      return { status: 200, body: JSON.stringify(worked.result), recipientId: worked.recipientId, worked };
    });
    if (!answer.replayed && answer.done.worked !== null) afterwards(answer.done.worked);
    return answer;
  };
}

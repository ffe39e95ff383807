import type { Client, Pool } from '../../db/pool.ts';
import { type KeyClaim, once } from '../../idempotency/idempotency.ts';
import type { Clock } from '../../kit/clock.ts';
import { sentenceOf } from '../../kit/errors.ts';
import type { Hasher } from '../../kit/seal.ts';
import type { MessageKey } from '../../messages/lock.ts';
import { fingerprint, keyedFingerprint } from '../fingerprint.ts';
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
 * A handler that does something to one message once a key. That there is no such message is an answer like any
 * other here: it spends the key and is replayed.
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
      // An id that is nobody's may be any text, and the answer to it is stored under no person.
      ...keyedFingerprint(hash, fingerprint(null, params)),
      now,
    };
    const answer = await once(pool, claim, async (tx) => {
      const worked = await work(tx, { businessId, messageId: params.public_id }, now);
      if (worked === null) return { status: 404, body: NOT_FOUND, recipientId: null, worked };
      return { status: 200, body: JSON.stringify(worked.result), recipientId: worked.recipientId, worked };
    });
    if (!answer.replayed && answer.done.worked !== null) afterwards(answer.done.worked);
    return answer;
  };
}

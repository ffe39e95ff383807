import { IDEMPOTENCY_MEMORY_MS } from '../config/limits.ts';
import { isConflict } from '../db/errors.ts';
import type { Client, Pool } from '../db/pool.ts';
import { transaction } from '../db/transaction.ts';
import { later } from '../kit/clock.ts';
import { ApiError } from '../kit/errors.ts';
import { lockNumber } from '../kit/ids.ts';
import { findAnswer, rememberAnswer, tryKey } from './sql.ts';

/** Hex hash of the request. The same key with another fingerprint is refused. */
export interface Fingerprinted {
  fingerprint: string;
  /** The hash as older versions stored it, without a secret key: their records must still be replayed for a day. */
  unkeyedFingerprint?: string | undefined;
}

export const isSameRequest = (stored: string, { fingerprint, unkeyedFingerprint }: Fingerprinted): boolean =>
  stored === fingerprint || stored === unkeyedFingerprint;

/** A key is scoped to one business and one operation. */
export interface KeyClaim extends Fingerprinted {
  businessId: string;
  scope: 'retract' | 'resend_sms' | 'resend_whatsapp' | 'erase_whatsapp' | 'erase';
  key: string;
  now: Date;
}

/** The response to store and replay. Work may add fields that its caller needs after the commit. */
export interface OnceResult {
  status: number;
  body: string;
  /** The person in the response, so that an erasure finds it; null when there is none. */
  recipientId: string | null;
}

type OnceAnswer<Work extends OnceResult> =
  | { status: number; body: string; replayed: true }
  | { status: number; body: string; replayed: false; done: Work };

/**
 * Runs the work of a key once (interface 4.1). The claim, the work and the stored response are one transaction, so a crash or
 * an exception leaves the key unused. After a conflict the work is retried and sees the other transaction's commit.
 */
export async function answerOnce<Work extends OnceResult>(
  pool: Pool,
  claim: KeyClaim,
  work: (tx: Client) => Promise<Work>,
): Promise<OnceAnswer<Work>> {
  try {
    return await transaction(pool, (tx) => answerOrWork(tx, claim, work), { attempts: 3 });
  } catch (error) {
    throw isConflict(error) ? new ApiError('request.conflict') : error;
  }
}

async function answerOrWork<Work extends OnceResult>(
  tx: Client,
  claim: KeyClaim,
  work: (tx: Client) => Promise<Work>,
): Promise<OnceAnswer<Work>> {
  const { businessId, scope, key, fingerprint, now } = claim;
  const [lock] = await tryKey(tx, lockNumber('idempotency', businessId, scope, key));
  if (!lock?.free) throw new ApiError('idempotency.request_in_progress');

  const [before] = await findAnswer(tx, businessId, scope, key, now);
  if (before) {
    if (!isSameRequest(before.fingerprint, claim)) throw new ApiError('idempotency.key_reused');
    return { status: before.status, body: before.response, replayed: true };
  }

  const done = await work(tx);
  const expires = later(now, IDEMPOTENCY_MEMORY_MS);
  const print = Buffer.from(fingerprint, 'hex');
  await rememberAnswer(
    tx,
    businessId,
    scope,
    key,
    print,
    done.status,
    done.body,
    done.recipientId,
    now,
    expires,
  );
  return { status: done.status, body: done.body, replayed: false, done };
}

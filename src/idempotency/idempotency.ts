import { IDEMPOTENCY_MEMORY_MS } from '../config/limits.ts';
import { isConflict } from '../db/errors.ts';
import type { Client, Pool } from '../db/pool.ts';
import { transaction } from '../db/transaction.ts';
import { later } from '../kit/clock.ts';
import { ApiError } from '../kit/errors.ts';
import { lockNumber } from '../kit/ids.ts';
import { findAnswer, rememberAnswer, tryKey } from './sql.ts';

/** A key is scoped to one business and one operation. */
export interface KeyClaim {
  businessId: string;
  scope:
    | 'retract'
    | 'resend_sms'
    | 'resend_whatsapp'
    | 'erase_whatsapp'
    | 'erase'
    | 'replay'
    | 'rotate_secret';
  key: string;
  /** Hex hash of the request. The same key with another fingerprint is refused. */
  fingerprint: string;
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
export const answerOnce = <Work extends OnceResult>(
  pool: Pool,
  claim: KeyClaim,
  work: (tx: Client) => Promise<Work>,
): Promise<OnceAnswer<Work>> => answerInSteps(pool, claim, async (tx) => ({ done: await work(tx) }));

/** A step of long work: its response, or a text from which the next step goes on. */
export type OnceStep<Work extends OnceResult> = { done: Work } | { progress: string };

/** The status of a record whose work is not done. Its response is the progress, which no caller sees. */
const UNFINISHED = 102;

/**
 * The same for work that is too long for one transaction. Each step is one, and stores how far it came under the key: after
 * a crash, a retry with the key goes on from there, and of two calls with the key neither repeats a step of the other.
 */
export async function answerInSteps<Work extends OnceResult>(
  pool: Pool,
  claim: KeyClaim,
  work: (tx: Client, progress: string | null) => Promise<OnceStep<Work>>,
): Promise<OnceAnswer<Work>> {
  for (;;) {
    const answer = await inTransaction(pool, async (tx): Promise<OnceAnswer<Work> | null> => {
      const before = await claimKey(tx, claim);
      if (before && before.status !== UNFINISHED)
        return { status: before.status, body: before.response, replayed: true };
      const step = await work(tx, before?.response ?? null);
      if ('progress' in step) {
        await remember(tx, claim, { status: UNFINISHED, body: step.progress, recipientId: null });
        return null;
      }
      const { done } = step;
      await remember(tx, claim, done);
      return { status: done.status, body: done.body, replayed: false, done };
    });
    if (answer !== null) return answer;
  }
}

async function inTransaction<T>(pool: Pool, work: (tx: Client) => Promise<T>): Promise<T> {
  try {
    return await transaction(pool, work, { attempts: 3 });
  } catch (error) {
    throw isConflict(error) ? new ApiError('request.conflict') : error;
  }
}

/** Locks the key until the transaction ends. Returns what is stored under it for this request. */
async function claimKey(tx: Client, claim: KeyClaim) {
  const { businessId, scope, key, now } = claim;
  const [lock] = await tryKey(tx, lockNumber('idempotency', businessId, scope, key));
  if (!lock?.free) throw new ApiError('idempotency.request_in_progress');
  const [before] = await findAnswer(tx, businessId, scope, key, now);
  if (before && before.fingerprint !== claim.fingerprint) throw new ApiError('idempotency.key_reused');
  return before;
}

async function remember(
  tx: Client,
  { businessId, scope, key, fingerprint, now }: KeyClaim,
  { status, body, recipientId }: OnceResult,
): Promise<void> {
  const expires = later(now, IDEMPOTENCY_MEMORY_MS);
  const print = Buffer.from(fingerprint, 'hex');
  await rememberAnswer(tx, businessId, scope, key, print, status, body, recipientId, now, expires);
}

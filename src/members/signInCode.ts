import { randomInt, timingSafeEqual } from 'node:crypto';
import { SIGN_IN_CODE_TRIES, SIGN_IN_CODE_TRIES_PER_MEMBER_A_DAY } from '../config/limits.ts';
import type { Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { ACTION_TRANSACTION, transaction } from '../db/transaction.ts';
import { DAY, earlier } from '../kit/clock.ts';
import { sha256 } from '../kit/ids.ts';
import type { Hasher } from '../kit/seal.ts';
import { startMemberSession } from './session.ts';
import { countTriesSince, countTry, endRequest } from './signInCodesSql.ts';

const DIGITS = 6;
const CODE = /^\d{6}$/;

/** For who reads the mail on another device than the one that asked for it. */
export const newSignInCode = (): string => String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');

/** The link's hash is part of it, so that equal codes of two mails have different hashes. */
export const hashCode = (hash: Hasher, tokenHash: Buffer, code: string): Buffer =>
  hash('sign_in_code', `${tokenHash.toString('hex')} ${code}`);

interface CodeUse {
  code: string;
  /** The browser's own token; null: it asked for no mail. */
  browserToken: string | null;
  browser: string;
}

/**
 * Trades the code of a mail that this browser asked for for a session, and returns the session's token. A wrong code is a try of
 * every mail that the browser waits for; the last try ends a mail's link, too.
 */
export async function signInWithCode(
  { pool, hash }: { pool: Pool; hash: Hasher },
  { code: typed, browserToken, browser }: CodeUse,
  now: Date,
): Promise<string | null> {
  const code = typed.replace(/\s/g, '');
  if (browserToken === null || !CODE.test(code)) return null;
  const attempt = async (tx: Queryable): Promise<string | null> => {
    const requests = await countTry(tx, sha256(browserToken), now, SIGN_IN_CODE_TRIES);
    const [match] = requests.filter(({ token_hash, code_hash }) =>
      timingSafeEqual(code_hash, hashCode(hash, token_hash, code)),
    );
    if (!match) return null;
    const [tries] = await countTriesSince(tx, match.member_id, earlier(now, DAY));
    if (tries && tries.count > SIGN_IN_CODE_TRIES_PER_MEMBER_A_DAY) return null;
    await endRequest(tx, match.token_hash);
    return startMemberSession(tx, { memberId: match.member_id, browser }, now);
  };
  return transaction(pool, attempt, ACTION_TRANSACTION);
}

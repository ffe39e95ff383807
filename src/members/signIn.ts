import {
  SIGN_IN_LINK_MS,
  SIGN_IN_LINKS_PER_MEMBER_AN_HOUR,
  SIGN_IN_LINKS_PER_SESSION_AN_HOUR,
  SIGN_IN_LINKS_PER_SOURCE_AN_HOUR,
} from '../config/limits.ts';
import type { Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import { earlier, HOUR, later } from '../kit/clock.ts';
import { parseEmailAddress } from '../kit/emailAddress.ts';
import { longRandomToken, sha256 } from '../kit/ids.ts';
import type { Hasher } from '../kit/seal.ts';
import { startMemberSession } from './session.ts';
import { hashCode, newSignInCode } from './signInCode.ts';
import {
  countLinksSince,
  findSignInLink,
  insertSignInLink,
  type LinkCounts,
  lockMemberWithShop,
  takeSignInLink,
} from './sql.ts';

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
export const isSignInToken = (text: string | null): text is string => text !== null && TOKEN.test(text);

/** A mail that is to be sent, with the token of its link and its code. */
export interface SignInLink {
  to: string;
  memberId: string;
  /** One of the member's shops, for the sandbox's list; null: there is none yet. */
  businessId: string | null;
  token: string;
  code: string;
}

/** Anybody at a client's address, or a session of the member. */
type LinkRequester = { source: string } | { sessionId: string };

/** Null: the address is no member's, or asked too often. A page must not show which, or it would reveal who is a member. */
export async function requestSignIn(
  { pool, hash }: { pool: Pool; hash: Hasher },
  { address, browserToken, asker }: { address: string; browserToken: string; asker: LinkRequester },
  now: Date,
): Promise<SignInLink | null> {
  const email = parseEmailAddress(address);
  if (email === null) return null;
  const requestedBy = 'source' in asker ? hash('source', asker.source) : sha256(asker.sessionId);
  return transaction(pool, async (tx) => {
    // Locked, so that requests at one moment are counted one after the other.
    const member = await lockMemberWithShop(tx, email);
    if (!member) return null;
    const [counts] = await countLinksSince(tx, member.id, requestedBy, earlier(now, HOUR));
    if (counts && isSpent(asker, counts)) return null;
    const [token, code] = [longRandomToken(), newSignInCode()];
    const tokenHash = sha256(token);
    const codeHash = hashCode(hash, tokenHash, code);
    const ends = later(now, SIGN_IN_LINK_MS);
    await insertSignInLink(tx, tokenHash, member.id, sha256(browserToken), requestedBy, codeHash, now, ends);
    return { to: email, memberId: member.id, businessId: member.business_id, token, code };
  });
}

/** A session has an allowance of its own: strangers can use up what anybody may ask for, but not that. */
const isSpent = (asker: LinkRequester, { by_requester, by_all }: LinkCounts): boolean =>
  'source' in asker
    ? by_requester >= SIGN_IN_LINKS_PER_SOURCE_AN_HOUR || by_all >= SIGN_IN_LINKS_PER_MEMBER_AN_HOUR
    : by_requester >= SIGN_IN_LINKS_PER_SESSION_AN_HOUR;

/** A link without a mail, and so without a code; of no browser, any may use it. */
export async function writeLink(
  db: Queryable,
  memberId: string,
  browserHash: Buffer | null,
  now: Date,
): Promise<string> {
  const token = longRandomToken();
  const ends = later(now, SIGN_IN_LINK_MS);
  await insertSignInLink(db, sha256(token), memberId, browserHash, null, null, now, ends);
  return token;
}

interface LinkUse {
  token: string;
  /** The browser's own token; null: it asked for no link. */
  browserToken: string | null;
}

/** Whether this browser could sign in by the link. Changes nothing: mail scanners fetch links. */
export async function canUseLink(db: Queryable, use: LinkUse, now: Date): Promise<boolean> {
  const [found] = isSignInToken(use.token) ? await findSignInLink(db, ...hashes(use), now) : [];
  return found !== undefined;
}

/** Trades the link for a session and returns the session's token; null when this browser cannot use the link, or no more. */
export async function signInWithLink(pool: Pool, use: LinkUse & { browser: string }, now: Date) {
  if (!isSignInToken(use.token)) return null;
  return transaction(pool, async (tx) => {
    const [link] = await takeSignInLink(tx, ...hashes(use), now);
    if (!link) return null;
    return startMemberSession(tx, { memberId: link.member_id, browser: use.browser }, now);
  });
}

/** A browser that asked for nothing has the hash of no token, which no link has. */
const hashes = ({ token, browserToken }: LinkUse) => [sha256(token), sha256(browserToken ?? '')] as const;

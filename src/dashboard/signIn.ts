import { SIGN_IN_LINK_MS, SIGN_IN_LINKS_AN_HOUR } from '../config/limits.ts';
import type { Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import { earlier, HOUR, later } from '../kit/clock.ts';
import { parseEmailAddress } from '../kit/emailAddress.ts';
import { longRandomToken, sha256 } from '../kit/ids.ts';
import { startMemberSession } from './memberSession.ts';
import {
  countLinksSince,
  ensureMember,
  findMemberByEmail,
  findSignInLink,
  insertSignInLink,
  takeSignInLink,
} from './sql.ts';

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
export const isSignInToken = (text: string | null): text is string => text !== null && TOKEN.test(text);

/** A mail that is to be sent, with the token of its link. */
export interface SignInLink {
  to: string;
  memberId: string;
  /** One of the member's shops, for the sandbox's list; null: there is none yet. */
  businessId: string | null;
  token: string;
}

/**
 * Makes a link for the browser that asks, if the address is a member's and has not asked too often. The page must not show
 * which, or it would reveal who is a member.
 */
export async function requestSignIn(
  pool: Pool,
  { address, browserToken }: { address: string; browserToken: string },
  now: Date,
): Promise<SignInLink | null> {
  const email = parseEmailAddress(address);
  if (email === null) return null;
  return transaction(pool, async (tx) => {
    const member = await findMemberByEmail(tx, email);
    if (!member) return null;
    // Locks the member, so that requests at one moment are counted one after the other.
    await ensureMember(tx, member.id, email, now);
    const [asked] = await countLinksSince(tx, member.id, earlier(now, HOUR));
    if (asked && asked.count >= SIGN_IN_LINKS_AN_HOUR) return null;
    const token = await writeLink(tx, member.id, sha256(browserToken), now);
    return { to: email, memberId: member.id, businessId: member.business_id, token };
  });
}

/** Stores a link and returns its token. */
export async function writeLink(
  db: Queryable,
  memberId: string,
  browserHash: Buffer | null,
  now: Date,
): Promise<string> {
  const token = longRandomToken();
  await insertSignInLink(db, sha256(token), memberId, browserHash, now, later(now, SIGN_IN_LINK_MS));
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
export async function signInWithLink(
  pool: Pool,
  use: LinkUse & { browser: string },
  now: Date,
): Promise<string | null> {
  if (!isSignInToken(use.token)) return null;
  return transaction(pool, async (tx) => {
    const [link] = await takeSignInLink(tx, ...hashes(use), now);
    if (!link) return null;
    return startMemberSession(tx, { memberId: link.member_id, browser: use.browser }, now);
  });
}

/** A browser that asked for nothing has the hash of no token, which no link has. */
const hashes = ({ token, browserToken }: LinkUse): [Buffer, Buffer] => [
  sha256(token),
  sha256(browserToken ?? ''),
];

import { createHmac } from 'node:crypto';
import {
  DASHBOARD_IDLE_MS,
  DASHBOARD_SESSION_MAX_MS,
  DASHBOARD_SESSIONS_PER_MEMBER,
  FRESH_SIGN_IN_MS,
} from '../config/limits.ts';
import type { Queryable } from '../db/statement.ts';
import { MINUTE } from '../kit/clock.ts';
import { longRandomToken, newId, sha256 } from '../kit/ids.ts';
import { constantTimeEqual } from '../kit/seal.ts';
import {
  type DashboardSessionRow,
  findDashboardSession,
  findShop,
  insertDashboardSession,
  touchDashboardSession,
  touchMembership,
} from './sql.ts';

export interface MemberSession extends DashboardSessionRow {
  /** The CSRF token of this session's forms. */
  formToken: string;
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
/** That a member was seen is written at most this often, however many pages they read. */
const TOUCHED_EVERY_MS = MINUTE;
const isToTouch = (lastSeen: Date | null, now: Date): boolean =>
  lastSeen === null || now.getTime() - lastSeen.getTime() >= TOUCHED_EVERY_MS;

/** As old as a sign-in is that no dangerous action takes. */
export const NOT_FRESH_MS = FRESH_SIGN_IN_MS + 1;

interface NewSession {
  memberId: string;
  browser: string;
  /** For one that begins at an OpenID Connect issuer, which may have known for long who they are. */
  oidc?: { signedInAt: Date };
}

/** Returns the session's token, which only the browser keeps. */
export async function startMemberSession(
  db: Queryable,
  { memberId, browser, oidc }: NewSession,
  now: Date,
): Promise<string> {
  const token = longRandomToken();
  const others = DASHBOARD_SESSIONS_PER_MEMBER - 1;
  const ends = expiry(now, now);
  const how = [oidc?.signedInAt ?? now, oidc !== undefined] as const;
  await insertDashboardSession(db, newId(now), sha256(token), memberId, browser, now, ends, others, ...how);
  return token;
}

/** The session of a token; null when it ended, by whatever cause. A person's use of it puts off its end. */
export async function memberSessionOf(
  db: Queryable,
  token: string | null,
  now: Date,
  { isUse }: { isUse: boolean },
): Promise<MemberSession | null> {
  if (token === null || !TOKEN.test(token)) return null;
  const [row] = await findDashboardSession(db, sha256(token), now);
  if (!row) return null;
  if (isUse && isToTouch(row.lastSeenAt, now))
    await touchDashboardSession(db, row.id, now, expiry(row.createdAt, now));
  return { ...row, formToken: formTokenFor(token) };
}

/** A shop as the session's member sees it, without a role unless they belong to it; their use of it shows in its list of members. */
export async function readShopOf(
  db: Queryable,
  { memberId }: Pick<MemberSession, 'memberId'>,
  businessId: string,
  now: Date,
  { isUse }: { isUse: boolean },
) {
  const [shop] = await findShop(db, businessId, memberId);
  if (shop && shop.role !== null && isUse && isToTouch(shop.last_seen_at, now))
    await touchMembership(db, businessId, memberId, now);
  return shop;
}

/** Whether the member signed in so recently that a dangerous action needs nothing more. */
export const isSignInFresh = ({ signedInAt }: Pick<MemberSession, 'signedInAt'>, now: Date): boolean =>
  now.getTime() - signedInAt.getTime() <= FRESH_SIGN_IN_MS;

export const expiry = (createdAt: Date, usedAt: Date): Date =>
  new Date(Math.min(usedAt.getTime() + DASHBOARD_IDLE_MS, createdAt.getTime() + DASHBOARD_SESSION_MAX_MS));

/** Derived from the session's secret, so that it needs no storage. */
const formTokenFor = (sessionToken: string): string =>
  createHmac('sha256', sessionToken).update('waypost dashboard form').digest('base64url');

export const hasFormToken = (session: MemberSession, given: string | null): boolean =>
  constantTimeEqual(session.formToken, given ?? '');

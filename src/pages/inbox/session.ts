import { createHmac } from 'node:crypto';
import { SESSION_LIFETIME_MS } from '../../config/limits.ts';
import type { Queryable } from '../../db/statement.ts';
import { later } from '../../kit/clock.ts';
import { newId, randomToken, sha256 } from '../../kit/ids.ts';
import { isChosen, languageFor } from '../../language/languages.ts';
import { readCookie } from '../kit/request.ts';
import type { Brand } from './layout.tsx';
import { findSession, insertSession } from './sql.ts';

/** A person's session in their inbox with one business. It can only read, stop and unsubscribe. */
export type Session = NonNullable<Awaited<ReturnType<typeof sessionOf>>>;

const SESSION_COOKIE = 'waypost_inbox';
const TOKEN = /^[A-Za-z0-9_-]{22}$/;

/** Returns the session's token, which only the browser keeps. At the limit per person, their oldest session ends. */
export async function startInboxSession(
  db: Queryable,
  { businessId, recipientId }: { businessId: string; recipientId: string },
  now: Date,
): Promise<string> {
  const token = randomToken();
  const expiresAt = later(now, SESSION_LIFETIME_MS);
  await insertSession(db, businessId, newId(now), sha256(token), recipientId, now, expiresAt);
  return token;
}

/** The session in a browser's cookies, expired or not; null when there is none or the person was erased. */
export async function sessionOf(db: Queryable, cookies: string | undefined, now: Date) {
  const token = readCookie(cookies, SESSION_COOKIE);
  if (token === null || !TOKEN.test(token)) return null;
  const [row] = await findSession(db, sha256(token));
  if (!row) return null;
  const brand: Brand = row;
  return {
    businessId: row.business_id,
    id: row.id,
    recipientId: row.recipient_id,
    brand,
    language: languageFor(row.language, row.business_language),
    /** Whether somebody chose it: the merchant for this person, or the shop another one than the first. */
    isLanguageChosen: isChosen(row.language, row.business_language),
    unsubscribed: row.unsubscribed_at !== null,
    expired: row.expires_at <= now,
    /** The CSRF token of this session's forms. */
    formToken: formTokenOf(token),
  };
}

/** Derived from the session's secret, so that it needs no storage. */
const formTokenOf = (sessionToken: string): string =>
  createHmac('sha256', sessionToken).update('waypost inbox form').digest('base64url');

export interface CookieScope {
  path: string;
  secure: boolean;
}

/**
 * SameSite=Strict works from a mail client too: the mail opens the link's page, which needs no cookie, and that page, our
 * own, leads to the inbox.
 */
export const sessionCookie = (token: string, scope: CookieScope): string =>
  cookie(token, SESSION_LIFETIME_MS / 1_000, scope);

export const endedSessionCookie = (scope: CookieScope): string => cookie('', 0, scope);

const cookie = (value: string, maxAge: number, { path, secure }: CookieScope): string =>
  `${SESSION_COOKIE}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;

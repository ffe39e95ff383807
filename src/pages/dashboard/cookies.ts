import { DASHBOARD_SESSION_MAX_MS, SIGN_IN_LINK_MS } from '../../config/limits.ts';

/** The names of the cookies. */
export interface DashboardCookies {
  session: string;
  /** The browser that asked for a link. */
  browser: string;
  /** The page that a member comes back to when they have signed in again. */
  returnTo: string;
  secure: boolean;
}

/**
 * Over https a `__Host-` name: the browser then takes the cookie from this host alone, over https, for every path, so that
 * another host of the same domain cannot plant one.
 */
export function dashboardCookies(publicUrl: string): DashboardCookies {
  const secure = new URL(publicUrl).protocol === 'https:';
  const prefix = secure ? '__Host-' : '';
  return {
    session: `${prefix}waypost_dashboard`,
    browser: `${prefix}waypost_sign_in`,
    returnTo: `${prefix}waypost_return`,
    secure,
  };
}

type Cookie = 'session' | 'browser' | 'returnTo';

const MAX_AGE_MS: Readonly<Record<Cookie, number>> = {
  session: DASHBOARD_SESSION_MAX_MS,
  browser: SIGN_IN_LINK_MS,
  returnTo: SIGN_IN_LINK_MS,
};

/** Null ends the cookie. Lax: a link in a mail leads into the dashboard, and forms of other sites send no cookie. */
export function setCookie(cookies: DashboardCookies, cookie: Cookie, value: string | null): string {
  const maxAge = value === null ? 0 : MAX_AGE_MS[cookie] / 1_000;
  const secure = cookies.secure ? '; Secure' : '';
  return `${cookies[cookie]}=${value ?? ''}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

import { DASHBOARD_SESSION_MAX_MS, OIDC_SIGN_IN_MS, SIGN_IN_LINK_MS } from '../../config/limits.ts';

/**
 * The names of the cookies. Over https a `__Host-` name: the browser then takes the cookie from this host alone, over https, for every path, so that
 * another host of the same domain cannot plant one.
 */
export function dashboardCookies(publicUrl: string) {
  const secure = new URL(publicUrl).protocol === 'https:';
  const prefix = secure ? '__Host-' : '';
  return {
    session: `${prefix}waypost_dashboard`,
    /** The browser that asked for a link. */
    browser: `${prefix}waypost_sign_in`,
    /** The page that a member comes back to when they have signed in again. */
    returnTo: `${prefix}waypost_return`,
    /** What a sign-in at the issuer began with, sealed. */
    oidc: `${prefix}waypost_oidc`,
    secure,
  };
}

export type DashboardCookies = ReturnType<typeof dashboardCookies>;

const MAX_AGE_MS = {
  session: DASHBOARD_SESSION_MAX_MS,
  browser: SIGN_IN_LINK_MS,
  returnTo: SIGN_IN_LINK_MS,
  oidc: OIDC_SIGN_IN_MS,
} as const;
type Cookie = keyof typeof MAX_AGE_MS;

/** Null ends the cookie. Lax: a link in a mail leads into the dashboard, and forms of other sites send no cookie. */
export function setCookie(cookies: DashboardCookies, cookie: Cookie, value: string | null): string {
  const maxAge = value === null ? 0 : MAX_AGE_MS[cookie] / 1_000;
  const secure = cookies.secure ? '; Secure' : '';
  return `${cookies[cookie]}=${value ?? ''}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

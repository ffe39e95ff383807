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

/** Lax: a link in a mail leads into the dashboard, and forms of other sites send no cookie. */
const cookieText = (name: string, value: string, maxAgeMs: number, secure: boolean): string =>
  `${name}=${value}; Path=/; Max-Age=${maxAgeMs / 1_000}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;

export const memberCookie = ({ session, secure }: DashboardCookies, token: string): string =>
  cookieText(session, token, DASHBOARD_SESSION_MAX_MS, secure);

export const endedMemberCookie = ({ session, secure }: DashboardCookies): string =>
  cookieText(session, '', 0, secure);

export const browserCookie = ({ browser, secure }: DashboardCookies, token: string): string =>
  cookieText(browser, token, SIGN_IN_LINK_MS, secure);

export const endedBrowserCookie = ({ browser, secure }: DashboardCookies): string =>
  cookieText(browser, '', 0, secure);

export const returnCookie = ({ returnTo, secure }: DashboardCookies, path: string): string =>
  cookieText(returnTo, path, SIGN_IN_LINK_MS, secure);

export const endedReturnCookie = ({ returnTo, secure }: DashboardCookies): string =>
  cookieText(returnTo, '', 0, secure);

import { queryOf } from '../kit/request.ts';

/** A page of the dashboard as our own routes name it: no query, no other host, nothing that a browser reads differently. */
const PAGE = /^\/dashboard(?:\/[A-Za-z0-9_-]{1,64}){1,8}$/;

export const SIGN_IN_PATH = '/dashboard/sign-in';

/** The page that a member comes back to after signing in; null for everything that is no page of the dashboard. */
export const returnPathFrom = (text: string | null | undefined): string | null =>
  text !== null && text !== undefined && PAGE.test(text) ? text : null;

/** The way back in the address of a page that signs in. */
export const returnPathIn = (request: { url: string }): string | null => returnPathFrom(queryOf(request).to);

/** The sign-in page that then leads on to the page that was asked for. */
export const signInPathTo = (requestUrl: string): string => withReturn(SIGN_IN_PATH, requestUrl);

/** The page that asks to sign in again, and then leads back to the one that was asked for. */
export const signInAgainPath = (requestUrl: string): string =>
  withReturn('/dashboard/sign-in-again', requestUrl);

function withReturn(path: string, requestUrl: string): string {
  const backTo = returnPathFrom(requestUrl.split('?', 1)[0]);
  return `${path}${backTo === null ? '' : `?to=${backTo}`}`;
}

/** A page of the dashboard as our own routes name it: no query, no other host, nothing that a browser reads differently. */
const PAGE = /^\/dashboard(?:\/[A-Za-z0-9_-]{1,64}){1,8}$/;

/** The page that a member comes back to after signing in; null for everything that is no page of the dashboard. */
export const returnPathFrom = (text: string | null | undefined): string | null =>
  text !== null && text !== undefined && PAGE.test(text) ? text : null;

/** The page that asks to sign in again, and then leads back to the one that was asked for. */
export function signInAgainPath(requestUrl: string): string {
  const backTo = returnPathFrom(requestUrl.split('?', 1)[0]);
  return `/dashboard/sign-in-again${backTo === null ? '' : `?to=${backTo}`}`;
}

import { bearsToken } from '../../api/auth.ts';
import { type CallerSource, hostnameOf, isLocalCaller } from '../../api/localCaller.ts';
import { isLocalHost } from '../../config/reading.ts';
import { constantTimeEqual } from '../../kit/seal.ts';
import { hostOf } from '../kit/request.ts';

/** The headers that show where a request comes from. */
interface RequestOrigin {
  host: string | undefined;
  secFetchSite: string | undefined;
  origin: string | undefined;
  /** The media type of the body, without parameters; null if there is none. */
  mediaType: string | null;
}

/**
 * Whether the Host is ours. A page elsewhere can make its own name resolve to this machine (DNS rebinding), and a
 * browser then treats us as that page's server; the Host header still names that page.
 */
export function isOurHost(host: string | undefined, publicUrl: string): boolean {
  const hostname = hostnameOf(host);
  return hostname !== null && (isLocalHost(hostname) || hostname === new URL(publicUrl).hostname);
}

/** The key that opens the sandbox from another machine. */
export interface SandboxAccess {
  publicUrl: string;
  key: string;
}

/**
 * Whether a request can enter the sandbox: from this machine always, from another with the key. If PUBLIC_URL
 * names another machine, there is probably a proxy in front, whose clients look local: then all need the key.
 */
export function mayEnter(source: CallerSource, { publicUrl, key }: SandboxAccess): boolean {
  const { host, authorization, cookie } = source.headers;
  if (!isOurHost(host, publicUrl)) return false;
  if (isLocalCaller(source) && isLocalHost(new URL(publicUrl).hostname)) return true;
  return (
    bearsToken(authorization, key) || cookieValues(cookie).some((value) => constantTimeEqual(value, key))
  );
}

const COOKIE = 'waypost_sandbox';
const COOKIE_SECONDS = 30 * 24 * 60 * 60;

/** Keeps the key in a cookie, out of the address bar. Lax: a link in a chat or a document can lead into the sandbox. */
export const accessCookie = ({ publicUrl, key }: SandboxAccess, path: string): string =>
  `${COOKIE}=${key}; Path=${path}; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${publicUrl.startsWith('https:') ? '; Secure' : ''}`;

/** A browser sends one cookie per path that it was set on. */
const cookieValues = (header: string | undefined): string[] =>
  (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${COOKIE}=`))
    .map((pair) => pair.slice(COOKIE.length + 1));

/**
 * Whether a call that changes something comes from an allowed origin. The sandbox has no login, so a web page in
 * the same browser must not be able to use it: browsers send the origin, and ask before they send JSON to another
 * site. Programs send no origin, but JSON.
 */
export function judgeCaller(request: RequestOrigin): 'ours' | 'foreign' | 'unsupported' {
  const { host, secFetchSite, origin, mediaType } = request;
  const from =
    secFetchSite ?? (origin === undefined ? 'none' : hostOf(origin) === host ? 'same-origin' : 'cross-site');
  if (from === 'same-origin') return 'ours';
  if (from !== 'none' || origin !== undefined) return 'foreign';
  return mediaType === null || mediaType === 'application/json' ? 'ours' : 'unsupported';
}

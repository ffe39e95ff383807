import { ApiError } from '../../kit/errors.ts';

/** What a request says about where it comes from. */
export interface RequestOrigin {
  host: string | undefined;
  secFetchSite: string | undefined;
  origin: string | undefined;
  /** The media type of the body, without parameters; null where there is none. */
  mediaType: string | null;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Whether the request was made to a name of ours. A page elsewhere can make its own name lead to this machine (DNS
 * rebinding), and a browser then takes us for that page's own server; the name in Host is still that page's.
 */
export function isOurHost(host: string | undefined, publicUrl: string): boolean {
  const address = `http://${host ?? ''}`;
  if (host === undefined || !URL.canParse(address)) return false;
  const { hostname } = new URL(address);
  return LOOPBACK.includes(hostname) || hostname === new URL(publicUrl).hostname;
}

/**
 * Whether a call that changes something may come from where it comes. The sandbox has no login, so a web page that
 * happens to be open in the same browser must not be able to drive it: browsers say where a request comes from, and
 * ask before they send JSON elsewhere. Programs say nothing, and send JSON.
 */
export function judgeCaller(request: RequestOrigin): 'ours' | 'foreign' | 'unsupported' {
  const { host, secFetchSite, origin, mediaType } = request;
  const says =
    secFetchSite ?? (origin === undefined ? 'none' : hostOf(origin) === host ? 'same-origin' : 'cross-site');
  if (says === 'same-origin') return 'ours';
  if (says !== 'none' || origin !== undefined) return 'foreign';
  return mediaType === null || mediaType === 'application/json' ? 'ours' : 'unsupported';
}

const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null);

/** To anyone else the sandbox is not there. */
export const strangeHost = (publicUrl: string): ApiError =>
  new ApiError(
    'common.not_found',
    `The sandbox is at ${publicUrl}/sandbox; it answers to that name, to localhost, 127.0.0.1 and [::1] alone.`,
  );

export const foreignCaller = (): ApiError =>
  new ApiError('common.not_found', 'The sandbox takes no calls from other web pages.');

export const unsupportedCall = (): ApiError =>
  new ApiError(
    'common.unsupported_media_type',
    'The body must be application/json, or a form of the sandbox’s own page.',
  );

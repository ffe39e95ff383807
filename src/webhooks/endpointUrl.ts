import { isIP } from 'node:net';
import { ENDPOINT_URL_MAX } from '../config/limits.ts';
import { failureTexts } from './failures.ts';
import {
  type AllowList,
  bareHost,
  isHostForm,
  isPrivateName,
  isPublicAddress,
  portOf,
  type ResolveHost,
} from './publicAddress.ts';

/** The ports of HTTPS. Other ports belong to other protocols, which our POST must not reach. */
export const WEBHOOK_PORTS: ReadonlySet<number> = new Set([443, 8443]);

const RESOLVE_TIMEOUT_MS = 5_000;

/** Checks the URL's text; checkEndpointHost checks where its name leads. `url.href` is the form to store. */
export function parseEndpointUrl(
  text: string,
  { allowHosts, ports = WEBHOOK_PORTS }: { allowHosts: AllowList; ports?: ReadonlySet<number> },
): { ok: true; url: URL } | { ok: false; fault: string } {
  if (text.length > ENDPOINT_URL_MAX) return refuse(TOO_LONG);
  // The URL parser drops some of these silently, and the merchant would get back a URL other than the one sent.
  if (/[\s\p{Cc}]/u.test(text)) return refuse('The URL must not contain white space or control characters.');
  if (!URL.canParse(text)) return refuse('The URL is not valid.');

  const url = new URL(text);
  const exempt = url.protocol === 'http:' && allowHosts.has(url.hostname, portOf(url));
  if (url.protocol !== 'https:' && !exempt) return refuse('The URL must begin with https://.');
  if (url.username !== '' || url.password !== '') {
    return refuse('The URL must not contain a user name or a password.');
  }
  if (!isHostForm(bareHost(url.hostname))) return refuse('The host of the URL is not valid.');
  const allowed = allowHosts.has(url.hostname, portOf(url));
  if (!ports.has(portOf(url)) && !allowed)
    return refuse(`The port of the URL must be ${[...ports].join(' or ')}.`);
  // Neither changes the target, and they must not let a merchant register the same endpoint twice.
  url.hash = '';
  url.hostname = url.hostname.replace(/\.$/, '');
  if (!allowed && namesPrivate(bareHost(url.hostname))) return refuse(NOT_PUBLIC);
  // Percent-encoding may have made it longer.
  return url.href.length > ENDPOINT_URL_MAX ? refuse(TOO_LONG) : { ok: true, url };
}

type HostVerdict = { ok: true; note: string | null } | { ok: false; fault: string };

export interface HostCheck {
  resolve: ResolveHost;
  allowHosts: AllowList;
  /** A name that does not resolve is refused; the sandbox accepts it with a note. */
  unresolved: 'refuse' | 'accept';
  timeoutMs?: number;
}

/**
 * Checks at creation that the host is on the public internet: one non-public address among several is enough to
 * refuse. This only helps the merchant; the guarded client decides again at every connection. A name that does
 * not resolve and one that leads to a private address get the same refusal, or a caller could probe which names
 * our network resolves. (The sandbox accepts the former: there the network is the developer's own.)
 */
export async function checkEndpointHost(url: URL, check: HostCheck): Promise<HostVerdict> {
  const host = bareHost(url.hostname);
  if (check.allowHosts.has(host, portOf(url))) return { ok: true, note: null };
  if (namesPrivate(host)) return refuse(NOT_PUBLIC);
  if (isIP(host)) return { ok: true, note: null };

  const addresses = await resolveInTime(host, check.resolve, check.timeoutMs ?? RESOLVE_TIMEOUT_MS);
  if (addresses.length === 0 && check.unresolved === 'accept') return { ok: true, note: UNRESOLVED_NOTE };
  const isPublic = addresses.length > 0 && addresses.every(isPublicAddress);
  return isPublic ? { ok: true, note: null } : refuse(NOT_PUBLICLY_RESOLVED);
}

/** Needs no DNS. */
const namesPrivate = (host: string): boolean => (isIP(host) ? !isPublicAddress(host) : isPrivateName(host));

export const UNRESOLVED_NOTE = failureTexts.unresolvedAtCreation;

const TOO_LONG = `The URL must have at most ${ENDPOINT_URL_MAX} characters.`;
const NOT_PUBLIC = 'The host of the URL must be on the public internet, not at a private or local address.';
const NOT_PUBLICLY_RESOLVED = 'The host name of the URL must resolve to public addresses only.';

const refuse = (fault: string): { ok: false; fault: string } => ({ ok: false, fault });

/** The addresses of a name; none when it does not resolve in time. */
async function resolveInTime(host: string, resolve: ResolveHost, timeoutMs: number) {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly string[]>((done) => {
    timer = setTimeout(() => done([]), timeoutMs);
  });
  try {
    return await Promise.race([resolve(host), late]);
  } finally {
    clearTimeout(timer);
  }
}

import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { OperatorError } from '../kit/errors.ts';

/**
 * Whether an address belongs to the public internet, the only place a webhook can lead to. An address that embeds
 * an IPv4 address (v4-mapped, NAT64, 6to4, Teredo) is not public even if the inner one is: a gateway could route
 * it into our network. An address with a zone id names one of our networks.
 */
export function isPublicAddress(ip: string): boolean {
  // isIP is strict: it rejects octal, hexadecimal, short and zoned forms, which parsers read differently.
  const version = ip.includes('%') ? 0 : isIP(ip);
  if (version === 4) {
    const address = ipaddr.IPv4.parse(ip);
    return address.range() === 'unicast' && !NON_PUBLIC_V4.some((block) => address.match(block));
  }
  if (version === 6) {
    const address = ipaddr.IPv6.parse(ip);
    return (
      address.match(GLOBAL_UNICAST_V6) &&
      address.range() === 'unicast' &&
      !NON_PUBLIC_V6.some((block) => address.match(block))
    );
  }
  return false;
}

/** IANA's special-purpose registries, so that an upgrade of the library cannot shorten the list. What it adds counts as well. */
const NON_PUBLIC_V4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT, and Alibaba's metadata service
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure's host services, on an otherwise public block
  '169.254.0.0/16', // link-local, and most metadata services
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // multicast tunnelling
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
].map((block) => ipaddr.IPv4.parseCIDR(block));

/** The block that IANA allocates for global unicast; it excludes ::/96, fc00::/7, fe80::/10 and similar. */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

const NON_PUBLIC_V6 = [
  '2001::/23', // protocol assignments: Teredo, ORCHID, benchmarks
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
].map((block) => ipaddr.IPv6.parseCIDR(block));

const MAX_HOST_CHARACTERS = 253;
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** A host as we compare and resolve it: no brackets around IPv6, no trailing dot. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');

/** An IP address or valid DNS labels: the URL parser accepts hosts that can never resolve. */
export const isHostForm = (host: string): boolean =>
  isIP(host) !== 0 ||
  (host.length <= MAX_HOST_CHARACTERS && host.split('.').every((label) => LABEL.test(label)));

export function portOf(url: { protocol: string; port: string }): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/**
 * Names reserved for one machine or a local network (RFC 6761, 6762 and 8375, ICANN's .internal), and names of a
 * single label. They are never public, whatever they resolve to here.
 */
export const isPrivateName = (host: string): boolean =>
  !host.includes('.') || PRIVATE_SUFFIXES.some((suffix) => host.endsWith(suffix));

const PRIVATE_SUFFIXES = ['.localhost', '.local', '.localdomain', '.internal', '.home.arpa'] as const;

/** The host:port pairs that the operator exempts from HTTPS, ports and public addresses, for local development. */
export interface AllowList {
  has(hostname: string, port: number): boolean;
}

const HIGHEST_PORT = 65_535;

/** Parses WEBHOOK_ALLOW_HOSTS: `localhost:9000`, `127.0.0.1:9000`, `[::1]:9000`. */
export function createAllowList(pairs: readonly string[]): AllowList {
  const allowed = new Set(pairs.map(parsePair));
  return { has: (hostname, port) => allowed.has(pairOf(bareHost(hostname), port)) };
}

function parsePair(text: string): string {
  const [, hostText = '', portText] = /^(\[[^\s\]]+\]|[^\s:[\]/\\@?#]+):(\d{1,5})$/.exec(text.trim()) ?? [];
  const host = normalHost(hostText);
  const port = Number(portText);
  if (host === null || port < 1 || port > HIGHEST_PORT) {
    throw new OperatorError(
      `WEBHOOK_ALLOW_HOSTS: "${text}" is not a host:port pair, such as localhost:9000.`,
    );
  }
  return pairOf(host, port);
}

/** The host as the URL parser spells it, because the comparison is with a parsed URL. */
function normalHost(text: string): string | null {
  if (!URL.canParse(`http://${text}/`)) return null;
  const host = bareHost(new URL(`http://${text}/`).hostname);
  return isHostForm(host) ? host : null;
}

const pairOf = (host: string, port: number): string => `${host} ${port}`;

/** All addresses of a host name; none when it does not resolve, for any reason. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/** Per query to one server; the second try is the only retry. */
const QUERY_TIMEOUT_MS = 1_500;
const QUERY_TRIES = 2;

/**
 * Queries the name servers directly: the system's lookup occupies one of the four threads that files and
 * cryptography share, so a few names with a slow server could stall the whole process. It also skips the hosts
 * file, whose names are never a merchant's.
 */
/** `nameServers`: `address:port` each; default: the system's. */
export function createResolver(
  options: { nameServers?: readonly string[]; queryTimeoutMs?: number } = {},
): ResolveHost {
  const resolver = new Resolver({ timeout: options.queryTimeoutMs ?? QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  if (options.nameServers) resolver.setServers(options.nameServers);
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

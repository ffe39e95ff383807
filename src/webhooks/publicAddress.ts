import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { OperatorError } from '../kit/errors.ts';

/**
 * Whether an address belongs to the public internet: the only addresses a merchant's webhook may lead to.
 * What embeds an IPv4 address (v4-mapped, NAT64, 6to4, Teredo) is not public even when the inner address is:
 * a gateway could carry it into our own network. An address with a zone id names a network of ours.
 */
export function isPublicAddress(ip: string): boolean {
  // isIP is strict: octal, hexadecimal, short and zoned forms, which other parsers read differently, end here.
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

/**
 * The special-purpose registries of IANA, written out so that the rule does not move with the library's own
 * categories; whatever the library adds to those counts as well.
 */
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

/** All that is handed out for use on the internet; it leaves out ::/96, fc00::/7, fe80::/10 and their like. */
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

/** A host as it is compared and resolved: no brackets around IPv6, no dot at the end. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');

/** An address, or labels that DNS can carry: the URL parser lets through more than can ever resolve. */
export const isHostForm = (host: string): boolean =>
  isIP(host) !== 0 ||
  (host.length <= MAX_HOST_CHARACTERS && host.split('.').every((label) => LABEL.test(label)));

/** The port a URL leads to, also where it does not say so. */
export function portOf(url: { protocol: string; port: string }): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/**
 * Names set aside for one machine or a local network (RFC 6761, 6762 and 8375, ICANN's .internal), and names of a
 * single label. They are nobody's on the public internet, whatever they resolve to here.
 */
export const isPrivateName = (host: string): boolean =>
  !host.includes('.') || PRIVATE_SUFFIXES.some((suffix) => host.endsWith(suffix));

const PRIVATE_SUFFIXES = ['.localhost', '.local', '.localdomain', '.internal', '.home.arpa'] as const;

/** The host:port pairs the operator exempts from HTTPS, the ports and public addresses, for local development. */
export interface AllowList {
  has(hostname: string, port: number): boolean;
}

const HIGHEST_PORT = 65_535;

/** Reads the pairs of WEBHOOK_ALLOW_HOSTS: `localhost:9000`, `127.0.0.1:9000`, `[::1]:9000`. */
export function createAllowList(pairs: readonly string[]): AllowList {
  const allowed = new Set(pairs.map(readPair));
  return { has: (hostname, port) => allowed.has(pairOf(bareHost(hostname), port)) };
}

function readPair(text: string): string {
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

/** The host as the URL parser spells it, since that is what it will be compared with. */
function normalHost(text: string): string | null {
  if (!URL.canParse(`http://${text}/`)) return null;
  const host = bareHost(new URL(`http://${text}/`).hostname);
  return isHostForm(host) ? host : null;
}

const pairOf = (host: string, port: number): string => `${host} ${port}`;

/** All addresses of a host name. Rejects with a NameNotResolved when there are none, whatever the cause. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export class NameNotResolved extends Error {
  readonly code = 'ENOTFOUND';

  constructor() {
    super('the host name does not resolve');
  }
}

/** One question to one server; an unanswered one is asked once more. */
const QUERY_TIMEOUT_MS = 1_500;
const QUERY_TRIES = 2;

export interface ResolverOptions {
  /** `address:port` each; those of the system when left out. */
  nameServers?: readonly string[];
  queryTimeoutMs?: number;
}

/**
 * Asks the name servers themselves rather than the operating system: the system's lookup occupies one of the four
 * threads that files and cryptography share, so that a few names with a slow server could hold up the whole
 * process. It also leaves out the hosts file, whose names are never a merchant's.
 */
export function createResolver(options: ResolverOptions = {}): Resolve {
  const resolver = new Resolver({ timeout: options.queryTimeoutMs ?? QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  if (options.nameServers) resolver.setServers(options.nameServers);
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw new NameNotResolved();
    return addresses;
  };
}

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A block of addresses, such as `10.0.0.0/8`. */
export type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** The part of a request that determines the client's address; Node's HTTP requests have it. */
interface AddressedRequest {
  socket: { remoteAddress?: string | undefined };
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The address of a request's client, in one spelling. */
export type ClientAddress = (request: AddressedRequest) => string;

/**
 * Anyone can write anything into X-Forwarded-For, so only the entries that trusted proxies added count: the list
 * is read from its end up to the first address that is not a trusted proxy. An entry that is no address ends the
 * search at the proxy that forwarded it.
 */
export function clientAddressBehind(proxies: readonly Network[]): ClientAddress {
  return ({ socket, headers }) => {
    let client = parseAddress(socket.remoteAddress ?? '');
    // A closed connection no longer has a peer address.
    if (client === null) return UNKNOWN_ADDRESS;
    const header = headers['x-forwarded-for'];
    const hops = header === undefined ? [] : String(header).split(',');
    while (isWithin(client, proxies)) {
      const hop = parseAddress(withoutPort((hops.pop() ?? '').trim()));
      if (hop === null) break;
      client = hop;
    }
    return client.toString();
  };
}

const UNKNOWN_ADDRESS = 'unknown';

export function isProxyAmong(proxies: readonly Network[]): (address: string) => boolean {
  return (address) => {
    const parsed = parseAddress(address);
    return parsed !== null && isWithin(parsed, proxies);
  };
}

/** The unit of rate limits: one household or one server can have a whole /64 of IPv6 addresses. */
export function sourceOf(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === null || parsed.kind() === 'ipv4') return parsed?.toString() ?? address;
  return `${Buffer.from(parsed.toByteArray().slice(0, SOURCE_BYTES)).toString('hex')}/64`;
}

/** Parses `10.0.0.0/8`, `::1/128` or a single address; null for anything else. */
export function parseNetwork(text: string): Network | null {
  const [, address = '', prefix] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const family = isIP(address);
  if (family === 0) return null;
  const bits = family === 4 ? IPV4_BITS : IPV6_BITS;
  const length = prefix === undefined ? bits : Number(prefix);
  if (length > bits) return null;
  const parsed = ipaddr.parse(address);
  // Clients are compared as IPv4 where possible, so a block of mapped addresses becomes a block of IPv4.
  return parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && length >= MAPPED_BITS
    ? [parsed.toIPv4Address(), length - MAPPED_BITS]
    : [parsed, length];
}

const SOURCE_BYTES = 8;
const IPV4_BITS = 32;
const IPV6_BITS = 128;
const MAPPED_BITS = 96;

/** Accepts only the usual spelling: ipaddr.js also parses `127.1` and `0x7f000001`, which no proxy writes. */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const [address = ''] = text.split('%');
  return isIP(address) === 0 ? null : ipaddr.process(address);
}

/** Some proxies add the port: `192.0.2.7:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string =>
  hop.replace(/^\[([0-9a-f.:]+)\](?::\d+)?$/i, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');

const isWithin = (address: ipaddr.IPv4 | ipaddr.IPv6, networks: readonly Network[]): boolean =>
  networks.some(([network, length]) => network.kind() === address.kind() && address.match(network, length));

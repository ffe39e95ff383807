import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A block of addresses, as `10.0.0.0/8` names it. */
export type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** What the address of a client is found from; a request of Node's HTTP server is one. */
export interface AddressedRequest {
  socket: { remoteAddress?: string | undefined };
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The address of the client that made a request, in one spelling. */
export type ClientAddress = (request: AddressedRequest) => string;

/**
 * Anyone can write anything into X-Forwarded-For, so only what a trusted proxy added to it counts: the list is walked
 * from its end until the first address that is not a trusted proxy. An entry that is no address ends the walk at the
 * proxy that passed it on.
 */
export function clientAddressBehind(proxies: readonly Network[]): ClientAddress {
  return ({ socket, headers }) => {
    let client = parseAddress(socket.remoteAddress ?? '');
    // A connection that has already gone no longer knows its peer.
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

export const UNKNOWN_ADDRESS = 'unknown';

/** Whether a peer is one of these proxies. */
export function isProxyAmong(proxies: readonly Network[]): (address: string) => boolean {
  return (address) => {
    const parsed = parseAddress(address);
    return parsed !== null && isWithin(parsed, proxies);
  };
}

/** What limits and throttles count by: one household or one server has a whole /64 of IPv6 to ask from. */
export function sourceOf(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === null || parsed.kind() === 'ipv4') return parsed?.toString() ?? address;
  return `${Buffer.from(parsed.toByteArray().slice(0, SOURCE_BYTES)).toString('hex')}/64`;
}

/** Reads `10.0.0.0/8`, `::1/128` or a single address; null for anything else. */
export function parseNetwork(text: string): Network | null {
  const [, address = '', prefix] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const family = isIP(address);
  if (family === 0) return null;
  const bits = family === 4 ? IPV4_BITS : IPV6_BITS;
  const length = prefix === undefined ? bits : Number(prefix);
  if (length > bits) return null;
  const parsed = ipaddr.parse(address);
  // Clients are compared as IPv4 where they can be, so a block of mapped addresses is one of IPv4.
  return parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && length >= MAPPED_BITS
    ? [parsed.toIPv4Address(), length - MAPPED_BITS]
    : [parsed, length];
}

const SOURCE_BYTES = 8;
const IPV4_BITS = 32;
const IPV6_BITS = 128;
const MAPPED_BITS = 96;

/** Only the usual spelling: `127.1` and `0x7f000001` are addresses to ipaddr.js, and to no proxy. */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const [address = ''] = text.split('%');
  return isIP(address) === 0 ? null : ipaddr.process(address);
}

/** Some proxies add the port: `192.0.2.7:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string =>
  hop.replace(/^\[([0-9a-f.:]+)\](?::\d+)?$/i, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');

const isWithin = (address: ipaddr.IPv4 | ipaddr.IPv6, networks: readonly Network[]): boolean =>
  networks.some(([network, length]) => network.kind() === address.kind() && address.match(network, length));

import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { isLocalHost } from '../config/reading.ts';

/** What a request shows of where it comes from. */
export interface Arrival {
  /** The other end of the connection; undefined where it is gone, or is no address. */
  peer: string | undefined;
  headers: IncomingHttpHeaders;
}

export const arrivalOf = ({ raw, headers }: FastifyRequest): Arrival => ({
  peer: raw.socket.remoteAddress,
  headers,
});

/** Headers that proxies add. What they say is not believed here: a proxy may pass on what its own client made up. */
const PROXY_HEADERS = [
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
  'fly-client-ip',
];
const PROXY_HEADER_PREFIX = 'x-forwarded-';

/**
 * Whether a program on this very machine made the request. A proxy on this machine is on loopback too, while its clients
 * are not: whatever a proxy has touched, or was sent to a public name, counts as coming from elsewhere.
 */
export function isLocalCaller({ peer, headers }: Arrival): boolean {
  if (peer === undefined || !isLoopbackAddress(peer)) return false;
  if (!isLocalHost(hostnameOf(headers.host) ?? '')) return false;
  return !Object.keys(headers).some(
    (name) => name.startsWith(PROXY_HEADER_PREFIX) || PROXY_HEADERS.includes(name),
  );
}

/** The name in a Host header, without its port; null where there is none. */
export function hostnameOf(host: string | undefined): string | null {
  const address = `http://${host ?? ''}`;
  return host !== undefined && URL.canParse(address) ? new URL(address).hostname : null;
}

/** Also an IPv4 address written as IPv6, as a socket that takes both reports it. */
const isLoopbackAddress = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';

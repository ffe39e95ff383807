import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { isLocalHost } from '../config/reading.ts';

/** The origin of a request, as its connection and headers show it. */
export interface CallerSource {
  /** The peer's address; undefined if the connection is gone or has none. */
  peer: string | undefined;
  headers: IncomingHttpHeaders;
}

export const callerSourceOf = ({ raw, headers }: FastifyRequest): CallerSource => ({
  peer: raw.socket.remoteAddress,
  headers,
});

/** Headers that proxies add. Their values are not trusted: a proxy can forward what its client made up. */
const PROXY_HEADER =
  /^(?:forwarded|via|x-forwarded-.*|x-real-ip|cf-connecting-ip|(?:x|x-cluster|true|fastly|fly)-client-ip)$/;

/**
 * Whether a program on this machine made the request. A local proxy connects over loopback too, but for remote
 * clients: so a request with any proxy header, or to a public name, counts as remote.
 */
export function isLocalCaller({ peer, headers }: CallerSource): boolean {
  if (peer === undefined || !isLoopbackAddress(peer)) return false;
  if (!isLocalHost(hostnameOf(headers.host) ?? '')) return false;
  return !Object.keys(headers).some((name) => PROXY_HEADER.test(name));
}

/** The name in a Host header, without its port; null if there is none. */
export function hostnameOf(host: string | undefined): string | null {
  const address = `http://${host ?? ''}`;
  return host !== undefined && URL.canParse(address) ? new URL(address).hostname : null;
}

/** Includes IPv4 addresses in IPv6 form, as a dual-stack socket reports them. */
const isLoopbackAddress = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';

import { isIP } from 'node:net';

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

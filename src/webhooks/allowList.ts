import { OperatorError } from '../kit/errors.ts';

/** The host:port pairs the operator exempts from HTTPS, the ports and public addresses, for local development. */
export interface AllowList {
  has(hostname: string, port: number): boolean;
}

const HIGHEST_PORT = 65_535;

/** Reads the pairs of WEBHOOK_ALLOW_HOSTS: `localhost:9000`, `127.0.0.1:9000`, `[::1]:9000`. */
export function createAllowList(pairs: readonly string[]): AllowList {
  const allowed = new Set(pairs.map(readPair));
  return { has: (hostname, port) => allowed.has(pairOf(hostname, port)) };
}

/** The port a URL leads to, also where it does not say so. */
export function portOf(url: { protocol: string; port: string }): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/** A host as it is compared and resolved: no brackets around IPv6, no dot at the end. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');

function readPair(text: string): string {
  const [, host, port] = /^(\[[^\s\]]+\]|[^\s:[\]/\\@?#]+):(\d{1,5})$/.exec(text.trim()) ?? [];
  const url = host !== undefined && URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`) : null;
  if (url === null || Number(port) < 1 || Number(port) > HIGHEST_PORT) {
    throw new OperatorError(
      `WEBHOOK_ALLOW_HOSTS: "${text}" is not a host:port pair, such as localhost:9000.`,
    );
  }
  return pairOf(url.hostname, Number(port));
}

const pairOf = (hostname: string, port: number): string => `${bareHost(hostname)} ${port}`;

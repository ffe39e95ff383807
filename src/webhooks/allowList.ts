import { OperatorError } from '../kit/errors.ts';
import { bareHost, isHostForm } from './host.ts';

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

import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { WEBHOOK_PORTS } from './endpointUrl.ts';
import { type AllowList, bareHost, isPublicAddress, portOf, type Resolve } from './publicAddress.ts';

export interface Guard {
  resolve: Resolve;
  allowHosts: AllowList;
  /** The rules themselves; parameters only so that a test can run a receiver on loopback under them. */
  isPublic?: (ip: string) => boolean;
  ports?: ReadonlySet<number>;
  /** Trusted in place of Node's own store. */
  authorities?: string;
}

/** A connection the guard did not allow. Its message is a sentence the merchant may read. */
export class GuardRefusal extends Error {}

/** DNS, TCP and TLS together; well inside a delivery's own limit, so that a dead host is told from a slow one. */
export const CONNECT_TIMEOUT_MS = 5_000;

/** What a receiver's answer may take before its body. */
export const MAX_ANSWER_HEADER_BYTES = 16 * 1024;

/** Behind the caller's own absolute limit, for the case that one forgets it. */
const LAST_RESORT_TIMEOUT_MS = 30_000;

/** Long enough for a burst of events, shorter than the 5 s after which common servers close an idle connection. */
const KEEP_ALIVE_MS = 3_000;

/** Node tries a host's addresses in turn; its 250 ms for each is too short for a far continent. */
const NEXT_ADDRESS_AFTER_MS = 1_000;

/**
 * An HTTP client whose connections lead to the public internet only, however the URL came about. A name is resolved
 * here and the connection goes to the very addresses that were checked, so a name that resolves differently the
 * second time gains nothing. Pairs on the operator's allow-list are exempt. Proxy variables are not looked at, and
 * redirects are not followed.
 */
export function createGuardedClient(guard: Guard): Agent {
  const isPublic = guard.isPublic ?? isPublicAddress;
  const ports = guard.ports ?? WEBHOOK_PORTS;
  const connecting = {
    timeout: CONNECT_TIMEOUT_MS,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    allowH2: false,
    rejectUnauthorized: true,
    ...(guard.authorities === undefined ? {} : { ca: guard.authorities }),
  };
  // Allow-listed names are resolved by the system: they may well stand in its hosts file.
  const connectFreely = buildConnector(connecting);
  const connectGuarded = buildConnector({ ...connecting, lookup: guardedLookup(guard.resolve, isPublic) });

  const connect: buildConnector.connector = (target, callback) => {
    const host = bareHost(target.hostname);
    const port = portOf(target);
    if (guard.allowHosts.has(host, port)) return connectFreely(target, callback);

    const refusal = whyNotConnect(target.protocol, port, host, ports, isPublic);
    if (refusal) return callback(refusal, null);
    connectGuarded(target, (error, socket) => {
      if (error) return callback(error, null);
      // Cannot differ from what the lookup let through, unless Node or undici change under us.
      if (isPublic(socket.remoteAddress ?? '')) return callback(null, socket);
      socket.destroy();
      callback(notPublic(), null);
    });
  };

  return new Agent({
    connect,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_ANSWER_HEADER_BYTES,
    headersTimeout: LAST_RESORT_TIMEOUT_MS,
    bodyTimeout: LAST_RESORT_TIMEOUT_MS,
  });
}

/** What can be told before any name is resolved. An address in the URL never passes through the lookup. */
function whyNotConnect(
  protocol: string,
  port: number,
  host: string,
  ports: ReadonlySet<number>,
  isPublic: (ip: string) => boolean,
): GuardRefusal | null {
  if (protocol !== 'https:') return new GuardRefusal('refused: the URL is not HTTPS');
  if (!ports.has(port)) return new GuardRefusal(`refused: port ${port} is not allowed`);
  if (isIP(host) && !isPublic(host)) return notPublic();
  return null;
}

/** A lookup, as node:net asks for it, that answers with public addresses or with an error. */
function guardedLookup(resolve: Resolve, isPublic: (ip: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    publicAddresses(hostname, resolve, isPublic).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) callback(null, addresses);
        else if (first) callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
}

async function publicAddresses(hostname: string, resolve: Resolve, isPublic: (ip: string) => boolean) {
  const answers = await resolve(bareHost(hostname)).catch(() => []);
  // One bad answer condemns all: a name that mixes them is not a mistake we should work around.
  if (answers.length === 0 || !answers.every(isPublic)) throw notPublic();
  return answers.map((address) => ({ address, family: isIP(address) }));
}

/** Whether the name is known at all is not told: that would show which names our own network knows. */
const notPublic = (): GuardRefusal => new GuardRefusal('the host does not resolve to a public address');

import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { WEBHOOK_PORTS } from './endpointUrl.ts';
import { failureTexts, portRefused } from './failures.ts';
import { type AllowList, bareHost, isPublicAddress, portOf, type ResolveHost } from './publicAddress.ts';

export interface Guard {
  resolve: ResolveHost;
  allowHosts: AllowList;
  /** Tests override these to run a receiver on loopback. */
  isPublic?: (ip: string) => boolean;
  ports?: ReadonlySet<number>;
  /** PEM of the trusted authorities, in place of Node's store. */
  authorities?: string;
}

/** A connection that the guard refused. The merchant reads its message. */
export class GuardRefusal extends Error {}

/** For DNS, TCP and TLS together. Shorter than a delivery's timeout, so that the error names a dead host and not a slow one. */
export const CONNECT_TIMEOUT_MS = 5_000;

export const MAX_ANSWER_HEADER_BYTES = 16 * 1024;

/** The caller sets its own timeout; this bounds a caller that forgets. */
const LAST_RESORT_TIMEOUT_MS = 30_000;

/** Long enough for a burst of events, shorter than the 5 s after which common servers close an idle connection. */
const KEEP_ALIVE_MS = 3_000;

/** Node tries a host's addresses one after another; its default of 250 ms each is too short for a far continent. */
const NEXT_ADDRESS_AFTER_MS = 1_000;

/**
 * An HTTP client that connects to the public internet only. It resolves the name itself and connects to the
 * addresses that it checked, so a name that resolves differently the second time gains nothing. Host and port
 * pairs on the operator's allow-list are exempt. It ignores proxy variables and follows no redirects.
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
  // The system resolves allow-listed names, because they may be in its hosts file.
  const connectFreely = buildConnector(connecting);
  const connectGuarded = buildConnector({ ...connecting, lookup: guardedLookup(guard.resolve, isPublic) });

  const connect: buildConnector.connector = (target, callback) => {
    const host = bareHost(target.hostname);
    const port = portOf(target);
    if (guard.allowHosts.has(host, port)) return connectFreely(target, callback);

    // An IP address in the URL never reaches the lookup.
    if (target.protocol !== 'https:') return callback(new GuardRefusal(failureTexts.notHttps), null);
    if (!ports.has(port)) return callback(new GuardRefusal(portRefused(port)), null);
    if (isIP(host) && !isPublic(host)) return callback(notPublic(), null);
    connectGuarded(target, (error, socket) => {
      if (error) return callback(error, null);
      // The lookup already checked this address; this guards against a change in Node or undici.
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

function guardedLookup(resolve: ResolveHost, isPublic: (ip: string) => boolean): LookupFunction {
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

async function publicAddresses(hostname: string, resolve: ResolveHost, isPublic: (ip: string) => boolean) {
  const answers = await resolve(bareHost(hostname));
  // One non-public address refuses the name: a name that mixes them is no honest mistake.
  if (answers.length === 0 || !answers.every(isPublic)) throw notPublic();
  return answers.map((address) => ({ address, family: isIP(address) }));
}

const notPublic = (): GuardRefusal => new GuardRefusal(failureTexts.notPublic);

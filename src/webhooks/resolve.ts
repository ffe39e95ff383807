import { Resolver } from 'node:dns/promises';

/** All addresses of a host name. Rejects with a NameNotResolved when there are none, whatever the cause. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export class NameNotResolved extends Error {
  readonly code = 'ENOTFOUND';
}

/** One question to one server; an unanswered one is asked once more. */
const QUERY_TIMEOUT_MS = 1_500;
const QUERY_TRIES = 2;

/**
 * Asks the name servers themselves rather than the operating system: the system's lookup occupies one of the four
 * threads that files and cryptography share, so that a few names with a slow server could hold up the whole
 * process. It also leaves out the hosts file, whose names are never a merchant's.
 */
export function createResolver(nameServers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  if (nameServers) resolver.setServers(nameServers);
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw new NameNotResolved('the host name does not resolve');
    return addresses;
  };
}

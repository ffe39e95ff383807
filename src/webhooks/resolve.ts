import { Resolver } from 'node:dns/promises';

/** All addresses of a host name. Rejects with a NameNotResolved when there are none, whatever the cause. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export class NameNotResolved extends Error {
  readonly code = 'ENOTFOUND';

  constructor() {
    super('the host name does not resolve');
  }
}

/** One question to one server; an unanswered one is asked once more. */
const QUERY_TIMEOUT_MS = 1_500;
const QUERY_TRIES = 2;

export interface ResolverOptions {
  /** `address:port` each; those of the system when left out. */
  nameServers?: readonly string[];
  queryTimeoutMs?: number;
}

/**
 * Asks the name servers themselves rather than the operating system: the system's lookup occupies one of the four
 * threads that files and cryptography share, so that a few names with a slow server could hold up the whole
 * process. It also leaves out the hosts file, whose names are never a merchant's.
 */
export function createResolver(options: ResolverOptions = {}): Resolve {
  const resolver = new Resolver({ timeout: options.queryTimeoutMs ?? QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  if (options.nameServers) resolver.setServers(options.nameServers);
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw new NameNotResolved();
    return addresses;
  };
}

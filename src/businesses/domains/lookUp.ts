import { Resolver } from 'node:dns/promises';
import { SECOND } from '../../kit/clock.ts';
import { dkimName, dmarcName } from './records.ts';

/** What the name servers answered about the TXT records of a name. */
export type TxtAnswer =
  | { kind: 'found'; records: string[] }
  /** No such name, or a name without such a record. */
  | { kind: 'no_name' | 'no_data' }
  /** No answer, which says nothing about the record. */
  | { kind: 'failed'; code: string };

export interface NamedAnswer {
  name: string;
  answer: TxtAnswer;
}

/** Everything that is asked about a domain. */
export interface DomainAnswers {
  dkim: TxtAnswer;
  /** Where the record is if the panel added the domain, or the one above it, a second time. */
  doubled: readonly NamedAnswer[];
  spf: TxtAnswer;
  /** Of the domain, and of those above it, whose record holds for it if it has none. */
  dmarc: readonly NamedAnswer[];
}

export type LookUpTxt = (name: string) => Promise<TxtAnswer>;

/** Per query to one server; the second try is the only retry. */
const QUERY_TIMEOUT_MS = 3 * SECOND;
const QUERY_TRIES = 2;
/** Of all queries: there may be many servers. */
const ALL_TIMEOUT_MS = 10 * SECOND;
const RECORDS_MAX = 50;
const RECORD_LENGTH_MAX = 4_096;
/** The domain and so many above it. */
const DOMAINS_UP_MAX = 4;

/** For the questions about one domain, asked at once. `nameServers`: `address:port` each; default: the system's. */
export function createLookUp(nameServers?: readonly string[]): LookUpTxt {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  if (nameServers) resolver.setServers(nameServers);
  return async (name) => {
    const timer = setTimeout(() => resolver.cancel(), ALL_TIMEOUT_MS);
    try {
      // Long records come in parts, which belong together without a space.
      const records = (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
      return {
        kind: 'found',
        records: records.slice(0, RECORDS_MAX).map((record) => record.slice(0, RECORD_LENGTH_MAX)),
      };
    } catch (error) {
      return failureOf(error);
    } finally {
      clearTimeout(timer);
    }
  };
}

function failureOf(error: unknown): TxtAnswer {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  if (code === 'ENOTFOUND') return { kind: 'no_name' };
  if (code === 'ENODATA') return { kind: 'no_data' };
  return { kind: 'failed', code: CODES.get(code) ?? code };
}

/** As the protocol calls them. */
const CODES = new Map([
  ['ESERVFAIL', 'SERVFAIL'],
  ['EREFUSED', 'REFUSED'],
  ['ETIMEOUT', 'no answer in time'],
  ['ECANCELLED', 'no answer in time'],
]);

export async function askAboutDomain(
  lookUp: LookUpTxt,
  { domain, selector }: { domain: string; selector: string },
): Promise<DomainAnswers> {
  const name = dkimName(domain, selector);
  const [dkim, doubled, spf, dmarc] = await Promise.all([
    lookUp(name),
    askAll(
      lookUp,
      domainsUp(domain).map((zone) => `${name}.${zone}`),
    ),
    lookUp(domain),
    askAboutDmarc(lookUp, domain),
  ]);
  return { dkim, doubled, spf, dmarc };
}

export const askAboutDmarc = (lookUp: LookUpTxt, domain: string): Promise<NamedAnswer[]> =>
  askAll(lookUp, domainsUp(domain).map(dmarcName));

const askAll = (lookUp: LookUpTxt, names: readonly string[]): Promise<NamedAnswer[]> =>
  Promise.all(names.map(async (name) => ({ name, answer: await lookUp(name) })));

/** The domain, and those above it except the last label. */
function domainsUp(domain: string): string[] {
  const labels = domain.split('.');
  return labels
    .slice(0, Math.min(labels.length - 1, DOMAINS_UP_MAX))
    .map((_, at) => labels.slice(at).join('.'));
}

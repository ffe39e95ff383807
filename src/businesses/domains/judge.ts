import { createPublicKey } from 'node:crypto';
import type { DomainAnswers, NamedAnswer, TxtAnswer } from './lookUp.ts';
import { type DomainRecord, dkimName, dmarcName } from './records.ts';

/** What was found of a record: what we asked, what is there, and what to do, in one sentence or two. */
export interface DomainFinding {
  record: DomainRecord['record'];
  /** `unknown`: the name servers did not answer, so nothing is judged. */
  state: 'good' | 'missing' | 'wrong' | 'unknown';
  says: string;
}

interface JudgedDomain {
  domain: string;
  selector: string;
  publicKey: string;
}

/** The first finding decides: with the key in its record a mail's signature holds, which is enough for DMARC. */
export const judgeDomain = (domain: JudgedDomain, answers: DomainAnswers): DomainFinding[] => [
  judgeDkim(domain, answers),
  judgeDmarc(domain.domain, answers.dmarc),
  judgeSpf(domain.domain, answers.spf),
];

const findingsOf = (record: DomainFinding['record']) => ({
  good: (says: string): DomainFinding => ({ record, state: 'good', says }),
  missing: (says: string): DomainFinding => ({ record, state: 'missing', says }),
  wrong: (says: string): DomainFinding => ({ record, state: 'wrong', says }),
  unknown: (name: string, code: string): DomainFinding => ({
    record,
    state: 'unknown',
    says: `The name servers did not say what is at ${name} (${code}): this changes nothing, and they are asked again.`,
  }),
});

const DKIM = findingsOf('dkim');

function judgeDkim(domain: JudgedDomain, { dkim, doubled }: DomainAnswers): DomainFinding {
  const name = dkimName(domain.domain, domain.selector);
  if (dkim.kind === 'failed') return DKIM.unknown(name, dkim.code);
  if (dkim.kind !== 'found') return DKIM.missing(whereElse(name, dkim.kind, doubled));
  const [record, ...more] = dkim.records.filter((one) => tagsOf(one).has('p'));
  if (record === undefined)
    return DKIM.wrong(`The TXT record at ${name} is no DKIM record: set it to the value that is shown here.`);
  if (more.length > 0)
    return DKIM.wrong(
      `There are ${more.length + 1} DKIM records at ${name}, and mailboxes take any of them: keep the one that is shown here.`,
    );
  const fault = dkimFault(record, domain.publicKey);
  return fault === null
    ? DKIM.good(
        `The key at ${name} is ours: mails from ${domain.domain} are signed with it, and DMARC counts it.`,
      )
    : DKIM.wrong(`The DKIM record at ${name} ${fault}`);
}

function whereElse(name: string, kind: 'no_name' | 'no_data', doubled: readonly NamedAnswer[]): string {
  const elsewhere = doubled.find(({ answer }) => answer.kind === 'found');
  if (elsewhere)
    return `No TXT at ${name}, but one at ${elsewhere.name}: the panel added the domain twice. Enter the name without the domain.`;
  return kind === 'no_name'
    ? `There is no record at ${name}: add the TXT record that is shown here. A new one can take an hour to be seen.`
    : `There is a name ${name}, but no TXT record: add the one that is shown here, as TXT.`;
}

/** The fewest bits that mailboxes still take, and the fewest that none calls weak. */
const BITS_MIN = 1_024;
const BITS_GOOD = 2_048;
const COPY_AGAIN = 'copy the value again, whole';

/** What a mailbox would find wrong with the record, as the end of a sentence; null: nothing. */
function dkimFault(record: string, publicKey: string): string | null {
  if (/^\s*"/.test(record)) return 'holds quotation marks as part of its value: enter it without them.';
  const tags = tagsOf(record);
  const has = (tag: string, wanted: string): boolean => listOf(tags.get(tag) ?? wanted).includes(wanted);
  if ((tags.get('v') ?? 'DKIM1') !== 'DKIM1') return 'does not begin with v=DKIM1: copy the value again.';
  if (!has('k', 'rsa')) return 'is for another kind of key than RSA: set k=rsa.';
  const key = (tags.get('p') ?? '').replace(/\s/g, '');
  if (key === '') return 'has an empty p=, which revokes the key: set the value that is shown here.';
  if (key !== publicKey) return keyFault(key, publicKey);
  if (!has('h', 'sha256')) return 'does not allow SHA-256: remove its h=.';
  if (!['*', 'email'].some((service) => has('s', service))) return 'is not for email: remove its s=.';
  return null;
}

function keyFault(key: string, publicKey: string): string {
  if (publicKey.startsWith(key)) return `ends after ${key.length} characters of the key: ${COPY_AGAIN}.`;
  const bits = /^[A-Za-z0-9+/]+={0,2}$/.test(key) ? bitsOf(key) : null;
  if (bits === null) return `holds a key that nobody can read: ${COPY_AGAIN}.`;
  if (bits < BITS_MIN)
    return `holds another key, of ${bits} bits, which mailboxes ignore: set the value that is shown here.`;
  if (bits < BITS_GOOD)
    return `holds another key, of only ${bits} bits, which is weak: set the value that is shown here.`;
  return 'holds another key than the one we sign with: set the value that is shown here.';
}

function bitsOf(key: string): number | null {
  try {
    const read = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
    return read.asymmetricKeyDetails?.modulusLength ?? null;
  } catch {
    return null;
  }
}

const DMARC = findingsOf('dmarc');

/** The nearest record holds: of the domain, else of one above it. */
export function judgeDmarc(domain: string, answers: readonly NamedAnswer[]): DomainFinding {
  for (const { name, answer } of answers) {
    if (answer.kind === 'failed') return DMARC.unknown(name, answer.code);
    const [record, ...more] = recordsOf(answer, 'v=dmarc1');
    if (record === undefined) continue;
    if (more.length > 0)
      return DMARC.wrong(
        `There are ${more.length + 1} DMARC records at ${name}, so mailboxes use none of them: keep one.`,
      );
    const tags = tagsOf(record);
    const ofParent = name === dmarcName(domain) ? undefined : tags.get('sp');
    const asked = (ofParent ?? tags.get('p'))?.toLowerCase();
    const policy = POLICIES.find((known) => known === asked) ?? 'none';
    return DMARC.good(`The DMARC record at ${name} is found, with p=${policy}.`);
  }
  return DMARC.missing(
    `There is no DMARC record at ${dmarcName(domain)}: add one, which large mailboxes ask for.`,
  );
}

/** Anything else counts as none. */
const POLICIES = ['none', 'quarantine', 'reject'] as const;

const SPF = findingsOf('spf');

/** Mails come back to the sender's own address, so SPF is judged on its domain. */
function judgeSpf(domain: string, answer: TxtAnswer): DomainFinding {
  if (answer.kind === 'failed') return SPF.unknown(domain, answer.code);
  const records = recordsOf(answer, 'v=spf1');
  if (records.length === 0)
    return SPF.missing(
      `There is no SPF record at ${domain}: the signature alone is enough for DMARC, but some mailboxes ask for both.`,
    );
  if (records.length > 1)
    return SPF.wrong(
      `There are ${records.length} SPF records at ${domain}, so mailboxes use none of them: make them one.`,
    );
  return SPF.good(`There is one SPF record at ${domain}: it should allow the mail server, too.`);
}

/** Those that begin with this version, alone or before a space or a semicolon. */
const recordsOf = (answer: TxtAnswer, version: string): string[] =>
  answer.kind !== 'found'
    ? []
    : answer.records.filter((record) => {
        const start = record
          .trimStart()
          .slice(0, version.length + 1)
          .toLowerCase();
        return start.startsWith(version) && /^[\s;]?$/.test(start.slice(version.length));
      });

/** `v=DKIM1; k=rsa; p=…`: the first of each tag counts. */
function tagsOf(record: string): Map<string, string> {
  const tags = new Map<string, string>();
  for (const part of record.split(';')) {
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(at, 0)).trim().toLowerCase();
    if (name !== '' && !tags.has(name)) tags.set(name, part.slice(at + 1).trim());
  }
  return tags;
}

const listOf = (value: string): string[] => value.split(':').map((one) => one.trim());

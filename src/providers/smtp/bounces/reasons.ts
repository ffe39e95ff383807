/** What a final refusal means for the address. `moved`: it may be dead, and is if it happens again. */
export type Severity = 'hard' | 'moved' | 'soft' | 'policy';

export interface Reason {
  severity: Severity;
  /** The enhanced status code of RFC 3463, where there is one. */
  status: string | null;
}

/**
 * Why a mail server refused, from its own words. Phrases come before codes, because many servers say 5.0.0 or 5.1.1 whatever the reason;
 * among the phrases, those that clear the address come first. `around`: the rest of the report, which can name the command.
 */
export function reasonOf(said: string, statusField = '', around = said): Reason {
  const own = statusIn(said);
  const status = best([...own, ...statusIn(statusField)]);
  if (REFUSED_SENDER.test(best(own) ?? '') || BLOCK_LIST.test(said)) return { severity: 'policy', status };
  const words = wordsOf(said);
  const severity =
    PHRASES.find(([, phrases]) => phrases.some((phrase) => words.includes(phrase)))?.[0] ??
    CODES.find(([, codes]) => codes.test(status ?? ''))?.[0] ??
    'soft';
  if (severity !== 'hard') return { severity, status };
  if (status?.startsWith('4') && !PERMANENT_REPLY.test(said)) return { severity: 'soft', status };
  return { severity: isCertain(said, status ?? '', around) ? 'hard' : 'moved', status };
}

/** Whether the server means that the address is dead, and not that it refuses this mail. */
function isCertain(said: string, status: string, around: string): boolean {
  if (AFTER_RECIPIENT.test(around)) return false;
  const isDoubtful = PERHAPS_DEAD.test(status) || BARE.test(said) || AT_DATA.test(around);
  return !isDoubtful || ABOUT_ADDRESS.test(status) || AT_RECIPIENT.test(around);
}

const STATUS_OF_REPLY = /\b[245]\d\d[- #'(]{1,3}([245]\.\d{1,2}\.\d{1,3})(?![\d.])/g;
const STATUS = /(?:^|[^\d.])([245]\.\d{1,2}\.\d{1,3})(?![\d.])/g;
const PERMANENT_REPLY = /(?:^|[^\d.])5\d\d[ -]/;

/** A code right after a reply code comes first: relays write others around it. */
const statusIn = (text: string): string[] =>
  [...text.matchAll(STATUS_OF_REPLY), ...text.matchAll(STATUS)].flatMap(([, status]) => status ?? []);

/** A code that ends in .0.0 says only that it failed. */
const best = (statuses: readonly string[]): string | null =>
  statuses.find((status) => !status.endsWith('.0.0')) ?? statuses[0] ?? null;

/** Without addresses and host names, which can contain every phrase. */
const wordsOf = (said: string): string =>
  said
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => !/[@.]./.test(word))
    .join(' ');

/** Policy, or the sender's address: then what is said about the recipient is no proof. */
const REFUSED_SENDER = /^5\.(7\.\d+|1\.[78])$/;

/** The answer names a block list, which lists senders. */
const BLOCK_LIST = /\b(?:spamhaus\.org|spamcop\.net|sorbs\.net|barracudacentral\.org)\b/i;

/** The server had accepted the recipient, and refused the mail as if there was none. Some filters do that. */
const AFTER_RECIPIENT = /in reply to (?:end of )?data|after end of data/i;

/** The same, but a server that is sent both commands at once has its answer about the recipient called one to DATA, too. */
const AT_DATA = /smtp command\s{1,4}data/i;

/** Two Japanese carriers say no more than this also where a person's filter refused the mail. */
const BARE = /\b550[-: '(]{1,4}(?:unknown user|user unknown)/i;

/** What confirms it: a code about the address, or that the server said so as soon as it heard the address. */
const ABOUT_ADDRESS = /^[45]\.1\.(?!6$)/;
const AT_RECIPIENT = /(?:\bto|\bafter|\bour|>>>|\[) ?RCPT[ _]|RCPT TO response|not like recipient/i;

/** Moved, or switched off. Some servers say so of a mailbox that only refuses this mail. */
const PERHAPS_DEAD = /^5\.(1\.6|2\.1)$/;

const CODES: readonly (readonly [Severity, RegExp])[] = [
  ['hard', /^5\.(1\.(1|2|3|10)|4\.4)$/],
  ['moved', PERHAPS_DEAD],
  ['policy', /^5\.(7\.\d+|6\.\d+|2\.3|3\.4|1\.[78])$/],
];

const PHRASES: readonly (readonly [Severity, readonly string[]])[] = [
  [
    'policy',
    [
      'spam',
      'virus',
      'blacklist',
      'black list',
      'blocklist',
      'block list',
      'blocked',
      'dnsbl',
      'dmarc',
      'spf',
      'dkim',
      'reverse dns',
      'ptr record',
      'relay access denied',
      'relaying denied',
      'not permitted to relay',
      'relay not permitted',
      'message too large',
      'message size exceeds',
      'exceeds maximum message size',
      'sender rejected',
      'sender address rejected',
      'sender verify failed',
      'sender domain',
      'domain of sender',
      'content rejected',
      'administrative prohibition',
      'reputation',
      'open relay',
      'insecure mail relay',
    ],
  ],
  [
    'soft',
    [
      'mailbox full',
      'mailbox is full',
      'over quota',
      'quota exceeded',
      'exceeded storage',
      'exceeds quota',
      'out of storage',
      'insufficient system storage',
      'disk full',
      'disk quota',
      'account is disabled',
      'account has been disabled',
      'mailbox disabled',
      'inactive user',
      'account inactive',
      'suspended',
      'recipient preferences',
      'temporarily',
      'connection timed out',
      'connection refused',
      'lost connection',
      'connection reset',
      'too many',
      'queued too long',
      'retry timeout exceeded',
      "couldn't create",
      'host not found, try again',
      'unexpected name server reply',
    ],
  ],
  [
    'hard',
    [
      'user unknown',
      'unknown user',
      'unknown recipient',
      'unknown local',
      'unknown mailbox',
      'no such user',
      'no such recipient',
      'no such mailbox',
      'no such address',
      'no such person',
      'no such domain',
      'no mailbox here',
      'no account by that name',
      'user not found',
      'recipient not found',
      'mailbox not found',
      'not a known user',
      'no longer on server',
      'user does not exist',
      "user doesn't exist",
      "user doesn't have a",
      'account does not exist',
      'account that you tried to reach does not exist',
      'address does not exist',
      'mailbox does not exist',
      'recipient does not exist',
      'does not exist here',
      "address couldn't be found",
      'not listed in',
      'recipient name is not recognized',
      'invalid recipient',
      'invalid mailbox',
      'invalid address',
      'invalid user address',
      'invalid final delivery userid',
      'no valid recipients',
      'mailbox unavailable',
      'address rejected: access denied',
      'address rejected.',
      'host unknown',
      'unknown host',
      'host not found',
      'domain not found',
      'domain does not exist',
      'domain is not reachable',
      'illegal host/domain',
      'does not accept mail',
      'indicated no smtp service',
      'no mx record',
      'unrouteable address',
      "couldn't find any host",
      "couldn't find a mail exchanger",
    ],
  ],
];

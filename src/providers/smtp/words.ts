import {
  EMAIL_TOO_LARGE,
  MAILBOX_NOT_READY,
  NO_MAILBOX,
  NOT_ACCEPTED,
  NOT_SET_UP,
  TAKEN_FOR_SPAM,
} from '../phrases.ts';

const MAILBOX_FULL = 'The mailbox is full.';

/** By what a code begins with or holds: a reply, often with the enhanced status of RFC 3463, as `550_5.1.1` or `bounce_5.2.2`. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:auth|tls|53[0458])/, NOT_SET_UP],
  [/^size$|[45]\.(?:2\.3|3\.4)$/, EMAIL_TOO_LARGE],
  [/[45]\.2\.2$|^552$/, MAILBOX_FULL],
  [/5\.1\.[012369]0?$|5\.4\.4$/, NO_MAILBOX],
  [/5\.[67]\.\d+$|5\.1\.[78]$/, TAKEN_FOR_SPAM],
  [/^(?:4\d\d|bounce)/, MAILBOX_NOT_READY],
  [/^5\d\d/, NOT_ACCEPTED],
];

export const smtpWords = (code: string): string | null =>
  WORDS.find(([form]) => form.test(code))?.[1] ?? null;

import { CARRIER_WORDS, type CodeWords, MAILBOX_NOT_READY, NOT_ACCEPTED, REFUSAL_WORDS } from '../phrases.ts';

/** The codes of the protocol, and those of carriers, which a receiver may use. */
export const HTTP_WORDS: CodeWords = {
  ...CARRIER_WORDS,
  bad_address: 'The address or number cannot be reached.',
  bounced: MAILBOX_NOT_READY,
  opted_out: REFUSAL_WORDS.stopped,
  content: NOT_ACCEPTED,
  other: NOT_ACCEPTED,
  busy: REFUSAL_WORDS.busy,
};

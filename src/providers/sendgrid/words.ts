import { type CodeWords, NO_MAILBOX, TAKEN_FOR_SPAM } from '../phrases.ts';

/** The names of events. */
export const SENDGRID_WORDS: CodeWords = {
  bounce: NO_MAILBOX,
  blocked: TAKEN_FOR_SPAM,
  dropped: 'The provider dropped the email, mostly because earlier ones to this address failed.',
};

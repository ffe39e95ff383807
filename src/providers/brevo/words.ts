import { ADDRESS_BLOCKED, type CodeWords, MAILBOX_NOT_READY, NO_MAILBOX, NOT_ACCEPTED } from '../phrases.ts';

/** The names of events, and codes of errors. */
export const BREVO_WORDS: CodeWords = {
  hard_bounce: NO_MAILBOX,
  invalid_email: NO_MAILBOX,
  soft_bounce: MAILBOX_NOT_READY,
  blocked: ADDRESS_BLOCKED,
  error: 'The provider could not send the email.',
  invalid_parameter: NOT_ACCEPTED,
  missing_parameter: NOT_ACCEPTED,
  out_of_range: NOT_ACCEPTED,
};

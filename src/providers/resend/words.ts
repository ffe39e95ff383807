import { ADDRESS_BLOCKED, type CodeWords, MAILBOX_NOT_READY, NO_MAILBOX, NOT_ACCEPTED } from '../phrases.ts';

/** The types of bounces, and names of errors. */
export const RESEND_WORDS: CodeWords = {
  permanent: NO_MAILBOX,
  transient: MAILBOX_NOT_READY,
  undetermined: MAILBOX_NOT_READY,
  suppressed: ADDRESS_BLOCKED,
  failed: 'The provider could not send the email.',
  validation_error: NOT_ACCEPTED,
};

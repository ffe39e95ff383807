import {
  ADDRESS_BLOCKED,
  type CodeWords,
  MAILBOX_NOT_READY,
  NO_MAILBOX,
  TAKEN_FOR_SPAM,
} from '../phrases.ts';

/** The replies of mail servers, and Mailgun's own codes from 600 on. */
export const MAILGUN_WORDS: CodeWords = {
  421: MAILBOX_NOT_READY,
  450: MAILBOX_NOT_READY,
  452: 'The mailbox is full.',
  550: NO_MAILBOX,
  552: 'The mailbox is full.',
  553: NO_MAILBOX,
  554: TAKEN_FOR_SPAM,
  605: ADDRESS_BLOCKED,
  606: ADDRESS_BLOCKED,
  607: ADDRESS_BLOCKED,
  failed: MAILBOX_NOT_READY,
  rejected: 'The provider refused to send the email.',
};

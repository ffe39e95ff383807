import {
  ADDRESS_BLOCKED,
  type CodeWords,
  MAILBOX_NOT_READY,
  NO_MAILBOX,
  NOT_ACCEPTED,
  TAKEN_FOR_SPAM,
} from '../phrases.ts';

/** The kinds of bounces, and error codes of the API. */
export const POSTMARK_WORDS: CodeWords = {
  hardbounce: NO_MAILBOX,
  bademailaddress: NO_MAILBOX,
  softbounce: MAILBOX_NOT_READY,
  transient: MAILBOX_NOT_READY,
  dnserror: 'The customer’s mail server was not found.',
  blocked: TAKEN_FOR_SPAM,
  spamnotification: TAKEN_FOR_SPAM,
  virusnotification: TAKEN_FOR_SPAM,
  dmarcpolicy: TAKEN_FOR_SPAM,
  manuallydeactivated: ADDRESS_BLOCKED,
  unsubscribe: ADDRESS_BLOCKED,
  300: NOT_ACCEPTED,
  406: ADDRESS_BLOCKED,
};

import {
  ADDRESS_BLOCKED,
  type CodeWords,
  EMAIL_TOO_LARGE,
  MAILBOX_NOT_READY,
  NO_MAILBOX,
  NOT_ACCEPTED,
  TAKEN_FOR_SPAM,
} from '../phrases.ts';

/** A bounce's type and subtype, and the names of errors. */
export const SES_WORDS: CodeWords = {
  permanent_general: NO_MAILBOX,
  permanent_noemail: NO_MAILBOX,
  permanent_suppressed: ADDRESS_BLOCKED,
  permanent_onaccountsuppressionlist: ADDRESS_BLOCKED,
  transient_general: MAILBOX_NOT_READY,
  transient_mailboxfull: 'The mailbox is full.',
  transient_messagetoolarge: EMAIL_TOO_LARGE,
  transient_contentrejected: TAKEN_FOR_SPAM,
  transient_attachmentrejected: TAKEN_FOR_SPAM,
  undetermined_undetermined: MAILBOX_NOT_READY,
  reject: 'The provider took the email for a danger.',
  BadRequestException: NOT_ACCEPTED,
};

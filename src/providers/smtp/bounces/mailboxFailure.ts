/** The mailbox that returned mails are read from, by IMAP. */
export interface MailboxSettings {
  host: string;
  port: number;
  user: string;
  password: string;
  folder: string;
  /** TLS from the first byte. Without it only on this machine. */
  secure: boolean;
}

/** The mailbox could not be read. The message is a sentence for the operator and quotes nothing that was sent or received. */
export class MailboxFailure extends Error {
  override readonly name = 'MailboxFailure';
  readonly code: string;

  constructor(sentence: string, code: string) {
    super(sentence);
    this.code = code;
  }
}

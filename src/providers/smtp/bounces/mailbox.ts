import { ImapFlow } from 'imapflow';
import { SECOND } from '../../../kit/clock.ts';
import { at, textAt } from '../../../kit/json.ts';
import { MailboxFailure, type MailboxSettings } from './mailboxFailure.ts';
import { MAIL_BYTES_MAX } from './readMail.ts';

const CONNECT_MS = 5 * SECOND;
const SILENCE_MS = 10 * SECOND;
const LINE_BYTES_MAX = MAIL_BYTES_MAX;
const LITERAL_BYTES_MAX = 2 * MAIL_BYTES_MAX;
const RESPONSE_BYTES_MAX = 3 * MAIL_BYTES_MAX;

/** Null: the usual ones. */
interface TrustedAuthorities {
  authorities: string | null;
}

/**
 * Hands over unread mails one by one, at most so many; resolves to whether there are more. A mail is marked as read once it was handled:
 * after a crash in between it is handled again, which changes nothing.
 */
export async function readMailbox(
  settings: MailboxSettings & TrustedAuthorities,
  handle: (mail: Buffer) => Promise<void>,
  { most, signal }: { most: number; signal: AbortSignal },
): Promise<boolean> {
  signal.throwIfAborted();
  const client = clientFor(settings);
  let abort = (): void => {};
  // A call that is under way while the client closes may never settle.
  const aborted = new Promise<never>((_, reject) => {
    abort = () => {
      client.close();
      reject(failureOf({ code: 'timeout' }));
    };
  });
  aborted.catch(() => {});
  signal.addEventListener('abort', abort, { once: true });
  /** A call to the mailbox; what `handle` throws is not the mailbox's failure. */
  const ask = <T>(call: () => Promise<T>): Promise<T> =>
    Promise.race([
      aborted,
      call().catch((error: unknown) => {
        throw failureOf(error);
      }),
    ]);
  try {
    await ask(() => client.connect());
    await ask(() => client.mailboxOpen(settings.folder));
    const unread = (await ask(() => client.search({ seen: false }, { uid: true }))) || [];
    for (const uid of unread.slice(0, most)) {
      const query = { source: { maxLength: MAIL_BYTES_MAX } };
      const mail = await ask(() => client.fetchOne(`${uid}`, query, { uid: true }));
      // Otherwise another program has just deleted it.
      if (mail && mail.source !== undefined) await handle(mail.source);
      await ask(() => client.messageFlagsAdd([uid], ['\\Seen'], { uid: true }));
    }
    return unread.length > most;
  } finally {
    signal.removeEventListener('abort', abort);
    client.close();
  }
}

function clientFor({
  host,
  port,
  user,
  password,
  secure,
  authorities,
}: MailboxSettings & TrustedAuthorities): ImapFlow {
  const client = new ImapFlow({
    host,
    port,
    secure,
    doSTARTTLS: false,
    tls: { minVersion: 'TLSv1.2', ...(authorities === null ? {} : { ca: authorities }) },
    auth: { user, pass: password },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    maxLineLength: LINE_BYTES_MAX,
    maxLiteralSize: LITERAL_BYTES_MAX,
    maxResponseSize: RESPONSE_BYTES_MAX,
  });
  // The calls report errors to their callers; any other error only ends the connection.
  client.on('error', () => {});
  return client;
}

function failureOf(error: unknown): MailboxFailure {
  if (at(error, 'authenticationFailed') === true)
    return new MailboxFailure('The bounce mailbox refuses the sign-in: check BOUNCE_IMAP_URL.', 'sign_in');
  const code = textAt(error, 'code') ?? textAt(error, 'responseStatus') ?? 'failed';
  return new MailboxFailure(
    `The bounce mailbox cannot be read (${code.toLowerCase()}): check BOUNCE_IMAP_URL, its folder, its certificate and the network.`,
    code,
  );
}

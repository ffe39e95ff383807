import { isLocalHost, type Reading } from '../../../config/reading.ts';
import { group, textOrFile } from '../../../config/variable.ts';
import type { MailboxSettings } from './mailboxFailure.ts';

export const bounceVariables = group('Bounces by mail', 'With `EMAIL_PROVIDER=smtp`.', {
  BOUNCE_DOMAIN: textOrFile(
    'domain whose mail comes to Waypost: each mail is sent from an address of its own there, which a bounce comes back to',
    'bounces go to the From address, and Waypost learns nothing of them',
  ),
  BOUNCE_CALLBACK_PASSWORD: textOrFile(
    'password, at least 16 characters, with which returned mails may be posted to `/callbacks/mail`',
    'none may',
  ),
  BOUNCE_IMAP_URL: textOrFile(
    'mailbox that workers read returned mails from: `imaps://user:password@host/INBOX`, with `%40` for an @ in the user',
    'none is read',
  ),
});

const { variables } = bounceVariables;

const DOMAIN = /^(?=.{1,253}$)([a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}$/i;
const SHORTEST_PASSWORD = 16;
const IMAPS_PORT = 993;
const IMAP_PORT = 143;

/** Null: mails come back to their From address, and nobody tells us. */
export function readBounceSettings(reading: Reading) {
  const domain = reading.matching(variables.BOUNCE_DOMAIN, 'a domain', DOMAIN);
  const password = reading.variableOrFile(variables.BOUNCE_CALLBACK_PASSWORD);
  if (password !== null && password.length < SHORTEST_PASSWORD)
    reading.mistake(`BOUNCE_CALLBACK_PASSWORD must have at least ${SHORTEST_PASSWORD} characters.`);
  const mailbox = readMailboxUrl(reading);
  if (domain !== null) return { domain, password, mailbox };
  if (password !== null || mailbox !== null)
    reading.mistake('BOUNCE_CALLBACK_PASSWORD and BOUNCE_IMAP_URL need BOUNCE_DOMAIN beside them.');
  return null;
}

function readMailboxUrl(reading: Reading): MailboxSettings | null {
  const text = reading.variableOrFile(variables.BOUNCE_IMAP_URL);
  if (text === null) return null;
  const settings = mailboxAt(text);
  if (settings === null)
    // It holds a password, so the message does not repeat it.
    reading.mistake(
      'BOUNCE_IMAP_URL must be imaps://user:password@host/FOLDER, or imap:// where the host is this machine.',
    );
  return settings;
}

function mailboxAt(text: string): MailboxSettings | null {
  try {
    const url = new URL(text);
    const secure = url.protocol === 'imaps:';
    const [user, password, folder] = [url.username, url.password, url.pathname.slice(1)].map(
      decodeURIComponent,
    );
    if (!secure && !(url.protocol === 'imap:' && isLocalHost(url.hostname))) return null;
    if (!user || !password || url.hostname === '') return null;
    const port = Number(url.port) || (secure ? IMAPS_PORT : IMAP_PORT);
    return { host: url.hostname, port, user, password, folder: folder || 'INBOX', secure };
  } catch {
    return null;
  }
}

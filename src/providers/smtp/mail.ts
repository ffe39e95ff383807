import DKIM from 'nodemailer/lib/dkim';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { OutboundEmail } from '../provider.ts';
import type { DkimSettings } from './settings.ts';

/** The signed headers. RFC 8058 requires both unsubscription headers; the library's default list lacks the second. */
const SIGNED_HEADERS =
  'From:To:Subject:Date:Message-ID:MIME-Version:Content-Type:Content-Transfer-Encoding:Auto-Submitted:' +
  'List-Unsubscribe:List-Unsubscribe-Post';

/** The complete mail, DKIM-signed if there is a key. */
export async function writeMail(message: OutboundEmail, from: string, date: Date, dkim: DkimSettings | null) {
  const { 'Message-ID': messageId, ...headers } = message.headers;
  const composed = new MailComposer({
    // As objects: in a string, a comma would split the address.
    from: { name: message.fromName, address: from },
    to: { name: '', address: message.to },
    subject: message.subject,
    text: message.text,
    html: message.html,
    headers,
    date,
    newline: '\r\n',
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(messageId === undefined ? {} : { messageId }),
  });
  const mail = await composed.compile().build();
  if (dkim === null) return mail;
  const signer = new DKIM({
    domainName: dkim.domain,
    keySelector: dkim.selector,
    privateKey: dkim.privateKey,
    headerFieldNames: SIGNED_HEADERS,
  });
  const parts: Buffer[] = [];
  for await (const part of signer.sign(mail)) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

import type { Socket } from 'node:net';
import { createServer } from 'node:tls';
import { receiverKey, trustedCertificate } from '../support/certificates.ts';
import { startLoopbackServer } from '../support/loopback.ts';

/** What imapflow needs of an IMAP server (RFC 3501), over TLS, with one folder of mails. */
export async function imapServer({ user, password }: { user: string; password: string }) {
  const mails: { raw: Buffer; seen: boolean }[] = [];
  let isSilent = false;

  /** The untagged lines of the answer to a command; null: no. */
  const answerTo = (command: string): (string | Buffer)[] | null => {
    const uid = Number(/^UID (?:FETCH|STORE) (\d+)/.exec(command)?.[1]);
    const mail = mails[uid - 1];
    if (command.startsWith('LOGIN ')) return command === `LOGIN "${user}" "${password}"` ? [] : null;
    if (command === 'CAPABILITY') return ['* CAPABILITY IMAP4rev1'];
    if (command.startsWith('LIST ')) return ['* LIST (\\HasNoChildren) "/" INBOX'];
    if (command.startsWith('SELECT '))
      return [
        '* FLAGS (\\Seen)',
        `* ${mails.length} EXISTS`,
        '* OK [UIDVALIDITY 1] x',
        '* OK [UIDNEXT 100] x',
      ];
    if (command === 'UID SEARCH UNSEEN')
      return [`* SEARCH${mails.map(({ seen }, at) => (seen ? '' : ` ${at + 1}`)).join('')}`];
    if (command.startsWith('UID FETCH ') && mail) {
      const [, from = '0', length = ''] = /BODY\.PEEK\[\]<(\d+)\.(\d+)>/.exec(command) ?? [];
      const part = mail.raw.subarray(Number(from), Number(from) + Number(length));
      const head = `* ${uid} FETCH (UID ${uid} BODY[]<0> {${part.length}}\r\n`;
      return [Buffer.concat([Buffer.from(head), part, Buffer.from(')')])];
    }
    if (/^UID STORE \d+ \+FLAGS(\.SILENT)? \(\\Seen\)$/.test(command) && mail) mail.seen = true;
    return [];
  };

  const answer = (socket: Socket, line: string): void => {
    const tag = line.slice(0, line.indexOf(' '));
    if (isSilent) return;
    const lines = answerTo(line.slice(tag.length + 1));
    for (const one of lines ?? []) {
      socket.write(one);
      socket.write('\r\n');
    }
    socket.write(lines === null ? `${tag} NO [AUTHENTICATIONFAILED] no\r\n` : `${tag} OK done\r\n`);
  };

  const server = createServer({ key: receiverKey, cert: trustedCertificate }, (socket) => {
    let waiting = '';
    socket.on('error', () => {});
    socket.write('* OK ready\r\n');
    socket.on('data', (bytes: Buffer) => {
      waiting += bytes.toString('latin1');
      for (let end = waiting.indexOf('\r\n'); end !== -1; end = waiting.indexOf('\r\n')) {
        const line = waiting.slice(0, end);
        waiting = waiting.slice(end + 2);
        answer(socket, line);
      }
    });
  });
  return {
    ...(await startLoopbackServer(server)),
    mails,
    put: (raw: Buffer): void => void mails.push({ raw, seen: false }),
    /** From now on it takes every command and answers none. */
    fallSilent: (): void => {
      isSilent = true;
    },
  };
}

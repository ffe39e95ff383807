import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { wallMs } from '../../bench/hostPauses.ts';
import { listenUntilEnd } from '../faultProxy.ts';
import type { FaultKind, Faults, ProviderLog } from './providerLog.ts';

const REPLIES: Readonly<Record<string, string>> = {
  EHLO: '250-mail.test\r\n250 8BITMIME',
  DATA: '354 go ahead',
  QUIT: '221 bye',
};

/** A mail server that logs every mail and injects faults. Like real mail servers, it sends no delivery reports. Answers its port. */
export const openSmtpProvider = (log: ProviderLog, faults: Faults): Promise<number> =>
  listenUntilEnd(createServer((socket) => converse(socket, log, faults)));

function converse(socket: Socket, log: ProviderLog, faults: Faults): void {
  /** The lines of a mail that is being received. */
  let mail: string[] | null = null;
  let fault: FaultKind = 'answers';
  const say = (line: string): void => void socket.write(`${line}\r\n`);

  const command = (line: string): void => {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'MAIL') {
      fault = faults.next();
      log.count(fault);
      if (fault === 'resets before') return void socket.resetAndDestroy();
    }
    if (verb === 'DATA') mail = [];
    say(REPLIES[verb] ?? '250 ok');
  };

  const take = (text: string): void => {
    // A long header is folded, so its value may start on the next line.
    const reference = /^Message-ID:\s+<([0-9a-z]+-[0-9a-z]+)@/im.exec(text)?.[1] ?? 'without a reference';
    log.submits.push({
      provider: 'smtp',
      reference,
      accepted: fault !== 'refuses',
      reports: false,
      at: wallMs(),
    });
    if (fault === 'answers') say('250 2.0.0 Ok: queued');
    else if (fault === 'refuses') say('451 4.3.0 busy, come back later');
    else if (fault === 'breaks off') socket.write('25', () => socket.resetAndDestroy());
    else if (fault === 'resets after') socket.resetAndDestroy();
  };

  say('220 mail.test ESMTP');
  // The proxy resets connections.
  const lines = createInterface({ input: socket }).on('error', () => {});
  lines.on('line', (line) => {
    if (mail === null) return command(line);
    if (line !== '.') return void mail.push(line);
    take(mail.join('\n'));
    mail = null;
  });
}

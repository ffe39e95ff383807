import { createServer, type Socket } from 'node:net';
import { listenUntilEnd } from '../faultProxy.ts';
import type { FaultKind, FaultProfile, ProviderLog } from './providerLog.ts';

const REPLIES: Readonly<Record<string, string>> = {
  EHLO: '250-mail.test\r\n250 8BITMIME',
  DATA: '354 go ahead',
  QUIT: '221 bye',
};
const END = '\r\n.\r\n';

/** A mail server that logs every mail and injects faults. Like real mail servers, it sends no delivery reports. Answers its port. */
export const openSmtpProvider = (log: ProviderLog, faults: FaultProfile): Promise<number> =>
  listenUntilEnd(
    createServer((socket) => {
      socket.write('220 mail.test ESMTP\r\n');
      converse(socket, log, faults);
    }),
  );

function converse(socket: Socket, log: ProviderLog, faults: FaultProfile): void {
  let received = '';
  let inData = false;
  let fault: FaultKind = 'answers';
  const say = (line: string): void => void socket.write(`${line}\r\n`);

  const command = (line: string): void => {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'MAIL') {
      fault = faults.next();
      log.count(fault);
      if (fault === 'resets before') return void socket.resetAndDestroy();
    }
    inData = verb === 'DATA';
    say(REPLIES[verb] ?? '250 ok');
  };

  const mail = (text: string): void => {
    // A long header is folded, so its value may start on the next line.
    const reference = /^Message-ID:\s+<([0-9a-z]+-[0-9a-z]+)@/im.exec(text)?.[1] ?? 'without a reference';
    log.submits.push({ provider: 'smtp', reference, accepted: fault !== 'refuses' });
    if (fault === 'answers') say('250 2.0.0 Ok: queued');
    else if (fault === 'refuses') say('451 4.3.0 busy, come back later');
    else if (fault === 'breaks off') socket.write('25', () => socket.resetAndDestroy());
    else if (fault === 'resets after') socket.resetAndDestroy();
  };

  socket.on('data', (bytes: Buffer) => {
    received += bytes.toString('latin1');
    for (;;) {
      const at = received.indexOf(inData ? END : '\r\n');
      if (at === -1) return;
      const text = received.slice(0, at);
      received = received.slice(at + (inData ? END.length : 2));
      if (inData) {
        inData = false;
        mail(text);
      } else command(text);
    }
  });
}

import { createServer, type Socket } from 'node:net';
import { type Listening, startLoopbackServer } from '../support/loopback.ts';

/** What a scripted mail server does: the reply to each step, or a way of letting its caller down there. */
export interface SmtpScript {
  /** The first word, before anything was said. */
  greeting?: string | 'hangs up';
  auth?: string;
  mail?: string | 'hangs up' | 'hangs up once';
  rcpt?: string | 'hangs up';
  data?: string | 'hangs up';
  /** In the middle of the body. */
  body?: 'hangs up';
  /** After the dot that ends it. */
  end?: string | 'hangs up' | 'never answers';
}

export interface AcceptedMail {
  from: string;
  to: string;
  mail: string;
}

export interface MockSmtp extends Listening {
  /** Mails that arrived with their final dot, whatever was replied. */
  taken: AcceptedMail[];
  /** Every command, in order. */
  said: string[];
  follow(script: SmtpScript): void;
}

/** A mail server on loopback until the test ends, without TLS, that does exactly what its script says. */
export async function mockSmtp(first: SmtpScript = {}): Promise<MockSmtp> {
  let script = first;
  const taken: AcceptedMail[] = [];
  const said: string[] = [];
  const server = createServer((socket) => {
    if (script.greeting === 'hangs up') return void socket.destroy();
    socket.write(`${script.greeting ?? '220 mail.test ESMTP'}\r\n`);
    converse(
      socket,
      () => script,
      () => (script = {}),
      taken,
      said,
    );
  });
  return { ...(await startLoopbackServer(server)), taken, said, follow: (next) => (script = next) };
}

function converse(
  socket: Socket,
  script: () => SmtpScript,
  forgetScript: () => void,
  taken: AcceptedMail[],
  said: string[],
): void {
  let waiting = '';
  let body: string | null = null;
  let envelope = { from: '', to: '' };
  const reply = (text: string) => {
    if (text === 'hangs up once') forgetScript();
    if (text.startsWith('hangs up')) socket.destroy();
    else if (text !== 'never answers') socket.write(`${text}\r\n`);
  };
  const hear = (line: string) => {
    said.push(line);
    const [verb = ''] = line.toUpperCase().split(/[ :]/);
    if (verb === 'EHLO') return reply('250-mail.test\r\n250 AUTH PLAIN');
    if (verb === 'AUTH') return reply(script().auth ?? '235 2.7.0 ok');
    if (verb === 'MAIL') {
      envelope = { from: /<(.*?)>/.exec(line)?.[1] ?? '', to: '' };
      return reply(script().mail ?? '250 2.1.0 ok');
    }
    if (verb === 'RCPT') {
      envelope.to = /<(.*?)>/.exec(line)?.[1] ?? '';
      return reply(script().rcpt ?? '250 2.1.5 ok');
    }
    if (verb === 'DATA') {
      const said = script().data ?? '354 go ahead';
      if (said.startsWith('354') || said.startsWith('250')) body = '';
      return reply(said);
    }
    return reply(verb === 'QUIT' ? '221 bye' : '250 ok');
  };
  socket.on('data', (bytes: Buffer) => {
    waiting += bytes.toString('utf8');
    if (body !== null) {
      if (script().body === 'hangs up') return void socket.destroy();
      body += waiting;
      waiting = '';
      if (!body.endsWith('\r\n.\r\n')) return;
      taken.push({ ...envelope, mail: body.slice(0, -3) });
      body = null;
      return reply(script().end ?? '250 2.0.0 Ok: queued as 4F1A2B');
    }
    for (let end = waiting.indexOf('\r\n'); end !== -1; end = waiting.indexOf('\r\n')) {
      const line = waiting.slice(0, end);
      waiting = waiting.slice(end + 2);
      hear(line);
    }
  });
}

import { SMTPServer } from 'smtp-server';
import { authority, receiverKey, trustedCertificate } from '../support/certificates.ts';
import { type Listening, startLoopbackServer } from '../support/loopback.ts';

/** A mail that a server took. */
export interface ArrivedMail {
  from: string;
  to: string[];
  /** Whether it came over TLS, and who had signed in. */
  secure: boolean;
  user: string;
  raw: string;
}

export const MAIL_LOGIN = { user: 'waypost', password: 'a password for mail' };

/** A real mail server on loopback until the test ends, which insists on STARTTLS and a sign-in. */
export async function smtpServer(): Promise<{
  port: number;
  arrived: ArrivedMail[];
  /** The operator's variables for it. */
  env: Record<string, string>;
  /** Whom it lets in from now on. */
  expect(password: string): void;
  tries(): number;
}> {
  const arrived: ArrivedMail[] = [];
  let password: string = MAIL_LOGIN.password;
  let tries = 0;
  const server = new SMTPServer({
    key: receiverKey,
    cert: trustedCertificate,
    onAuth(given, _session, done) {
      tries += 1;
      if (given.username !== MAIL_LOGIN.user || given.password !== password)
        return done(new Error('wrong password'));
      done(null, { user: given.username });
    },
    onData(stream, { envelope, secure, user }, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        arrived.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : '',
          to: envelope.rcptTo.map(({ address }) => address),
          secure,
          user: String(user),
          raw: Buffer.concat(parts).toString('latin1'),
        });
        done(null, 'Ok: queued as 4F1A2B');
      });
    },
  });
  const { port }: Listening = await startLoopbackServer(server.server);
  return {
    port,
    arrived,
    env: {
      EMAIL_PROVIDER: 'smtp',
      EMAIL_FROM: 'updates@waypost.example',
      SMTP_HOST: 'localhost',
      SMTP_PORT: String(port),
      SMTP_USER: MAIL_LOGIN.user,
      SMTP_PASSWORD: MAIL_LOGIN.password,
      SMTP_CA: authority,
    },
    expect: (next) => {
      password = next;
    },
    tries: () => tries,
  };
}

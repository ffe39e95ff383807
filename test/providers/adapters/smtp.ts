import { onTestFinished } from 'vitest';
import { createHttpClient } from '../../../src/providers/http.ts';
import { smtpEnv } from '../../support/providerEnvironments.ts';
import { mockSmtp, type SmtpScript } from '../mockSmtp.ts';
import {
  type Adapter,
  benchDeps,
  type ConnectedAdapter,
  EMAIL,
  type ServerBehaviour,
  sampleEmail,
} from './bench.ts';

/** A call is a dozen answers of the server, and the first one loads the client. */
const CALL_MS = 3_000;

export const SMTP_SCRIPTS: Record<Exclude<ServerBehaviour, 'refuses the connection'>, SmtpScript> = {
  'accepts the message': {},
  'is busy': { rcpt: '451 4.7.1 try again later' },
  'refuses the message': { end: '554 5.6.0 no' },
  'refuses the credentials': { auth: '535 5.7.8 wrong' },
  'refuses the sender': { mail: '550 5.7.1 not yours to send from' },
  'closes the connection after the request': { end: 'hangs up' },
  'never answers': { end: 'never answers' },
};

export const smtpAdapter: Adapter & {
  openWith(
    script: SmtpScript,
  ): Promise<ConnectedAdapter & { follow(script: SmtpScript): void; said: string[] }>;
} = {
  name: 'smtp',
  open: () => smtpAdapter.openWith({}),
  async openWith(script) {
    const server = await mockSmtp(script);
    const client = createHttpClient();
    onTestFinished(() => client.destroy());
    const open = (port: number) => {
      const env = { ...smtpEnv(port), SMTP_USER: 'waypost', SMTP_PASSWORD: 'secret' };
      const made = EMAIL.open(env, { ...benchDeps(client), callMs: CALL_MS });
      onTestFinished(() => made.close?.());
      return made;
    };
    let provider = open(server.port);
    return {
      send: (change = {}, signal = AbortSignal.timeout(60_000)) => provider.send(sampleEmail(change), signal),
      async behave(manner) {
        if (manner === 'refuses the connection') provider = open(1);
        else server.follow(SMTP_SCRIPTS[manner]);
      },
      submissions: () =>
        server.taken.map(({ from, to, mail }) => ({
          reference: /^Message-ID:\s+<(.*)@/im.exec(mail)?.[1] ?? null,
          from,
          to,
          whole: mail,
        })),
      follow: server.follow,
      said: server.said,
    };
  },
};

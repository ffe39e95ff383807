import type { Send } from '../../src/outbox/send.ts';
import { smtpEnv } from '../support/providerEnvironments.ts';
import type { TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { type MockSmtp, mockSmtp } from './mockSmtp.ts';
import { sendWhen, startProviderService } from './providerService.ts';

export const BOUNCE_PASSWORD = 'a password for returned mails';

export const bounceEnv = { BOUNCE_DOMAIN: 'bounce.example', BOUNCE_CALLBACK_PASSWORD: BOUNCE_PASSWORD };

export interface SentMail {
  messageId: string;
  send: Send;
  /** The envelope sender. */
  from: string;
  raw: string;
}

/** The whole product with a mail server that takes everything, until the test ends. */
export async function startBounceService(env: Record<string, string> = {}) {
  const server = await mockSmtp();
  const service = await startProviderService({ ...smtpEnv(server.port), ...bounceEnv, ...env });
  const shop = await service.business();
  return { service, shop, server, sent: (to?: string) => sentMail(service, shop, server, to) };
}

async function sentMail(service: TestService, shop: Shop, server: MockSmtp, to = 'ann@example.com') {
  const { id: messageId } = await shop.pushed({ recipient_email: to });
  const send = await sendWhen(service, messageId, 'email', { state: 'accepted' });
  const taken = server.taken.find(({ mail }) => mail.includes(send.id));
  if (!taken) throw new Error('the mail did not arrive');
  return { messageId, send, from: taken.from, raw: taken.mail };
}

/** A returned mail, posted as the pipe of a mail server posts it. */
export const postMail = (
  url: string,
  mail: Buffer,
  authorization = `Basic ${Buffer.from(`waypost:${BOUNCE_PASSWORD}`).toString('base64')}`,
): Promise<Response> =>
  fetch(`${url}/callbacks/mail`, {
    method: 'POST',
    headers: { 'content-type': 'message/rfc822', ...(authorization === '' ? {} : { authorization }) },
    body: new Uint8Array(mail),
  });

export async function suppressions(service: TestService, address = 'ann@example.com'): Promise<string[]> {
  const { rows } = await service.pool.query<{ reason: string }>(
    'select reason from suppressions where email_hash = $1',
    [service.hash('email', address)],
  );
  return rows.map(({ reason }) => reason);
}

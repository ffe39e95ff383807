import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll } from 'vitest';
import type { Channel } from '../../src/contract/channels.ts';
import type { Send } from '../../src/outbox/send.ts';
import {
  brevoEnv,
  mailgunEnv,
  metaEnv,
  postmarkEnv,
  resendEnv,
  sendgridEnv,
  sesEnv,
  twilioSmsEnv,
  vonageEnv,
} from '../support/providerEnvironments.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { fakeSns } from './callers.ts';
import { sendWhen } from './providerService.ts';

/** The whole product with a shop, whose nudges are all taken. */
export interface CallbackService {
  service: TestService;
  shop: Shop;
}

/** Takes whatever it is sent, in the words of every provider at once. */
const TAKEN = JSON.stringify({
  sid: `SM${'1'.repeat(32)}`,
  MessageID: 'pm-1',
  ErrorCode: 0,
  Message: 'OK',
  id: 're-1',
  MessageId: 'ses-1',
  messageId: '<brevo-1@relay.example>',
  message_uuid: 'vonage-1',
  messages: [{ id: 'wamid.1' }],
});

/** Houses for the tests of a file. The one with Postmark also carries texts through Twilio and WhatsApp through Meta, the one with Brevo texts through Vonage. */
export function useCallbackServices() {
  const sns = fakeSns();
  const opened: Record<string, CallbackService> = {};
  let api: Server;
  beforeAll(async () => {
    api = createServer((request, response) =>
      request.resume().on('end', () => response.setHeader('x-message-id', 'sg-1').end(TAKEN)),
    ).listen(0, '127.0.0.1');
    await once(api, 'listening');
    const address = api.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const open = async (name: string, env: Record<string, string>): Promise<void> => {
      const service = await startService(env, { sns });
      opened[name] = { service, shop: await service.business({ credits: 100 }) };
    };
    await open('postmark', { ...postmarkEnv(url), ...twilioSmsEnv(url), ...metaEnv(url) });
    await open('brevo', { ...brevoEnv(url), ...vonageEnv(url) });
    await open('resend', resendEnv(url));
    await open('ses', sesEnv(url));
    await open('mailgun', mailgunEnv(url));
    await open('sendgrid', sendgridEnv(url));
  });
  afterAll(async () => {
    for (const { service } of Object.values(opened)) await service.close();
    api.closeAllConnections();
    api.close();
  });
  const of = (name: string): CallbackService => {
    const house = opened[name];
    if (!house) throw new Error(`the house with ${name} is not open`);
    return house;
  };
  return {
    sns,
    get postmark() {
      return of('postmark');
    },
    get brevo() {
      return of('brevo');
    },
    get resend() {
      return of('resend');
    },
    get ses() {
      return of('ses');
    },
    get mailgun() {
      return of('mailgun');
    },
    get sendgrid() {
      return of('sendgrid');
    },
  };
}

let people = 0;

export interface AcceptedSend extends Send {
  messageId: string;
  reference: string;
  address: string;
  phone: string;
}

/** A message to somebody new, taken by the provider of a channel. */
export async function acceptedSend(
  { service, shop }: CallbackService,
  channel: Channel,
): Promise<AcceptedSend> {
  people += 1;
  const address = `person${people}@example.com`;
  const phone = `+4477009${10_000 + people}`;
  const { id } = await shop.pushed({
    recipient_email: address,
    ...(channel !== 'email' && { recipient_phone: phone, channels: [channel] }),
    ...(channel === 'whatsapp' && {
      whatsapp_opt_in: { source: 'checkout' },
      reference: '#1',
      order_status: 'shipped',
    }),
  });
  const send = await sendWhen(service, id, channel, { state: 'accepted' });
  return { ...send, messageId: id, reference: `${send.business_id}-${send.id}`, address, phone };
}

export const currentSend = async (
  { service }: CallbackService,
  { messageId, channel }: AcceptedSend,
): Promise<Send> => sendWhen(service, messageId, channel, {});

export const eventTypesOf = async (
  { service }: CallbackService,
  { messageId }: AcceptedSend,
): Promise<string[]> => {
  const { rows } = await service.pool.query<{ type: string }>(
    'select type from events where message_id = $1 order by id',
    [messageId],
  );
  return rows.map(({ type }) => type);
};

export const recipientOf = async ({ service }: CallbackService, { recipient_id }: AcceptedSend) =>
  (await service.pool.query('select * from recipients where id = $1', [recipient_id])).rows[0];

export const suppressionReasons = async (
  { service }: CallbackService,
  { address }: AcceptedSend,
): Promise<string[]> => {
  const { rows } = await service.pool.query('select reason from suppressions where email_hash = $1', [
    service.hash('email', address),
  ]);
  return rows.map(({ reason }) => reason);
};

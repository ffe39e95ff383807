import { createHmac, createSign, randomUUID } from 'node:crypto';
import type { Channel } from '../../src/contract/channels.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { standardHeaders, webhookKey } from '../../src/kit/standardWebhooks.ts';
import type { SnsCalls } from '../../src/providers/ses/callback.ts';
import { ACCOUNT_SID, PROVIDER_SECRETS, SHARED_ENV, WABA_ID } from '../support/providerEnvironments.ts';
import { snsCertificate, snsKey } from '../support/providerKeys.ts';

/** Providers calling back: requests as they make them, signed as they sign them. Each answers the status it got. */

export interface CallbackResponse {
  status: number;
  text: string;
  type: string | null;
}

export async function post(
  url: string,
  body: string,
  headers: Record<string, string>,
): Promise<CallbackResponse> {
  const response = await fetch(url, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text(), type: response.headers.get('content-type') };
}

/** A form of Twilio's. It signs the address that it calls; where a proxy stands between, the form arrives at another. */
export function postAsTwilio(
  url: string,
  fields: Record<string, string>,
  {
    reference = null,
    token = PROVIDER_SECRETS.twilio,
    called = url,
  }: { reference?: string | null; token?: string; called?: string } = {},
): Promise<CallbackResponse> {
  const path = `/callbacks/twilio${reference === null ? '' : `?ref=${reference}`}`;
  const address = called + path;
  const text = Object.keys(fields)
    .sort()
    .map((name) => name + fields[name])
    .join('');
  const signature = createHmac('sha1', token)
    .update(address + text)
    .digest('base64');
  return post(url + path, new URLSearchParams(fields).toString(), {
    'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
    'x-twilio-signature': signature,
  });
}

/** What Twilio reports about a message of ours. */
export const twilioReport = (
  url: string,
  reference: string,
  MessageStatus: string,
  more: Record<string, string> = {},
): Promise<CallbackResponse> =>
  postAsTwilio(
    url,
    {
      MessageSid: `SM${reference.slice(-20)}`,
      MessageStatus,
      SmsStatus: MessageStatus,
      To: '+447700900123',
      From: SHARED_ENV.sms,
      AccountSid: ACCOUNT_SID,
      ApiVersion: '2010-04-01',
      ...more,
    },
    { reference },
  );

/** Somebody's message, as Twilio passes it on. */
export const twilioInbound = (url: string, fields: Record<string, string>): Promise<CallbackResponse> =>
  postAsTwilio(url, {
    MessageSid: `SM${randomUUID().replaceAll('-', '')}`,
    AccountSid: ACCOUNT_SID,
    SmsStatus: 'received',
    NumMedia: '0',
    To: SHARED_ENV.sms,
    Body: 'STOP',
    ...fields,
  });

export function postAsMeta(
  url: string,
  value: unknown,
  { field = 'messages', secret = PROVIDER_SECRETS.meta }: { field?: string; secret?: string } = {},
): Promise<CallbackResponse> {
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: WABA_ID, changes: [{ field, value }] }],
  });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return post(`${url}/callbacks/meta`, body, {
    'content-type': 'application/json',
    'x-hub-signature-256': `sha256=${signature}`,
  });
}

const metadata = { display_phone_number: '447700900901', phone_number_id: SHARED_ENV.phoneNumberId };

export const metaStatus = (
  url: string,
  reference: string,
  status: string,
  code?: number,
): Promise<CallbackResponse> =>
  postAsMeta(url, {
    messaging_product: 'whatsapp',
    metadata,
    statuses: [
      {
        id: `wamid.${reference}`,
        status,
        timestamp: '1689380458',
        recipient_id: '447700900123',
        biz_opaque_callback_data: reference,
        ...(code !== undefined && { errors: [{ code, title: 'No.', message: 'No.' }] }),
      },
    ],
  });

export const metaInbound = (
  url: string,
  from: string,
  body: string,
  {
    phoneNumberId = SHARED_ENV.phoneNumberId,
    id = `wamid.${randomUUID()}`,
  }: { phoneNumberId?: string; id?: string } = {},
): Promise<CallbackResponse> =>
  postAsMeta(url, {
    messaging_product: 'whatsapp',
    metadata: { ...metadata, phone_number_id: phoneNumberId },
    contacts: [{ profile: { name: 'Ann' }, wa_id: from.slice(1) }],
    messages: [{ from: from.slice(1), id, timestamp: '1689380458', type: 'text', text: { body } }],
  });

/** In place of Amazon SNS: serves the certificate, and notes what it was asked to confirm. */
export function fakeSns(): SnsCalls & { confirmed: string[] } {
  const confirmed: string[] = [];
  return {
    confirmed,
    loadCertificate: async () => snsCertificate,
    confirm: async (address) => {
      confirmed.push(address);
    },
  };
}

export function postAsSns(url: string, change: Record<string, string>): Promise<CallbackResponse> {
  const fields: Record<string, string> = {
    Type: 'Notification',
    MessageId: randomUUID(),
    TopicArn: PROVIDER_SECRETS.topic,
    Timestamp: '2026-08-20T09:15:00.000Z',
    ...change,
  };
  const names = ['Message', 'MessageId', 'SubscribeURL', 'Subject', 'Timestamp', 'Token', 'TopicArn', 'Type'];
  const text = names.flatMap((name) => (name in fields ? [`${name}\n${fields[name]}\n`] : [])).join('');
  const body = JSON.stringify({
    ...fields,
    SignatureVersion: '2',
    Signature: createSign('RSA-SHA256').update(text).sign(snsKey, 'base64'),
    SigningCertURL:
      'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem',
  });
  return post(`${url}/callbacks/ses`, body, {
    'content-type': 'text/plain; charset=UTF-8',
    'x-amz-sns-message-type': fields.Type ?? '',
    'x-amz-sns-message-id': fields.MessageId ?? '',
    'x-amz-sns-topic-arn': fields.TopicArn ?? '',
  });
}

export const sesEvent = (
  url: string,
  reference: string,
  eventType: string,
  { id = randomUUID(), ...detail }: Record<string, unknown> & { id?: string } = {},
): Promise<CallbackResponse> =>
  postAsSns(url, {
    MessageId: id,
    Message: JSON.stringify({
      eventType,
      mail: {
        messageId: 'ses-1',
        destination: ['ann@example.com'],
        tags: { waypost_reference: [reference] },
      },
      ...detail,
    }),
  });

export const postAsPostmark = (
  url: string,
  record: Record<string, unknown>,
  login = `waypost:${PROVIDER_SECRETS.postmark}`,
): Promise<CallbackResponse> =>
  post(`${url}/callbacks/postmark`, JSON.stringify(record), {
    'content-type': 'application/json',
    authorization: `Basic ${Buffer.from(login).toString('base64')}`,
  });

export const postmarkRecord = (
  url: string,
  reference: string,
  RecordType: string,
  more: Record<string, unknown> = {},
): Promise<CallbackResponse> =>
  postAsPostmark(url, {
    RecordType,
    MessageID: `pm-${reference}`,
    MessageStream: 'outbound',
    Recipient: 'ann@example.com',
    Metadata: { waypost_reference: reference },
    ...more,
  });

export function postAsResend(
  url: string,
  event: unknown,
  {
    id = `msg_${randomUUID()}`,
    secret = PROVIDER_SECRETS.resend,
    at = systemClock.now(),
  }: { id?: string; secret?: string; at?: Date } = {},
): Promise<CallbackResponse> {
  const body = JSON.stringify(event);
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return post(`${url}/callbacks/resend`, body, {
    'content-type': 'application/json',
    'svix-id': id,
    'svix-timestamp': timestamp,
    'svix-signature': `v1,${signature}`,
  });
}

/** A callback of the receiver's, signed like Waypost's own requests but with the other secret. */
export function postAsReceiver(
  url: string,
  event: unknown,
  {
    id = `evt_${randomUUID()}`,
    secret = PROVIDER_SECRETS.httpCallback,
    at = systemClock.now(),
  }: { id?: string; secret?: string; at?: Date } = {},
): Promise<CallbackResponse> {
  const body = JSON.stringify(event);
  const signed = standardHeaders([webhookKey(secret)], id, Math.floor(at.getTime() / 1_000), body);
  return post(`${url}/callbacks/http`, body, { 'content-type': 'application/json', ...signed });
}

/** What it reports about a message of ours. */
export const receiverStatus = (
  url: string,
  channel: Channel,
  reference: string,
  status: string,
  { id, ...more }: Record<string, unknown> & { id?: string } = {},
): Promise<CallbackResponse> =>
  postAsReceiver(
    url,
    { v: 1, type: 'status', id: `${channel}_${reference}_1`, status, at: '2026-08-20T09:15:00Z', ...more },
    id === undefined ? {} : { id },
  );

export const resendEvent = (
  url: string,
  reference: string,
  type: string,
  { id, ...data }: Record<string, unknown> & { id?: string } = {},
): Promise<CallbackResponse> =>
  postAsResend(
    url,
    {
      type,
      created_at: '2026-08-20T09:15:00Z',
      data: { email_id: 're-1', tags: { waypost_reference: reference }, ...data },
    },
    id === undefined ? {} : { id },
  );

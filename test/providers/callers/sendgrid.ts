import { createSign, randomUUID } from 'node:crypto';
import { systemClock } from '../../../src/kit/clock.ts';
import { sendgridKey } from '../../support/providerKeys.ts';
import { type CallbackResponse, post } from '../callers.ts';

export function postAsSendgrid(
  url: string,
  events: unknown,
  { key = sendgridKey, at = systemClock.now() }: { key?: string; at?: Date } = {},
): Promise<CallbackResponse> {
  const body = JSON.stringify(events);
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  return post(`${url}/callbacks/sendgrid`, body, {
    'content-type': 'application/json',
    'x-twilio-email-event-webhook-timestamp': timestamp,
    'x-twilio-email-event-webhook-signature': createSign('sha256')
      .update(timestamp + body)
      .sign(key, 'base64'),
  });
}

export const sendgridFields = (reference: string, event: string, more: Record<string, unknown> = {}) => ({
  email: 'ann@example.com',
  timestamp: 1_794_986_127,
  event,
  sg_event_id: randomUUID(),
  sg_message_id: 'sg-1.recvd-1',
  waypost_reference: reference,
  ...more,
});

export const sendgridEvent = (
  url: string,
  reference: string,
  event: string,
  more: Record<string, unknown> = {},
): Promise<CallbackResponse> => postAsSendgrid(url, [sendgridFields(reference, event, more)]);

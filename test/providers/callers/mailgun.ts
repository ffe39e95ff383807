import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { systemClock } from '../../../src/kit/clock.ts';
import { PROVIDER_SECRETS } from '../../support/providerEnvironments.ts';
import { type CallbackResponse, post } from '../callers.ts';

export function postAsMailgun(
  url: string,
  event: unknown,
  {
    token = randomBytes(25).toString('hex'),
    key = PROVIDER_SECRETS.mailgun,
    at = systemClock.now(),
  }: { token?: string; key?: string; at?: Date } = {},
): Promise<CallbackResponse> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signature = createHmac('sha256', key)
    .update(timestamp + token)
    .digest('hex');
  const body = JSON.stringify({ signature: { token, timestamp, signature }, 'event-data': event });
  return post(`${url}/callbacks/mailgun`, body, { 'content-type': 'application/json' });
}

export const mailgunEvent = (
  url: string,
  reference: string,
  event: string,
  { token, ...more }: Record<string, unknown> & { token?: string } = {},
): Promise<CallbackResponse> =>
  postAsMailgun(
    url,
    {
      event,
      id: randomUUID(),
      timestamp: 1_794_986_127.5,
      recipient: 'ann@example.com',
      'user-variables': { waypost_reference: reference },
      ...more,
    },
    token === undefined ? {} : { token },
  );

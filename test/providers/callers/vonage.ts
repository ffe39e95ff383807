import { createHash, createHmac, randomUUID } from 'node:crypto';
import { systemClock } from '../../../src/kit/clock.ts';
import { PROVIDER_SECRETS, SHARED_ENV, VONAGE_API_KEY } from '../../support/providerEnvironments.ts';
import { type CallbackResponse, post } from '../callers.ts';

/** A callback, signed as Vonage signs it; `signed`: another body than the one that is sent. */
export function postAsVonage(
  url: string,
  content: unknown,
  {
    jti = randomUUID(),
    secret = PROVIDER_SECRETS.vonage,
    at = systemClock.now(),
    header = { alg: 'HS256', typ: 'JWT' },
    signed = JSON.stringify(content),
  }: { jti?: string; secret?: string; at?: Date; header?: Record<string, string>; signed?: string } = {},
): Promise<CallbackResponse> {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    iat: Math.floor(at.getTime() / 1_000),
    jti,
    iss: 'Vonage',
    payload_hash: createHash('sha256').update(signed).digest('hex'),
    api_key: VONAGE_API_KEY,
  };
  const text = `${part(header)}.${part(claims)}`;
  const signature = createHmac('sha256', secret).update(text).digest('base64url');
  return post(`${url}/callbacks/vonage`, JSON.stringify(content), {
    'content-type': 'application/json',
    authorization: `Bearer ${text}.${signature}`,
  });
}

/** The status of a text of ours; numbers come without a plus. */
export const vonageStatus = (
  url: string,
  reference: string,
  status: string,
  { code, to = '+447700900123', jti }: { code?: number; to?: string; jti?: string } = {},
): Promise<CallbackResponse> =>
  postAsVonage(
    url,
    {
      message_uuid: 'aaaaaaaa-bbbb-cccc-dddd-0123456789ab',
      to: to.slice(1),
      from: SHARED_ENV.sms.slice(1),
      timestamp: '2026-08-20T09:15:00Z',
      status,
      client_ref: reference,
      ...(code !== undefined && {
        error: { type: `https://developer.vonage.com/api-errors/messages#${code}`, title: code },
      }),
    },
    jti === undefined ? {} : { jti },
  );

/** Somebody's text, as Vonage passes it on. */
export const vonageInbound = (
  url: string,
  from: string,
  text: string,
  { to = SHARED_ENV.sms, id = randomUUID() }: { to?: string; id?: string } = {},
): Promise<CallbackResponse> =>
  postAsVonage(url, {
    message_uuid: id,
    to: to.slice(1),
    from: from.slice(1),
    timestamp: '2026-08-20T09:15:00Z',
    channel: 'sms',
    text,
    sms: { keyword: text.trim().split(' ')[0]?.toUpperCase(), num_messages: '1' },
  });

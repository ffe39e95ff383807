import { createHmac } from 'node:crypto';
import { SECOND } from '../kit/clock.ts';
import { constantTimeEqual } from '../kit/constantTimeEqual.ts';

export interface SvixHeaders {
  id: string | undefined;
  timestamp: string | undefined;
  /** Several, separated by spaces, while a secret is being changed. */
  signature: string | undefined;
}

const TOLERANCE_MS = 300 * SECOND;
const SECRET_START = 'whsec_';

/** Whether the headers name an id, a signature and a time that is not long ago: known before the body is read. */
export function mayBeSvixSignature({ id, timestamp, signature }: SvixHeaders, now: Date): boolean {
  if (!id || !signature || timestamp === undefined || !/^\d{1,12}$/.test(timestamp)) return false;
  return Math.abs(now.getTime() - Number(timestamp) * SECOND) <= TOLERANCE_MS;
}

/** Whether Resend made this request, and lately: its webhooks are signed by Svix over id, time and the very bytes. */
export function isFromResend(secret: string, headers: SvixHeaders, body: Buffer, now: Date): boolean {
  const { id, timestamp, signature } = headers;
  if (!mayBeSvixSignature(headers, now) || signature === undefined) return false;
  const key = Buffer.from(secret.slice(SECRET_START.length), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return signature.split(' ').some((one) => constantTimeEqual(one, `v1,${expected}`));
}

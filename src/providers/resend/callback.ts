import { createHmac } from 'node:crypto';
import { at, listAt, textAt } from '../../kit/json.ts';
import { constantTimeEqual } from '../../kit/seal.ts';
import { type CallbackContent, type EmailReport, emailContent } from '../callbackContent.ts';
import { REFERENCE_TAG } from '../provider.ts';
import { isSignedRecently } from '../signedTime.ts';

/** Reads a Resend event; `id` is the Svix message id. */
export const parseResendCallback = (id: string, body: unknown): CallbackContent =>
  emailContent(
    { provider: 'resend', reportId: id, reference: referenceIn(body) },
    reportOf(textAt(body, 'type'), at(body, 'data')),
  );

/** We send tags as a list, and Resend returns an object; both are accepted. */
function referenceIn(body: unknown): string | null {
  const tags = at(body, 'data', 'tags');
  const listed = listAt(tags).find((tag) => textAt(tag, 'name') === REFERENCE_TAG);
  return textAt(tags, REFERENCE_TAG) ?? textAt(listed, 'value');
}

/** sent, scheduled and delivery_delayed are not final; opened and clicked are not used. */
const REPORTS: ReadonlyMap<string | null, EmailReport> = new Map([
  ['email.delivered', { status: 'delivered', errorCode: null }],
  ['email.suppressed', { status: 'bounced', errorCode: 'resend_suppressed', permanent: true }],
  ['email.complained', { status: 'complained', errorCode: null }],
  ['email.failed', { status: 'failed', errorCode: 'resend_failed' }],
]);

function reportOf(type: string | null, data: unknown): EmailReport | null {
  if (type !== 'email.bounced') return REPORTS.get(type) ?? null;
  const kind = textAt(data, 'bounce', 'type') ?? 'Undetermined';
  const errorCode = `resend_${kind.toLowerCase()}`;
  return { status: 'bounced', errorCode, permanent: kind === 'Permanent' };
}

export interface SvixHeaders {
  id: string | undefined;
  timestamp: string | undefined;
  /** Several signatures, separated by spaces, during a rotation of the secret. */
  signature: string | undefined;
}

const SECRET_PREFIX = 'whsec_';

/** Whether the headers have an id, a signature and a recent time; checked before the body is read. */
export const mayBeSvixSignature = ({ id, timestamp, signature }: SvixHeaders, now: Date): boolean =>
  !!id && !!signature && isSignedRecently(timestamp, now);

/** Whether Resend made this request recently: Svix signs the id, the time and the raw body. */
export function isFromResend(secret: string, headers: SvixHeaders, body: Buffer, now: Date): boolean {
  const { id, timestamp, signature } = headers;
  if (!mayBeSvixSignature(headers, now) || signature === undefined) return false;
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return signature.split(' ').some((one) => constantTimeEqual(one, `v1,${expected}`));
}

import { createHmac } from 'node:crypto';
import { SECOND } from '../kit/clock.ts';
import { at, listAt, textAt } from '../kit/json.ts';
import { constantTimeEqual } from '../kit/seal.ts';
import { RESEND_REFERENCE } from '../providers/email/resend.ts';
import type { ReportFacts } from './afterReport.ts';
import { type CallbackContent, EMPTY_CONTENT, IGNORED_CONTENT } from './callbackContent.ts';
import type { DeliveryReport } from './reports.ts';

/** An event of Resend, under the name that Svix gave its delivery. */
export function parseResendCallback(id: string, body: unknown): CallbackContent {
  const fact = factOf(textAt(body, 'type'), at(body, 'data'));
  if (fact === null) return IGNORED_CONTENT;
  const report: DeliveryReport = {
    provider: 'resend',
    reportId: id,
    reference: referenceIn(body) ?? '',
    ...fact,
  };
  return { ...EMPTY_CONTENT, reports: [report] };
}

/** Tags are sent as a list and come back as an object; either is understood. */
function referenceIn(body: unknown): string | null {
  const tags = at(body, 'data', 'tags');
  const listed = listAt(tags).find((tag) => textAt(tag, 'name') === RESEND_REFERENCE);
  return textAt(tags, RESEND_REFERENCE) ?? textAt(listed, 'value');
}

type Told = ReportFacts & Pick<DeliveryReport, 'permanent'>;

function factOf(type: string | null, data: unknown): Told | null {
  switch (type) {
    case 'email.delivered':
      return { status: 'delivered', errorCode: null };
    case 'email.bounced': {
      const kind = textAt(data, 'bounce', 'type') ?? 'Undetermined';
      return {
        status: 'bounced',
        errorCode: `resend_${kind.toLowerCase()}`,
        permanent: kind === 'Permanent',
      };
    }
    case 'email.suppressed':
      return { status: 'bounced', errorCode: 'resend_suppressed', permanent: true };
    case 'email.complained':
      return { status: 'complained', errorCode: null };
    case 'email.failed':
      return { status: 'failed', errorCode: 'resend_failed' };
    default:
      // sent, scheduled and delivery_delayed are on the way; opened and clicked are none of our business.
      return null;
  }
}

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

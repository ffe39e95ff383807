import { createVerify, type KeyObject } from 'node:crypto';
import { DAY } from '../../kit/clock.ts';
import { textAt } from '../../kit/json.ts';
import { isSignedRecently } from '../../kit/signedTime.ts';
import {
  type CallbackContent,
  type EmailReport,
  emailContent,
  IGNORED_CONTENT,
  mergeContents,
} from '../callbackContent.ts';
import { REFERENCE_TAG } from '../provider.ts';
import { isDeadAddress } from '../verdicts.ts';

/** A list of SendGrid's events. */
export const parseSendgridCallback = (body: unknown): CallbackContent =>
  Array.isArray(body) ? mergeContents(body.map(eventContent)) : IGNORED_CONTENT;

function eventContent(event: unknown): CallbackContent {
  const reportId = textAt(event, 'sg_event_id');
  if (reportId === null) return IGNORED_CONTENT;
  // Custom arguments become fields of the event itself.
  const reference = textAt(event, REFERENCE_TAG);
  return emailContent({ provider: 'sendgrid', reportId, reference }, reportOf(event));
}

/** What SendGrid says of an address that it will never send to. */
const DROPPED_FOR_GOOD: readonly (string | null)[] = [
  'Bounced Address',
  'Unsubscribed Address',
  'Spam Reporting Address',
  'Invalid',
];

/** `processed` and `deferred` are not final; `open` and `click` are not used. */
function reportOf(event: unknown): EmailReport | null {
  switch (textAt(event, 'event')) {
    case 'delivered':
      return { status: 'delivered', errorCode: null };
    case 'bounce':
      return textAt(event, 'type') === 'blocked'
        ? { status: 'bounced', errorCode: 'sendgrid_blocked' }
        : {
            status: 'bounced',
            errorCode: 'sendgrid_bounce',
            permanent: isDeadAddress(textAt(event, 'status')),
          };
    case 'dropped':
      return DROPPED_FOR_GOOD.includes(textAt(event, 'reason'))
        ? { status: 'bounced', errorCode: 'sendgrid_dropped', permanent: true }
        : { status: 'failed', errorCode: 'sendgrid_dropped' };
    case 'spamreport':
    case 'unsubscribe':
    case 'group_unsubscribe':
      return { status: 'complained', errorCode: null };
    default:
      return null;
  }
}

export interface SendgridHeaders {
  timestamp: string | undefined;
  signature: string | undefined;
}

const RETRIED_FOR_MS = DAY;

/** Whether the headers have a signature and a time that is not too old; checked before the body is read. */
export const mayBeSendgridSignature = ({ timestamp, signature }: SendgridHeaders, now: Date): boolean =>
  !!signature && isSignedRecently(timestamp, now, RETRIED_FOR_MS);

/** Whether SendGrid signed this: ECDSA over the time and the raw body. */
export function isFromSendgrid(key: KeyObject, headers: SendgridHeaders, body: Buffer, now: Date): boolean {
  const { timestamp, signature } = headers;
  if (!mayBeSendgridSignature(headers, now) || !timestamp || !signature) return false;
  return createVerify('sha256').update(timestamp).update(body).verify(key, signature, 'base64');
}

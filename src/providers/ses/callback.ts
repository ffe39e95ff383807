import type { Dispatcher } from 'undici';
import { SECOND } from '../../kit/clock.ts';
import { parseJsonText, textAt } from '../../kit/json.ts';
import { type CallbackContent, contentOf, type EmailReport, emailContent } from '../callbackContent.ts';
import { exchange } from '../http.ts';
import { REFERENCE_TAG } from '../provider.ts';
import type { LoadCertificate, SnsMessage } from './snsSignature.ts';

/** Reads an Amazon SES event from its SNS message. Each of our mails has one recipient, so the event has one, too. */
export function readSesEvent({ id, message }: SnsMessage): CallbackContent {
  const event = parseJsonText(message);
  const type = textAt(event, 'eventType') ?? textAt(event, 'notificationType');
  if (type === 'Rendering Failure') {
    const sentence = 'Amazon SES could not render a mail, though ours need no rendering.';
    return contentOf({ faults: [{ channel: 'email', about: 'ses_rendering', sentence }] });
  }
  // SES returns every tag as a list; ours has one value.
  const reference = textAt(event, 'mail', 'tags', REFERENCE_TAG, 0);
  return emailContent({ provider: 'ses', reportId: id, reference }, reportOf(type, event));
}

function reportOf(type: string | null, event: unknown): EmailReport | null {
  switch (type) {
    case 'Delivery':
      return { status: 'delivered', errorCode: null };
    case 'Bounce':
      return bounce(event);
    case 'Complaint':
      // `not-spam`: the person moved the mail out of the spam folder.
      return textAt(event, 'complaint', 'complaintFeedbackType') === 'not-spam'
        ? null
        : { status: 'complained', errorCode: null };
    case 'Reject':
      return { status: 'rejected', errorCode: 'ses_reject' };
    default:
      // Send and DeliveryDelay are not final; Open and Click are not used.
      return null;
  }
}

/** SES stops retrying after every kind of bounce, but only a permanent one is about the address. */
function bounce(event: unknown): EmailReport {
  const type = textAt(event, 'bounce', 'bounceType') ?? 'Undetermined';
  const subType = textAt(event, 'bounce', 'bounceSubType') ?? 'Undetermined';
  return {
    status: 'bounced',
    errorCode: `ses_${type}_${subType}`.toLowerCase(),
    permanent: type === 'Permanent',
  };
}

const TIMEOUT_MS = 5 * SECOND;
const MAX_BYTES = 64 * 1024;

export type SnsCalls = ReturnType<typeof snsCalls>;

/** Requests to SNS: to load a certificate, and to confirm a subscription. The caller has checked that both addresses belong to SNS. No request follows a redirect. */
export function snsCalls(client: Dispatcher) {
  const get: LoadCertificate = async (url) => {
    const limits = { signal: AbortSignal.timeout(TIMEOUT_MS), timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const result = await exchange(client, { method: 'GET', url, headers: {} }, limits);
    if (result.kind === 'answered' && result.status === 200 && result.whole) return result.body;
    throw new Error(
      `request to Amazon SNS failed: ${result.kind === 'answered' ? `it answered ${result.status}` : result.errorCode}`,
    );
  };
  return { loadCertificate: get, confirm: async (url: string): Promise<void> => void (await get(url)) };
}

import { textAt } from '../../kit/json.ts';
import { constantTimeEqual } from '../../kit/seal.ts';
import {
  type CallbackContent,
  type EmailReport,
  emailContent,
  IGNORED_CONTENT,
  mergeContents,
} from '../callbackContent.ts';

/** The one header of a mail that Brevo's events repeat. */
export const BREVO_REFERENCE_HEADER = 'X-Mailin-custom';

/** One event of Brevo, or a list of them from a webhook that batches. */
export const parseBrevoCallback = (body: unknown): CallbackContent =>
  Array.isArray(body) ? mergeContents(body.map(parseEvent)) : parseEvent(body);

/** An event has no id of its own: `id` is the webhook's. */
function parseEvent(event: unknown): CallbackContent {
  const name = textAt(event, 'event');
  const message = textAt(event, 'message-id');
  if (name === null || message === null) return IGNORED_CONTENT;
  const reportId = [message, name, textAt(event, 'ts_epoch') ?? ''].join(' ');
  const reference = textAt(event, BREVO_REFERENCE_HEADER);
  const content = emailContent({ provider: 'brevo', reportId, reference }, REPORTS.get(name) ?? null);
  return name === 'error' && isAboutSender(event) ? { ...content, faults: [SENDER_FAULT] } : content;
}

const bounced = (name: string, permanent: boolean): [string, EmailReport] => [
  name,
  { status: 'bounced', errorCode: `brevo_${name}`, permanent },
];
/** The mail arrived, but the person wants no more of them. */
const unwanted: EmailReport = { status: 'complained', errorCode: null };

/** request and deferred are not final; opens and clicks are not used. */
const REPORTS: ReadonlyMap<string, EmailReport> = new Map([
  ['delivered', { status: 'delivered', errorCode: null }],
  bounced('soft_bounce', false),
  bounced('hard_bounce', true),
  bounced('invalid_email', true),
  // On Brevo's own list, after an earlier bounce or complaint.
  bounced('blocked', true),
  ['spam', unwanted],
  ['unsubscribe', unwanted],
  ['unsubscribed', unwanted],
  ['error', { status: 'rejected', errorCode: 'brevo_error' }],
]);

/** Brevo accepts a mail from a sender that it does not know, and refuses it only afterwards. */
const isAboutSender = (event: unknown): boolean => /\bsender\b/i.test(textAt(event, 'reason') ?? '');
const SENDER_FAULT = {
  channel: 'email' as const,
  about: 'brevo_sender',
  sentence: 'Brevo rejects mails for their sender: verify the sender or domain that mail comes from.',
};

/** Brevo does not sign its callbacks; it sends the token that its webhook was set up with. */
export function isFromBrevo(token: string, authorization: string | undefined): boolean {
  const given = /^bearer +([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1];
  return given !== undefined && constantTimeEqual(given, token);
}

import { at, listAt, textAt } from '../../kit/json.ts';
import { type CallbackContent, type EmailReport, emailContent } from '../callbackContent.ts';
import { REFERENCE_TAG } from '../provider.ts';

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

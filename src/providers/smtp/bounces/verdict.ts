import type { Fields, ReturnedMail } from './readMail.ts';
import { type Reason, reasonOf, type Severity } from './reasons.ts';

export type BounceVerdict =
  | ({ kind: 'bounce' } & Reason)
  | { kind: 'complaint' }
  | { kind: 'not_a_bounce'; why: 'automatic_reply' | 'not_final' | 'no_complaint' | 'other_mail' };

/** What a returned mail says. Each mail of ours has one recipient: where it was sent on to several, the mildest verdict counts. */
export const verdictOf = (mail: ReturnedMail): BounceVerdict =>
  verdictsOf(mail).reduce((mildest, verdict) => (rank(verdict) < rank(mildest) ? verdict : mildest));

const MILDEST_FIRST: readonly Severity[] = ['policy', 'soft', 'moved', 'hard'];
const rank = (verdict: BounceVerdict): number =>
  verdict.kind === 'bounce' ? MILDEST_FIRST.indexOf(verdict.severity) : -1;

/** One verdict for each recipient that a report names, else one. */
export function verdictsOf(mail: ReturnedMail): BounceVerdict[] {
  if (mail.feedback !== null) return [complaintIn(mail.feedback)];
  if (COMPLAINT.test(mail.header('subject'))) return [{ kind: 'complaint' }];
  // Reports come before automatic replies: many servers call their reports automatic replies, too.
  if (mail.recipients.length > 0) return mail.recipients.map((fields) => reported(fields, mail.text));
  if (isAutomaticReply(mail)) return [ignored('automatic_reply')];
  if (!isFromMailServer(mail)) return [ignored('other_mail')];
  return [DELAY.test(mail.text) ? ignored('not_final') : { kind: 'bounce', ...reasonOf(mail.text) }];
}

const ignored = (why: Extract<BounceVerdict, { kind: 'not_a_bounce' }>['why']): BounceVerdict => ({
  kind: 'not_a_bounce',
  why,
});

/** `not-spam` takes a complaint back; `auth-failure` and `dmarc` are about our domain and not about what a person wants. */
const complaintIn = (feedback: Fields): BounceVerdict =>
  COMPLAINTS.includes(feedback.get('feedback-type')?.toLowerCase() ?? '')
    ? { kind: 'complaint' }
    : ignored('no_complaint');

const COMPLAINTS: readonly string[] = ['abuse', 'fraud', 'opt-out', 'opt-out-list', 'virus', 'other'];

/** Outlook.com returns the mail that was complained about, without a report. */
const COMPLAINT = /^complaint about message from [\d.:a-f]{7,45}$/i;

const DELAY = /warning message only|not yet been delivered|message is delayed for/i;
const NOT_FINAL = /^(delayed|delivered|relayed|expanded)\b/i;

function reported(fields: Fields, text: string): BounceVerdict {
  const status = fields.get('status') ?? '';
  if (NOT_FINAL.test(fields.get('action') ?? '') || status.startsWith('2')) return ignored('not_final');
  const diagnostic = (fields.get('diagnostic-code') ?? '').replace(/^[^;]{0,40};/, '').trim();
  // Without a diagnosis, the words for the reader have to do.
  return { kind: 'bounce', ...reasonOf(diagnostic === '' ? text : diagnostic, status, text) };
}

const AUTOMATIC_HEADERS = [
  'x-auto-response-suppress',
  'x-autoreply',
  'x-autorespond',
  'x-ms-exchange-inbox-rules-loop',
];

function isAutomaticReply(mail: ReturnedMail): boolean {
  if (AUTOMATIC_HEADERS.some((name) => mail.header(name) !== '')) return true;
  if (/^vacation/i.test(mail.header('x-apple-action'))) return true;
  const isMarked =
    /^auto-/i.test(mail.header('auto-submitted')) || /^(auto_reply|bulk)/i.test(mail.header('precedence'));
  return isMarked && !isFromMailServer(mail);
}

const MAIL_SERVER = /mailer[-_.]?daemon|post_?master|mail[ .]deliver|mail system/i;
const FAILURE = /undeliver|deliver\w* (?:status|fail|problem)|fail|returned mail|error|bounce/i;

const isFromMailServer = (mail: ReturnedMail): boolean =>
  mail.header('x-failed-recipients') !== '' ||
  MAIL_SERVER.test(mail.header('from')) ||
  FAILURE.test(mail.header('subject')) ||
  /could not be delivered/i.test(mail.text);

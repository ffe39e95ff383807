import { at, textAt } from '../kit/json.ts';
import { constantTimeEqual } from '../kit/seal.ts';
import { POSTMARK_REFERENCE } from '../providers/email/postmark.ts';
import type { ReportFacts } from './afterReport.ts';
import { type CallbackContent, EMPTY_CONTENT, IGNORED_CONTENT } from './callbackContent.ts';
import type { DeliveryReport } from './reports.ts';

/** A webhook of Postmark, one record each. */
export function parsePostmarkCallback(body: unknown): CallbackContent {
  const type = textAt(body, 'RecordType') ?? '';
  const fact = factOf(type, body);
  const message = textAt(body, 'MessageID');
  if (fact === null || message === null) return IGNORED_CONTENT;
  const report: DeliveryReport = {
    provider: 'postmark',
    reportId: [type, message, textAt(body, 'ID') ?? ''].join(' ').trim(),
    reference: textAt(body, 'Metadata', POSTMARK_REFERENCE) ?? '',
    ...fact,
  };
  return { ...EMPTY_CONTENT, reports: [report] };
}

type Told = ReportFacts & Pick<DeliveryReport, 'permanent'>;

function factOf(type: string, body: unknown): Told | null {
  switch (type) {
    case 'Delivery':
      return { status: 'delivered', errorCode: null };
    case 'Bounce':
      return bounce(body);
    case 'SpamComplaint':
      return { status: 'complained', errorCode: null };
    default:
      // SubscriptionChange repeats what a bounce or a complaint has said; Open and Click are none of our business.
      return null;
  }
}

/** An automatic reply, a question whether we are human, a subscription: the mail itself arrived or is on its way. */
const NO_BOUNCES: readonly string[] = [
  'AutoResponder',
  'ChallengeVerification',
  'Subscribe',
  'AddressChange',
];
const PERMANENT: readonly string[] = ['HardBounce', 'BadEmailAddress', 'ManuallyDeactivated', 'Unsubscribe'];
const COMPLAINTS: readonly string[] = ['SpamComplaint'];
/** Still being tried. */
const PASSING: readonly string[] = ['Transient', 'DnsError'];

/** By the name of its kind: the numbers of some kinds differ between Postmark's own documents. */
function bounce(body: unknown): Told | null {
  const kind = textAt(body, 'Type') ?? 'Unknown';
  if (COMPLAINTS.includes(kind)) return { status: 'complained', errorCode: null };
  const inactive = at(body, 'Inactive') === true;
  if (!inactive && (NO_BOUNCES.includes(kind) || PASSING.includes(kind))) return null;
  return {
    status: 'bounced',
    errorCode: `postmark_${kind.toLowerCase()}`,
    permanent: inactive || PERMANENT.includes(kind),
  };
}

/** Postmark signs nothing; it sends the name and password that were entered for the webhook. */
export function isFromPostmark(
  { user, password }: { user: string; password: string },
  authorization: string | undefined,
): boolean {
  const given = /^basic +([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '')?.[1];
  return (
    given !== undefined &&
    constantTimeEqual(Buffer.from(given, 'base64').toString('utf8'), `${user}:${password}`)
  );
}

import { at, textAt } from '../../kit/json.ts';
import { constantTimeEqual } from '../../kit/seal.ts';
import { type CallbackContent, type EmailReport, emailContent, IGNORED_CONTENT } from '../callbackContent.ts';
import { REFERENCE_TAG } from '../provider.ts';

/** A Postmark webhook, which has one record per request. */
export function parsePostmarkCallback(body: unknown): CallbackContent {
  const type = textAt(body, 'RecordType') ?? '';
  const message = textAt(body, 'MessageID');
  if (message === null) return IGNORED_CONTENT;
  const reportId = [type, message, textAt(body, 'ID') ?? ''].join(' ').trim();
  const reference = textAt(body, 'Metadata', REFERENCE_TAG);
  return emailContent({ provider: 'postmark', reportId, reference }, reportOf(type, body));
}

/** SubscriptionChange only follows a bounce or a complaint; Open and Click are not used. */
function reportOf(type: string, body: unknown): EmailReport | null {
  if (type === 'Bounce') return bounce(body);
  if (type === 'Delivery') return { status: 'delivered', errorCode: null };
  return type === 'SpamComplaint' ? { status: 'complained', errorCode: null } : null;
}

/** Automatic replies and the like, which Postmark lists as bounces although the mail arrived or is still on its way. */
const NOT_BOUNCES = ['AutoResponder', 'ChallengeVerification', 'Subscribe', 'AddressChange'];
const PERMANENT = ['HardBounce', 'BadEmailAddress', 'ManuallyDeactivated', 'Unsubscribe'];
/** Postmark still retries these. */
const TEMPORARY = ['Transient', 'DnsError'];

/** Uses the name of the bounce type, since Postmark's documents disagree on some of the numbers. */
function bounce(body: unknown): EmailReport | null {
  const kind = textAt(body, 'Type') ?? 'Unknown';
  if (kind === 'SpamComplaint') return { status: 'complained', errorCode: null };
  const inactive = at(body, 'Inactive') === true;
  if (!inactive && (NOT_BOUNCES.includes(kind) || TEMPORARY.includes(kind))) return null;
  return {
    status: 'bounced',
    errorCode: `postmark_${kind.toLowerCase()}`,
    permanent: inactive || PERMANENT.includes(kind),
  };
}

/** Postmark does not sign its webhooks; it sends the user and password configured for them. */
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

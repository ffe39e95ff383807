import { createHash, createHmac } from 'node:crypto';
import { constantTimeEqual } from '../kit/seal.ts';
import type { Refusal } from '../providers/provider.ts';
import { twilioVerdict } from '../providers/twilio.ts';
import type { ReportFacts } from './afterReport.ts';
import { type CallbackContent, EMPTY_CONTENT, IGNORED_CONTENT } from './callbackContent.ts';
import type { DeliveryReport } from './reports.ts';

/** What Twilio posts: the fields of its form, and our reference from the address that it was given. */
export interface TwilioCallback {
  form: URLSearchParams;
  reference: string | null;
}

const RECEIVED = new Set(['received', 'receiving']);
const WHATSAPP = 'whatsapp:';

/** A report about a message of ours, or a message of somebody's: the one carries a status, the other is received. */
export function parseTwilioCallback({ form, reference }: TwilioCallback): CallbackContent {
  const status = form.get('MessageStatus') ?? form.get('SmsStatus') ?? '';
  return RECEIVED.has(status) ? readInbound(form) : readReport(form, status, reference);
}

function readInbound(form: URLSearchParams): CallbackContent {
  const id = form.get('MessageSid') ?? form.get('SmsMessageSid');
  const from = form.get('From') ?? '';
  if (id === null || from === '') return IGNORED_CONTENT;
  const to = [form.get('To'), form.get('MessagingServiceSid')].flatMap((name) =>
    name ? [plainNumber(name)] : [],
  );
  const channel = from.startsWith(WHATSAPP) ? 'whatsapp' : 'sms';
  return { ...EMPTY_CONTENT, inbound: [{ channel, from: plainNumber(from), body: bodyOf(form), to, id }] };
}

/** Where Twilio reads the stop words itself, it says what it made of them. */
function bodyOf(form: URLSearchParams): string {
  const body = form.get('Body') ?? '';
  if (body.trim() === '' && Number(form.get('NumMedia') ?? 0) > 0) return '[attachment]';
  return form.get('OptOutType') ?? body;
}

const plainNumber = (name: string): string =>
  name.startsWith(WHATSAPP) ? name.slice(WHATSAPP.length) : name;

/** The last words of a message; those on the way there say nothing that its being taken has not said. */
const ENDS: Readonly<Record<string, ReportFacts['status']>> = {
  delivered: 'delivered',
  read: 'read',
  undelivered: 'failed',
  // It never left Twilio.
  failed: 'rejected',
  canceled: 'rejected',
};

function readReport(form: URLSearchParams, status: string, reference: string | null): CallbackContent {
  const end = Object.hasOwn(ENDS, status) ? ENDS[status] : undefined;
  const sid = form.get('MessageSid') ?? form.get('SmsSid');
  if (end === undefined || sid === null) return IGNORED_CONTENT;
  const to = form.get('To');
  const channel = (to ?? form.get('From') ?? '').startsWith(WHATSAPP) ? 'whatsapp' : 'sms';
  const arrived = end === 'delivered' || end === 'read';
  const code = arrived ? null : form.get('ErrorCode');
  const verdict = twilioVerdict(code);
  const sentence = verdict === null ? undefined : 'concerns' in verdict ? verdict.sentence : verdict.alarm;
  const report: DeliveryReport = {
    provider: 'twilio',
    reportId: `${sid} ${status}`,
    // A report whose address lost our reference is about nothing that we know.
    reference: reference ?? '',
    number: to === null ? null : plainNumber(to),
    paidChannel: channel,
    ...interpretReport(end, code === null ? null : (NAMES[code] ?? `twilio_${code}`), verdict),
  };
  return {
    ...EMPTY_CONTENT,
    reports: [report],
    faults: sentence === undefined ? [] : [{ channel, about: `twilio_${code}`, sentence }],
  };
}

/** Why a carrier did not deliver, in words that do not depend on who carried it. */
const NAMES: Readonly<Record<string, string>> = {
  30003: 'handset_unreachable',
  30004: 'blocked',
  30005: 'unknown_handset',
  30006: 'landline',
  30007: 'filtered',
  30008: 'carrier_error',
};

export interface TwilioRequest {
  /** Where Twilio called: our own address of the route, with the query as it came. */
  url: string;
  /** `X-Twilio-Signature`. */
  signature: string | undefined;
  contentType: string;
  body: Buffer;
}

/** Whether the header has the shape of a signature at all: known before the body is read. */
export const mayBeTwilioSignature = (signature: string | undefined): boolean =>
  /^[A-Za-z0-9+/]{27}=$/.test(signature ?? '');

/**
 * Whether Twilio made this request (base64 of HMAC-SHA1 over the address and, for a form, every field in order). Behind
 * proxies the address that we see is not the one that was signed, so it is made of PUBLIC_URL; and Twilio writes the
 * port of https into it or not, as it pleases.
 */
export function isFromTwilio(
  authToken: string,
  { url, signature, contentType, body }: TwilioRequest,
): boolean {
  if (signature === undefined || !URL.canParse(url)) return false;
  const claimed = new URL(url).searchParams.get('bodySHA256');
  if (claimed !== null && !constantTimeEqual(claimed.toLowerCase(), sha256Hex(body))) return false;
  const isForm = contentType.startsWith('application/x-www-form-urlencoded');
  // What is not a form is signed through the hash of it in the address, or not at all.
  if (!isForm && claimed === null && body.length > 0) return false;
  const fields = isForm && claimed === null ? signedFields(new URLSearchParams(body.toString('utf8'))) : '';
  return addresses(url).some((address) => constantTimeEqual(signature, sign(authToken, address + fields)));
}

/** Names in order; a name that comes several times, each of its values once, in order. */
function signedFields(form: URLSearchParams): string {
  const names = [...new Set(form.keys())].sort();
  return names
    .flatMap((name) => [...new Set(form.getAll(name))].sort().map((value) => name + value))
    .join('');
}

/** The address as it is, with the port that it leaves out, and without the one that it names. */
function addresses(url: string): string[] {
  const { protocol, hostname } = new URL(url);
  const rest = url.slice(url.indexOf('/', url.indexOf('//') + 2));
  const bare = `${protocol}//${hostname}${rest}`;
  const full = `${protocol}//${hostname}:${protocol === 'https:' ? 443 : 80}${rest}`;
  return [url, bare, full];
}

const sign = (authToken: string, text: string): string =>
  createHmac('sha1', authToken).update(text, 'utf8').digest('base64');

const sha256Hex = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** What the codes of a platform's report mean: why it would not carry the message, or what is ours to put right. */
export type ReportVerdict = { because: Refusal } | { concerns: string };

/** What a report says of its send, and of the person's wish. */
export type InterpretedReport = ReportFacts & Pick<DeliveryReport, 'stopped'>;

/** What the platform would not carry at all is given back; what it carried and could not deliver is not. */
export function interpretReport(
  status: ReportFacts['status'],
  errorCode: string | null,
  verdict: ReportVerdict | null,
): InterpretedReport {
  if (verdict === null) return { status, errorCode };
  // Ours to put right: nobody got anything for it.
  if ('concerns' in verdict) return { status: 'rejected', errorCode };
  switch (verdict.because) {
    case 'stopped':
      return { status: 'rejected', errorCode: 'stopped', stopped: true };
    case 'not_on_whatsapp':
      return { status: 'rejected', errorCode: 'not_reachable', notOnWhatsapp: true };
    case 'capped':
    case 'over_limits':
      return { status: 'rejected', errorCode: 'platform_limited' };
    case 'template':
      return { status: 'rejected', errorCode: 'template_not_sendable' };
    default:
      return { status, errorCode };
  }
}

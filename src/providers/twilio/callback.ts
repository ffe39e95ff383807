import { createHash, createHmac } from 'node:crypto';
import { constantTimeEqual } from '../../kit/seal.ts';
import {
  type CallbackContent,
  contentOf,
  type DeliveryReport,
  IGNORED_CONTENT,
  type ReportFacts,
} from '../callbackContent.ts';
import { faultsOf, interpretReport } from '../verdicts.ts';
import { twilioVerdict } from './api.ts';

/** A Twilio request: the form fields, and our reference from the callback address. */
interface TwilioCallback {
  form: URLSearchParams;
  reference: string | null;
}

const RECEIVED = new Set(['received', 'receiving']);
const WHATSAPP = 'whatsapp:';

/** A delivery report or an inbound message; the status tells them apart. */
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
  return contentOf({ inbound: [{ channel, from: plainNumber(from), body: bodyOf(form), to, id }] });
}

/** If Twilio recognises stop words itself, `OptOutType` has the command. */
function bodyOf(form: URLSearchParams): string {
  const body = form.get('Body') ?? '';
  if (body.trim() === '' && Number(form.get('NumMedia') ?? 0) > 0) return '[attachment]';
  return form.get('OptOutType') ?? body;
}

const plainNumber = (name: string) => (name.startsWith(WHATSAPP) ? name.slice(WHATSAPP.length) : name);

/** The final statuses; the others only repeat that Twilio accepted the message. */
const ENDS: Readonly<Record<string, ReportFacts['status']>> = {
  delivered: 'delivered',
  read: 'read',
  undelivered: 'failed',
  // The message never left Twilio.
  failed: 'rejected',
  canceled: 'rejected',
};

function readReport(form: URLSearchParams, status: string, reference: string | null): CallbackContent {
  const end = Object.hasOwn(ENDS, status) ? ENDS[status] : undefined;
  const sid = form.get('MessageSid') ?? form.get('SmsSid');
  if (end === undefined || sid === null) return IGNORED_CONTENT;
  const to = form.get('To');
  const channel = (to ?? form.get('From') ?? '').startsWith(WHATSAPP) ? 'whatsapp' : 'sms';
  const isDelivered = end === 'delivered' || end === 'read';
  const code = isDelivered ? null : form.get('ErrorCode');
  const verdict = twilioVerdict(code);
  const report: DeliveryReport = {
    provider: 'twilio',
    reportId: `${sid} ${status}`,
    // A report without our reference matches no send.
    reference: reference ?? '',
    number: to === null ? null : plainNumber(to),
    paidChannel: channel,
    ...interpretReport(end, code === null ? null : (NAMES[code] ?? `twilio_${code}`), verdict),
  };
  return contentOf({ reports: [report], faults: faultsOf(channel, `twilio_${code}`, verdict) });
}

/** Error codes for carrier failures that are the same for every provider. */
const NAMES: Readonly<Record<string, string>> = {
  30003: 'handset_unreachable',
  30004: 'blocked',
  30005: 'unknown_handset',
  30006: 'landline',
  30007: 'filtered',
  30008: 'carrier_error',
};

export interface TwilioRequest {
  /** The public address of the route, with the query as received. */
  url: string;
  /** `X-Twilio-Signature`. */
  signature: string | undefined;
  contentType: string;
  body: Buffer;
}

/** Whether the header has the format of a signature; checked before the body is read. */
export const mayBeTwilioSignature = (signature: string | undefined): boolean =>
  /^[A-Za-z0-9+/]{27}=$/.test(signature ?? '');

/**
 * Whether Twilio made this request: the signature is the base64 of an HMAC-SHA1 over the address and, for a form, its sorted
 * fields. Behind a proxy we see another address than the signed one, so `url` is based on PUBLIC_URL. Twilio includes the
 * default port in some requests, so both forms are tried.
 */
export function isFromTwilio(authToken: string, { url, signature, contentType, body }: TwilioRequest) {
  if (signature === undefined || !URL.canParse(url)) return false;
  const claimed = new URL(url).searchParams.get('bodySHA256');
  if (claimed !== null && !constantTimeEqual(claimed.toLowerCase(), sha256Hex(body))) return false;
  const isForm = contentType.startsWith('application/x-www-form-urlencoded');
  // For a body that is not a form, the signature covers only the body's hash in the address.
  if (!isForm && claimed === null && body.length > 0) return false;
  const fields = isForm && claimed === null ? signedFields(new URLSearchParams(body.toString('utf8'))) : '';
  return addresses(url).some((address) => constantTimeEqual(signature, sign(authToken, address + fields)));
}

/** The fields sorted by name; a repeated name has each distinct value once, sorted. */
function signedFields(form: URLSearchParams): string {
  const names = [...new Set(form.keys())].sort();
  return names
    .flatMap((name) => [...new Set(form.getAll(name))].sort().map((value) => name + value))
    .join('');
}

/** The address as given, without a port, and with the default port. */
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

import { twilioVerdict } from '../providers/twilioAnswers.ts';
import type { ReportFacts } from './afterReport.ts';
import { type CallbackContent, EMPTY_CONTENT, IGNORED_CONTENT } from './callbackContent.ts';
import { interpretReport } from './interpretReport.ts';
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

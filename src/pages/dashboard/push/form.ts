import { pushRequest } from '../../../api/operations/push.ts';
import { checkParsed } from '../../../api/validation/body.ts';
import { compile } from '../../../api/validation/validate.ts';
import { PushBody } from '../../../contract/push.ts';
import type { Clock } from '../../../kit/clock.ts';
import { ApiError, type Fault, sentenceOf } from '../../../kit/errors.ts';
import type { PushRequest } from '../../../push/request.ts';

/** The fields of the form: those of the API's push, as text. */
export const pushFields = [
  'recipient_email',
  'subject',
  'body',
  'reference',
  'order_status',
  'recipient_phone',
  'channels',
  'sms_if_whatsapp_fails',
  'whatsapp_opt_in',
  'kind',
  'notify',
  'send_at',
  'escalate_if_unread_after_minutes',
  'obsoletes',
  'language',
] as const;
export type PushField = (typeof pushFields)[number];

/** What was typed, as it was typed. */
export type TypedPush = Record<PushField, string>;

export interface ReadPush {
  /** The body of the API's push that the form stands for. */
  body: Record<string, unknown>;
  checked: { request: PushRequest } | { faults: Partial<Record<PushField, string>> };
}

export function typedPush(form: URLSearchParams): TypedPush {
  const typed = (name: PushField): string => (form.get(name) ?? '').replaceAll('\r\n', '\n');
  return {
    recipient_email: typed('recipient_email'),
    subject: typed('subject'),
    body: typed('body'),
    reference: typed('reference'),
    order_status: typed('order_status'),
    recipient_phone: typed('recipient_phone'),
    channels: typed('channels'),
    sms_if_whatsapp_fails: typed('sms_if_whatsapp_fails'),
    whatsapp_opt_in: typed('whatsapp_opt_in'),
    kind: typed('kind'),
    notify: typed('notify'),
    send_at: typed('send_at'),
    escalate_if_unread_after_minutes: typed('escalate_if_unread_after_minutes'),
    obsoletes: typed('obsoletes'),
    language: typed('language'),
  };
}

/** Checks a form by the rules of the API. */
export function pushFormReader(clock: Clock): (typed: TypedPush) => ReadPush {
  const validate = compile(PushBody, { clock });
  return (typed) => {
    const body = bodyOf(typed);
    const checked = checkParsed(body, [], validate);
    if (!checked.ok) return { body, checked: { faults: faultsByField(checked.faults) } };
    const request = pushRequest(checked.value);
    if (request instanceof ApiError)
      return { body, checked: { faults: { recipient_phone: sentenceOf(request.code) } } };
    return { body, checked: { request } };
  };
}

/** An empty field is one that the API's call leaves out. */
function bodyOf(typed: TypedPush): Record<string, unknown> {
  const filled = (name: PushField, value: (text: string) => unknown = (text) => text) => {
    const text = typed[name].trim();
    return text === '' ? {} : { [name]: value(text) };
  };
  return {
    recipient_email: typed.recipient_email.trim(),
    subject: typed.subject,
    body: typed.body,
    ...filled('reference'),
    ...filled('order_status'),
    ...filled('recipient_phone', (text) => text.replaceAll(/[\s().-]/g, '')),
    ...filled('channels', (text) => text.split(' ')),
    ...filled('sms_if_whatsapp_fails', (text) => text === 'yes'),
    ...filled('whatsapp_opt_in', (source) => ({ source })),
    ...filled('kind'),
    ...filled('notify', (text) => text === 'yes'),
    // The browser's field has neither seconds nor a zone.
    ...filled('send_at', (text) => (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(text) ? `${text}:00Z` : text)),
    ...filled('escalate_if_unread_after_minutes', (text) => (/^\d+$/.test(text) ? Number(text) : text)),
    ...filled('obsoletes', (text) => text.split(/[\s,]+/)),
    ...filled('language'),
  };
}

function faultsByField(faults: readonly Fault[]): Partial<Record<PushField, string>> {
  const found: Partial<Record<PushField, string>> = {};
  for (const fault of faults) {
    const field = pushFields.find((name) => name === fault.loc[0]);
    if (field !== undefined) found[field] ??= inPlainWords(field, fault);
  }
  return found;
}

function inPlainWords(field: PushField, { type, msg }: Fault): string {
  if (type === 'missing' || type === 'string_too_short') return 'Please fill this in.';
  if (field === 'recipient_email') return 'This is not an email address.';
  if (type === 'string_too_long') return msg.replace('String should have', 'It can have');
  if (type === 'int_type') return 'This is not a whole number.';
  return msg.replace(/^Value error, /, '').replace(/^Input should/, 'It should');
}

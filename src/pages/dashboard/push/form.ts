import { pushRequest } from '../../../api/operations/push.ts';
import { compile } from '../../../api/validation/validate.ts';
import { PushBody } from '../../../contract/push.ts';
import type { Clock } from '../../../kit/clock.ts';
import { ApiError, type Fault, sentenceOf } from '../../../kit/errors.ts';
import { momentOfClock } from '../../../kit/zoneTime.ts';
import type { RefusedForm } from '../../kit/typedForm.ts';

const asTyped = (text: string): string => text;
const isYes = (text: string): boolean => text === 'yes';

/** Not a field of the push: the zone of the times that are typed, which the page's script fills in. Empty: UTC. */
const ZONE = 'zone';

/** The fields of the form, those of the API's push, and how the API has what is typed there. */
const FIELDS: Readonly<Record<string, (text: string, zone: string) => unknown>> = {
  recipient_email: asTyped,
  subject: asTyped,
  body: asTyped,
  reference: asTyped,
  order_status: asTyped,
  recipient_phone: (text) => text.replaceAll(/[\s().-]/g, ''),
  channels: (text) => text.split(' '),
  sms_if_whatsapp_fails: isYes,
  whatsapp_opt_in: (source) => ({ source }),
  kind: asTyped,
  notify: isYes,
  send_at: (text, zone) => momentOfClock(zone, text)?.toISOString() ?? text,
  escalate_if_unread_after_minutes: (text) => (/^\d+$/.test(text) ? Number(text) : text),
  obsoletes: (text) => text.split(/[\s,]+/),
  language: asTyped,
};

type Faults = RefusedForm['faults'];

/** What was typed, as it was typed: the API has rules for its white space. */
export const typedPush = (form: URLSearchParams): RefusedForm['typed'] =>
  Object.fromEntries(
    [...Object.keys(FIELDS), ZONE].map((name) => [name, (form.get(name) ?? '').replaceAll('\r\n', '\n')]),
  );

/** Checks a form by the rules of the API. `body`: that of the API's push that the form stands for. */
export function pushFormReader(clock: Clock) {
  const validate = compile(PushBody, { clock });
  return (typed: RefusedForm['typed']) => {
    const body = bodyOf(typed);
    const checked = validate(body, []);
    if (!checked.ok) return { body, checked: { faults: faultsByField(checked.faults) } };
    const request = pushRequest(checked.value);
    if (request instanceof ApiError)
      return { body, checked: { faults: { recipient_phone: sentenceOf(request.code) } } };
    return { body, checked: { request } };
  };
}

/** An empty field is one that the API's call leaves out. */
function bodyOf(typed: RefusedForm['typed']): Record<string, unknown> {
  const filled = Object.entries(FIELDS).flatMap(([name, asValue]): [string, unknown][] => {
    const text = typed[name]?.trim() ?? '';
    return text === '' ? [] : [[name, asValue(text, typed[ZONE] || 'UTC')]];
  });
  const { recipient_email: email = '', subject, body } = typed;
  return { ...Object.fromEntries(filled), recipient_email: email.trim(), subject, body };
}

function faultsByField(faults: readonly Fault[]): Faults {
  const found: Faults = {};
  for (const fault of faults) {
    const field = String(fault.loc[0]);
    if (Object.hasOwn(FIELDS, field)) found[field] ??= inPlainWords(field, fault);
  }
  return found;
}

function inPlainWords(field: string, { type, msg }: Fault): string {
  if (type === 'missing' || type === 'string_too_short') return 'Please fill this in.';
  if (field === 'recipient_email') return 'This is not an email address.';
  if (type === 'string_too_long') return msg.replace('String should have', 'It can have');
  if (type === 'int_type') return 'This is not a whole number.';
  return msg.replace(/^Value error, /, '').replace(/^Input should/, 'It should');
}

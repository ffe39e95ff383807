import { isUtf8 } from 'node:buffer';
import { type Checked, failed, passed } from './checked.ts';
import { faultAt, type Loc, type Problem, wrong } from './faults.ts';
import { codePoints, isStorable } from './text.ts';

const IDEMPOTENCY_KEY: Loc = ['header', 'Idempotency-Key'];
const OWN_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The Idempotency-Key header, of 1 to `max` characters. A header's `input` is always null. */
export function idempotencyKey(header: string | string[] | undefined, max: number): Checked<string> {
  const sent = Array.isArray(header) ? header.join(', ') : header;
  if (sent === undefined) return refused(wrong.missing);
  const key = decoded(sent);
  if (!isStorable(key)) return refused(wrong.value('the key contains a character that cannot be stored'));
  const length = codePoints(key);
  if (length === 0) return refused(wrong.stringTooShort(1));
  return length > max ? refused(wrong.stringTooLong(max)) : passed(key);
}

/**
 * Node decodes headers as Latin-1, but nearly all clients send UTF-8. Other bytes stay Latin-1, except the three
 * bytes of a lone surrogate, which some encoders write.
 */
function decoded(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : header.replace(SURROGATE_BYTES, '\ud800');
}

const SURROGATE_BYTES = /\u00ed[\u00a0-\u00bf][\u0080-\u00bf]/g;

const refused = (problem: Problem) => failed([faultAt(IDEMPOTENCY_KEY, problem, null)]);

/** The caller's own X-Request-Id, if it is one that we echo. */
export function ownRequestId(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && OWN_REQUEST_ID.test(header) ? header : null;
}

import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { type ObjectSchema, Shape } from '../contract/schema.ts';
import type { Clock } from '../kit/clock.ts';
import type { AnyOperation } from './operation.ts';
import { type Checked, failed, passed, refusal } from './validation/checked.ts';
import { faultAt, type Loc, type Problem, wrong } from './validation/faults.ts';
import { BODY, parseJson } from './validation/parseJson.ts';
import { codePoints, isStorable } from './validation/text.ts';
import { parseQuery } from './validation/urlText.ts';
import { compile } from './validation/validate.ts';

const IDEMPOTENCY_KEY: Loc = ['header', 'Idempotency-Key'];
const OWN_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Parses one request of this operation; all its faults are thrown together. */
export function requestReader(operation: AnyOperation, clock: Clock) {
  const { formats = {}, idempotencyKeyMax: keyMax, uncheckedField } = operation;
  const params = compile(operation.params ?? NOTHING);
  const query = compile(operation.query ?? NOTHING, { formats, integers: 'text' });
  const body = operation.body ? compile(operation.body, { clock, formats, uncheckedField }) : null;

  return (request: FastifyRequest) => {
    const path = params(request.params, ['path']);
    const search = query(parseQuery(queryString(request.raw.url ?? '')), ['query']);
    const key =
      keyMax === undefined ? passed('') : idempotencyKey(request.headers['idempotency-key'], keyMax);
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const raw =
      body === null || (operation.bodyOptional && bytes.length === 0) ? passed({}) : parseJson(bytes);
    const content: Checked<unknown> = raw.ok && body ? body(raw.value, BODY) : raw;
    if (!path.ok || !search.ok || !key.ok || !content.ok || !raw.ok)
      throw refusal(path, search, key, content);
    return {
      params: path.value,
      query: search.value,
      body: content.value,
      raw: raw.value,
      bytes: bytes.length,
      idempotencyKey: key.value,
    };
  };
}

/** Unknown parameters are ignored, but must be storable text, as everywhere. */
const NOTHING: ObjectSchema = Shape({});

const queryString = (url: string): string => {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at + 1);
};

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
export const ownRequestId = (header: string | string[] | undefined): string | null =>
  typeof header === 'string' && OWN_REQUEST_ID.test(header) ? header : null;

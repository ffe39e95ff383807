import type { FastifyRequest } from 'fastify';
import { type ObjectSchema, Shape } from '../contract/schema.ts';
import type { Clock } from '../kit/clock.ts';
import type { AnyOperation } from './operation.ts';
import { checkParsed } from './validation/body.ts';
import { type Checked, passed, refusal } from './validation/checked.ts';
import { idempotencyKey } from './validation/headers.ts';
import { parseJson } from './validation/parseJson.ts';
import { parseQuery } from './validation/urlText.ts';
import { compile } from './validation/validate.ts';

/** Parses one request of this operation; all its faults are thrown together. */
export function requestReader(operation: AnyOperation, clock: Clock) {
  const params = compile(operation.params ?? NOTHING);
  const { formats = {} } = operation;
  const query = compile(operation.query ?? NOTHING, { formats, integers: 'text' });
  const body = operation.body ? compile(operation.body, { clock, formats }) : null;
  const keyMax = operation.idempotencyKeyMax;

  return (request: FastifyRequest) => {
    const path = checkParsed(request.params, ['path'], params);
    const search = checkParsed(parseQuery(queryString(request.raw.url ?? '')), ['query'], query);
    const key =
      keyMax === undefined ? passed('') : idempotencyKey(request.headers['idempotency-key'], keyMax);
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const raw =
      body === null || (operation.bodyOptional && bytes.length === 0) ? passed({}) : parseJson(bytes);
    const content: Checked<unknown> =
      raw.ok && body ? checkParsed(raw.value, ['body'], body, operation.uncheckedField) : raw;
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

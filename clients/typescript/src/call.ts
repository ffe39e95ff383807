import { type Operations, operations } from './generated/api.ts';
import { WaypostPromise, type WaypostResponse } from './response.ts';
import type { RepeatRule } from './retry.ts';
import { timeText } from './times.ts';
import type { Send, WriteOptions } from './transport.ts';

/** An operation of the API, by its id in the OpenAPI document. */
export type OperationId = keyof Operations;

/**
 * What a method passes on. `repeat` is `if_untouched` for a write that the server cannot recognise; `deletes` where a 404
 * after an attempt without an answer means that this attempt had its effect.
 */
export interface CallInput<Id extends OperationId> {
  operation: string;
  path?: Operations[Id]['path'];
  query?: object | undefined;
  body?: Operations[Id]['body'];
  options?: WriteOptions | undefined;
  repeat?: RepeatRule;
  deletes?: boolean;
}

/** Calls one operation of the API. */
export type Call = <Id extends OperationId>(
  id: Id,
  input: CallInput<Id>,
) => WaypostPromise<Operations[Id]['answer']>;

export const createCall =
  (send: Send, apiKey: string): Call =>
  (id, input) =>
    new WaypostPromise(sent(send, apiKey, id, input));

/** Async, so that what is wrong with the input rejects like everything else. */
async function sent<Id extends OperationId>(
  send: Send,
  apiKey: string,
  id: Id,
  input: CallInput<Id>,
): Promise<WaypostResponse<Operations[Id]['answer']>> {
  const { operation, path = {}, query = {}, body, options = {}, repeat = 'always', deletes = false } = input;
  const [method = '', template = ''] = operations[id].split(' ');
  return send({
    operation,
    method,
    path: filledPath(template, path) + queryString(query),
    headers: { authorization: `Bearer ${apiKey}` },
    body,
    repeat,
    write: method !== 'GET' && id !== 'previewPush',
    deletes,
    options,
  });
}

/** Puts the values into `/messages/{public_id}`. What a URL would read as another path is refused. */
export function filledPath(template: string, values: object): string {
  const texts = new Map<string, unknown>(Object.entries(values));
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = texts.get(name);
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
      throw new TypeError(`${name} must be a text other than "", "." and ".."`);
    return encodeURIComponent(value);
  });
}

/** `?limit=5&types=a,b`; what is undefined or null is left out. */
export function queryString(query: object): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null)
      fields.append(name, value instanceof Date ? timeText(name, value) : String(value));
  const text = fields.toString();
  return text === '' ? '' : `?${text}`;
}

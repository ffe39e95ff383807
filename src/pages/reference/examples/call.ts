import type { OperationText } from '../model.ts';

/** A call as its examples show it. */
export interface ExampleCall {
  operationId: string;
  method: string;
  /** The address of the service, without a slash at its end. */
  baseUrl: string;
  path: string;
  /** The values in the path, in their order. */
  pathValues: readonly string[];
  /** Null: the operation takes none. */
  idempotencyKey: string | null;
  /** Undefined: none. */
  body: unknown;
  hasAnswer: boolean;
  /** Null: the example reads it from the environment of its reader. */
  apiKey: string | null;
  /** A comment above the call. */
  note: string | null;
}

/** The variable that the examples read the key from. */
export const KEY_VARIABLE = 'WAYPOST_API_KEY';

/** Whose key the examples name. */
export type ExampleKey = Pick<ExampleCall, 'apiKey' | 'note'>;

/** What stands for a parameter of a path whose schema has no example. */
const SAMPLES: Readonly<Record<string, string>> = {
  email: 'ann@example.com',
  reference: '#1001',
  tracking_number: 'CC123456789EE',
  order_status: 'shipped',
  language: 'en',
  public_id: 'mh0q2z4k00x7c1v9b3n5m8l2',
  key_id: 'mh0q2z4k00k4s8d1f6g9h2j5',
};

/** An example call, with a value for everything in its path. */
export function exampleCall(operation: OperationText, baseUrl: string, key: ExampleKey): ExampleCall {
  const { id, method, path, parameters, request, success } = operation;
  const inPath = parameters
    .filter(({ place }) => place === 'path')
    .map(({ name, example }) => ({ name, value: example ?? SAMPLES[name] ?? name }));
  const isIdempotent = parameters.some(({ name }) => name === 'Idempotency-Key');
  return {
    operationId: id,
    method,
    baseUrl,
    path: inPath.reduce(
      (filled, { name, value }) => filled.replace(`{${name}}`, encodeURIComponent(value)),
      path,
    ),
    pathValues: inPath.map(({ value }) => value),
    idempotencyKey: isIdempotent ? `${id}-1001` : null,
    body: request?.example,
    hasAnswer: success.fields.length > 0,
    ...key,
  };
}

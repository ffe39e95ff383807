import {
  asField,
  entriesOf,
  type Field,
  fieldsOf,
  isPlain,
  listOf,
  type ResolveReference,
  resolver,
  textOf,
} from './fields.ts';

/** The OpenAPI document as the reference shows it: groups of operations, each with everything a caller needs. */
export interface ReferenceModel {
  version: string;
  description: string;
  groups: Group[];
  /** Every error of any operation, once. */
  failures: Failure[];
}

export interface Group {
  id: string;
  name: string;
  operations: OperationText[];
}

export interface OperationText {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  request: { required: boolean; fields: Field[]; example: unknown } | null;
  success: { status: number; description: string; fields: Field[]; example: unknown };
  failures: Failure[];
}

export interface Parameter extends Field {
  place: 'path' | 'query' | 'header';
  /** An example value, if the document has one. */
  example: string | null;
}

export interface Failure {
  status: number;
  code: string;
  sentence: string;
}

export function readReference(document: Record<string, unknown>): ReferenceModel {
  const resolve = resolver(document);
  const info = isPlain(document.info) ? document.info : {};
  const operations = entriesOf(document.paths).flatMap(([path, item]) =>
    entriesOf(item).flatMap(([method, operation]) =>
      isPlain(operation)
        ? [{ tag: textOf(listOf(operation.tags)[0]), ...readOperation(method, path, operation, resolve) }]
        : [],
    ),
  );
  const names = [...new Set(operations.map(({ tag }) => tag))];
  return {
    version: textOf(info.version),
    description: textOf(info.description),
    groups: names.map((name) => ({
      id: anchor(name),
      name,
      operations: operations.filter(({ tag }) => tag === name),
    })),
    failures: distinct(operations.flatMap(({ failures }) => failures)),
  };
}

/** A name as part of a URL: `API keys` becomes `api-keys`. */
export const anchor = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

function readOperation(
  method: string,
  path: string,
  operation: Record<string, unknown>,
  resolve: ResolveReference,
): OperationText {
  const responses = entriesOf(operation.responses);
  const success = responses.find(([status]) => status.startsWith('2'));
  const answered = content(success?.[1]);
  const body = isPlain(operation.requestBody) ? operation.requestBody : null;
  const sent = content(body);
  return {
    id: textOf(operation.operationId),
    method: method.toUpperCase(),
    path,
    summary: textOf(operation.summary),
    description: textOf(operation.description),
    parameters: listOf(operation.parameters).flatMap((parameter) => readParameter(parameter, resolve)),
    request: body && {
      required: body.required === true,
      fields: fieldsOf(sent.schema, resolve),
      example: sent.example,
    },
    success: {
      status: Number(success?.[0] ?? 0),
      description: isPlain(success?.[1]) ? textOf(success[1].description) : '',
      fields: fieldsOf(answered.schema, resolve),
      example: answered.example,
    },
    failures: responses.flatMap(([status, response]) => readFailures(Number(status), response)),
  };
}

/** `X-Request-Id` is the same for every call and is explained once. */
const TOLD_ELSEWHERE = 'X-Request-Id';

function readParameter(parameter: unknown, resolve: ResolveReference): Parameter[] {
  const read = resolve(parameter);
  const place = (['path', 'query', 'header'] as const).find((one) => one === read.in);
  const name = textOf(read.name);
  if (place === undefined || name === TOLD_ELSEWHERE) return [];
  const field = asField(name, read.schema, read.required === true, resolve);
  const example = textOf(listOf(resolve(read.schema).examples)[0]) || null;
  return [{ ...field, description: textOf(read.description) || field.description, place, example }];
}

/** A failure's description has one paragraph per code: `code`: sentence. */
function readFailures(status: number, response: unknown): Failure[] {
  const description = isPlain(response) && status >= 400 ? textOf(response.description) : '';
  return [...description.matchAll(/^`([^`]+)`: (.+)$/gm)].map(([, code = '', sentence = '']) => ({
    status,
    code,
    sentence,
  }));
}

function content(holder: unknown): Record<string, unknown> {
  const types = isPlain(holder) ? holder.content : undefined;
  const json = isPlain(types) ? types['application/json'] : undefined;
  return isPlain(json) ? json : {};
}

function distinct(failures: readonly Failure[]): Failure[] {
  const byCode = new Map(failures.map((failure) => [failure.code, failure]));
  return [...byCode.values()].sort((a, b) => a.status - b.status || a.code.localeCompare(b.code));
}

import { at, isObject, listAt, textAt } from '../../kit/json.ts';
import { asField, entriesOf, type Field, fieldsOf, type ResolveReference, resolver } from './fields.ts';
import { SHORT_NAMES } from './shortNames.ts';

export type OperationText = ReturnType<typeof readOperation>;

export interface Parameter extends Field {
  place: 'path' | 'query' | 'header';
  /** An example value, if the document has one. */
  example: string | null;
}

export interface Failure {
  status: number;
  code: string;
  sentence: string;
  /** A body, if the document has one. */
  example: unknown;
}

export type ReferenceModel = ReturnType<typeof readReference>;

/** The OpenAPI document as the reference shows it: groups of operations, each with everything a caller needs. */
export function readReference(document: Record<string, unknown>) {
  const resolve = resolver(document);
  const operations = entriesOf(document.paths).flatMap(([path, item]) =>
    entriesOf(item).flatMap(([method, operation]) =>
      isObject(operation)
        ? [{ tag: textAt(operation, 'tags', 0) ?? '', ...readOperation(method, path, operation, resolve) }]
        : [],
    ),
  );
  const names = [...new Set(operations.map(({ tag }) => tag))];
  return {
    version: textAt(document, 'info', 'version') ?? '',
    description: textAt(document, 'info', 'description') ?? '',
    /** What the path of every operation begins with. */
    basePath: /^\/api\/v\d+/.exec(operations[0]?.path ?? '')?.[0] ?? '',
    groups: names.map((name) => ({
      id: anchor(name),
      name,
      operations: deletionsLast(operations.filter(({ tag }) => tag === name)),
    })),
    /** Every error of any operation, once. */
    failures: distinct(operations.flatMap(({ failures }) => failures)),
  };
}

/** What deletes a thing comes after all else that is done with it: a reader tries the examples one after the other. */
const deletionsLast = <One extends Pick<OperationText, 'method' | 'path'>>(
  operations: readonly One[],
): One[] => {
  const isDeletion = ({ method, path }: One): boolean =>
    method === 'DELETE' && operations.some((other) => other.path.startsWith(`${path}/`));
  return [...operations.filter((one) => !isDeletion(one)), ...operations.filter(isDeletion)];
};

/** Errors of every operation, which are listed apart from its own. */
export function commonCodes({ groups }: Pick<ReferenceModel, 'groups'>): ReadonlySet<string> {
  const sets = groups.flatMap(({ operations }) =>
    operations.map(({ failures }) => new Set(failures.map(({ code }) => code))),
  );
  return new Set([...(sets[0] ?? [])].filter((code) => sets.every((set) => set.has(code))));
}

/** A name as part of a URL: `API keys` becomes `api-keys`. */
export const anchor = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

const JSON_CONTENT = ['content', 'application/json'] as const;

function readOperation(
  method: string,
  path: string,
  operation: Record<string, unknown>,
  resolve: ResolveReference,
) {
  const { requestBody: body } = operation;
  const responses = entriesOf(operation.responses);
  const [status, success] = responses.find(([code]) => code.startsWith('2')) ?? [];
  const id = textAt(operation, 'operationId') ?? '';
  const summary = textAt(operation, 'summary') ?? '';
  return {
    id,
    method: method.toUpperCase(),
    path,
    summary,
    shortName: SHORT_NAMES[id] ?? summary,
    description: textAt(operation, 'description') ?? '',
    parameters: listAt(operation, 'parameters').flatMap((parameter) => readParameter(parameter, resolve)),
    request: isObject(body)
      ? {
          required: body.required === true,
          fields: fieldsOf(at(body, ...JSON_CONTENT, 'schema'), resolve),
          example: at(body, ...JSON_CONTENT, 'example'),
        }
      : null,
    success: {
      status: Number(status ?? 0),
      description: textAt(success, 'description') ?? '',
      fields: fieldsOf(at(success, ...JSON_CONTENT, 'schema'), resolve),
      example: at(success, ...JSON_CONTENT, 'example'),
    },
    failures: responses.flatMap(([code, response]) => readFailures(Number(code), response)),
  };
}

/** `X-Request-Id` is the same for every call and is explained once. */
const EXPLAINED_ELSEWHERE = 'X-Request-Id';

function readParameter(parameter: unknown, resolve: ResolveReference): Parameter[] {
  const read = resolve(parameter);
  const place = (['path', 'query', 'header'] as const).find((one) => one === read.in);
  const name = textAt(read, 'name') ?? '';
  if (place === undefined || name === EXPLAINED_ELSEWHERE) return [];
  const field = asField(name, read.schema, read.required === true, resolve);
  const example = textAt(resolve(read.schema), 'examples', 0);
  return [{ ...field, description: textAt(read, 'description') || field.description, place, example }];
}

/** A failure's description has one paragraph per code: `code`: sentence. */
function readFailures(status: number, response: unknown): Failure[] {
  const description = (status >= 400 && textAt(response, 'description')) || '';
  return [...description.matchAll(/^`([^`]+)`: (.+)$/gm)].map(([, code = '', sentence = '']) => ({
    status,
    code,
    sentence,
    example: at(response, ...JSON_CONTENT, 'examples', code, 'value'),
  }));
}

function distinct(failures: readonly Failure[]): Failure[] {
  const byCode = new Map(failures.map((failure) => [failure.code, failure]));
  return [...byCode.values()].sort((a, b) => a.status - b.status || a.code.localeCompare(b.code));
}

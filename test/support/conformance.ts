import { Compile } from 'typebox/schema';
import { type DescribedResponse, type DocumentSchema, type OpenApi, openApiOf } from './openApi.ts';

export interface ApiCall {
  method: string;
  path: string;
}

export interface ReceivedResponse {
  status: number;
  header(name: string): string | null;
  text: string;
}

/** Whether an answer of the interface is one that its OpenAPI document describes: empty, or what is wrong with it. */
export async function schemaViolations(
  url: string,
  call: ApiCall,
  answer: ReceivedResponse,
): Promise<string[]> {
  return schemaViolationsIn(await openApiOf(url), call, answer);
}

export function schemaViolationsIn(
  document: OpenApi,
  { method, path }: ApiCall,
  answer: ReceivedResponse,
): string[] {
  if (!path.startsWith('/api/')) return [];
  const operation = document.operationAt(method, path);
  const described = operation ? operation.responses.get(answer.status) : NO_OPERATION.get(answer.status);
  if (!described) return [`${answer.status} is documented for no such call`];
  const isProblem = answer.status >= 400 && answer.header('content-type') === PROBLEM;
  const body = isProblem ? { ...described, schema: document.problem } : described;
  return [
    ...headerFaults(answer, isProblem ? PROBLEM : 'application/json; charset=utf-8'),
    ...(method === 'HEAD' ? [] : bodyFaults(body, answer)),
  ];
}

const PROBLEM = 'application/problem+json';

const ERROR: DocumentSchema = {
  type: 'object',
  required: ['error_code', 'detail'],
  properties: { error_code: { type: 'string' }, detail: { type: 'string' } },
};

/** What is answered where no operation is called; to more headers than are read, before that is known. */
const NO_OPERATION: ReadonlyMap<number, DescribedResponse> = new Map([
  [400, { schema: ERROR, codes: ['common.malformed_request'], examples: [] }],
  [404, { schema: ERROR, codes: ['common.not_found'], examples: [] }],
  [405, { schema: ERROR, codes: ['common.method_not_allowed'], examples: [] }],
]);

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
const RATE_HEADERS = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];

function headerFaults({ status, header, text }: ReceivedResponse, contentType: string): string[] {
  const faults: string[] = [];
  if (!REQUEST_ID.test(header('x-request-id') ?? '')) faults.push('there is no X-Request-Id');
  if (text !== '' && header('content-type') !== contentType)
    faults.push(`the content type is ${header('content-type')}`);
  const rates = RATE_HEADERS.map(header).filter((value) => value !== null);
  if (rates.length !== 0 && rates.length !== RATE_HEADERS.length)
    faults.push('some RateLimit headers are missing');
  if (rates.length !== 0 && !/^"\w+";r=\d+;t=\d+$/.test(header('ratelimit') ?? ''))
    faults.push('there is no RateLimit header');
  if (!rates.every((value) => /^\d+$/.test(value))) faults.push('a RateLimit header is no whole number');
  if ((status === 429 || status === 503) && !/^[1-9]\d*$/.test(header('retry-after') ?? ''))
    faults.push('there is no Retry-After in whole seconds');
  return faults;
}

function bodyFaults({ schema, codes }: DescribedResponse, { text }: ReceivedResponse): string[] {
  if (schema === null) return text === '' ? [] : ['there is a body, but none is documented'];
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return ['the body is no JSON'];
  }
  return [...shapeFaults(schema, body), ...(codes.length > 0 ? codeFaults(body, codes) : [])];
}

function shapeFaults(schema: DocumentSchema, body: unknown): string[] {
  const validator = validatorOf(schema);
  // Compiled; what is wrong is asked only where something is.
  if (validator.Check(body)) return [];
  const [, errors] = validator.Errors(body);
  return errors.map(({ instancePath, message }) => `${instancePath || 'the body'} ${message}`);
}

function codeFaults(body: unknown, codes: readonly string[]): string[] {
  const { error_code: code, detail, errors = detail }: Record<string, unknown> = Object(body);
  if (typeof code !== 'string' || !codes.includes(code)) return [`the code ${code} is not documented`];
  if ((code === 'common.validation_failed') !== Array.isArray(errors))
    return ['the detail is an array exactly on common.validation_failed'];
  return [];
}

const validators = new WeakMap<DocumentSchema, ReturnType<typeof Compile>>();

function validatorOf(schema: DocumentSchema): ReturnType<typeof Compile> {
  const known = validators.get(schema) ?? Compile(strict(schema));
  validators.set(schema, known);
  return known;
}

/** Answers have no field that is not documented, and every moment is UTC to the millisecond. */
function strict(schema: DocumentSchema): DocumentSchema {
  const { anyOf, items, properties, format, ...rest } = schema;
  return {
    ...rest,
    ...(format === 'date-time' && { pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' }),
    ...(anyOf && { anyOf: anyOf.map(strict) }),
    ...(items && { items: strict(items) }),
    ...(properties && {
      additionalProperties: false,
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, strict(field)]),
      ),
    }),
  };
}

import { EVENTS, type EventType, eventBody, eventTypes } from '../contract/eventTypes.ts';
import { keyAccesses } from '../contract/keys.ts';
import { Anything, Component, Int, KnownWord, List, Optional, Shape, Text } from '../contract/schema.ts';
import { catalogue, type ErrorCode, errorCodes, statusOf } from '../kit/errors.ts';
import { groupBy } from '../kit/groupBy.ts';
import { isObject } from '../kit/json.ts';
import { type AnyOperation, isPermitted } from './operation.ts';
import { PROBLEM_TYPE } from './problem.ts';

type Json = Record<string, unknown>;

/** Errors of every operation, including one without a body that is sent one. */
const EVERYWHERE: readonly ErrorCode[] = [
  'common.malformed_request',
  'request.too_large',
  'business.invalid_api_key',
  'business.inactive',
  'common.rate_limited',
  'common.validation_failed',
  'request.unstorable_input',
  'common.internal',
  'common.unavailable',
];
/** The body of a GET is ignored. */
const UNLESS_GET: readonly ErrorCode[] = ['common.unsupported_media_type'];
const IDEMPOTENT: readonly ErrorCode[] = ['idempotency.key_reused', 'idempotency.request_in_progress'];

const RESTRICTED: readonly ErrorCode[] = ['key.not_permitted'];

const INTERFACE_VERSION = '0.1.0';

/** The OpenAPI 3.1 document of the interface, built from the schemas that validate requests. */
export function openApiDocument(operations: readonly AnyOperation[], publicUrl: string): Json {
  const schemas: Record<string, unknown> = {
    Error: ERROR,
    ValidationError: VALIDATION_ERROR,
    Problem: inlined(PROBLEM, {}),
  };
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = paths[operation.path] ?? {};
    path[operation.method.toLowerCase()] = describe(operation, schemas);
    paths[operation.path] = path;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Waypost',
      version: INTERFACE_VERSION,
      description: 'Push an update about an order to a person known by an email address.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    security: [{ apiKey: [] }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    webhooks: Object.fromEntries(eventTypes.map((type) => [type, describeEvent(type, schemas)])),
    components: {
      schemas,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `way_live_…`.' },
      },
      headers: HEADERS,
    },
  };
}

function describe(operation: AnyOperation, schemas: Record<string, unknown>): Json {
  const { success, examples } = operation;
  const body = operation.describedBody ?? operation.body;
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: `${operation.description}\n\n${accessSentence(operation)}`,
    'x-key-access': accessesOf(operation),
    parameters: parameters(operation, schemas),
    ...(body && {
      requestBody: {
        required: operation.bodyOptional !== true,
        content: { 'application/json': withExample(componentOf(body, schemas), examples.request) },
      },
    }),
    responses: {
      [success.status]: {
        description: success.description,
        headers: responseHeaders(operation),
        ...(success.shape && {
          content: {
            'application/json': withExample(componentOf(success.shape, schemas), examples.response),
          },
        }),
      },
      ...failures(operation),
    },
  };
}

const accessesOf = (operation: AnyOperation) =>
  keyAccesses.filter((access) => isPermitted(operation, access));

/** Which keys may call it, for a person; `x-key-access` says the same to a program. */
function accessSentence(operation: AnyOperation): string {
  const accesses = accessesOf(operation);
  return accesses.length === keyAccesses.length
    ? 'Any key may call it.'
    : `Needs a key with the access ${accesses.map((access) => `\`${access}\``).join(' or ')}.`;
}

/** A request that we send to an endpoint. */
const describeEvent = (type: EventType, schemas: Record<string, unknown>): Json => ({
  post: {
    operationId: `on.${type}`,
    summary: EVENTS[type].meaning,
    security: [],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: inlined(eventBody(type), schemas) } },
    },
    responses: { '2XX': { description: 'Any of them: the event has arrived.' } },
  },
});

const withExample = (schema: unknown, example: unknown): Json => ({
  schema,
  ...(example !== undefined && { example }),
});

function parameters(operation: AnyOperation, schemas: Record<string, unknown>): Json[] {
  const found: Json[] = [
    {
      name: 'X-Request-Id',
      in: 'header',
      required: false,
      description: 'Echoed; a fresh one otherwise.',
      schema: { type: 'string' },
    },
  ];
  for (const [place, shape] of [
    ['path', operation.params],
    ['query', operation.query],
  ] as const) {
    const required: readonly string[] = shape?.required ?? [];
    for (const [name, schema] of Object.entries(shape?.properties ?? {})) {
      found.push({
        name,
        in: place,
        required: place === 'path' || required.includes(name),
        schema: inlined(schema, schemas),
      });
    }
  }
  if (operation.idempotencyKeyMax !== undefined)
    found.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: true,
      description: 'Makes the call safe to repeat for 24 hours.',
      schema: { type: 'string', minLength: 1, maxLength: operation.idempotencyKeyMax },
    });
  return found;
}

function failures(operation: AnyOperation): Record<string, Json> {
  const codes = new Set<ErrorCode>([
    ...EVERYWHERE,
    ...(operation.method === 'GET' ? [] : UNLESS_GET),
    ...(operation.idempotencyKeyMax !== undefined ? IDEMPOTENT : []),
    ...(accessesOf(operation).length < keyAccesses.length ? RESTRICTED : []),
    ...operation.errors,
  ]);
  return Object.fromEntries(
    Array.from(groupBy([...codes], statusOf), ([status, list]) => [
      String(status),
      {
        description: list.map((code) => `\`${code}\`: ${catalogue[code][1]}`).join('\n\n'),
        headers: responseHeaders(operation, status),
        content: {
          'application/json': {
            schema: {
              $ref: status === 422 ? '#/components/schemas/ValidationError' : '#/components/schemas/Error',
            },
            examples: Object.fromEntries(list.map((code) => [code, { value: exampleOf(code) }])),
          },
          [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } },
        },
      },
    ]),
  );
}

const exampleOf = (code: ErrorCode): Json => ({
  error_code: code,
  detail:
    code === 'common.validation_failed'
      ? [{ type: 'missing', loc: ['body', 'subject'], msg: 'Field required', input: {} }]
      : catalogue[code][1],
});

function responseHeaders(operation: AnyOperation, status?: number): Json {
  const names = ['X-Request-Id', ...RATE_HEADERS];
  if (status === 429 || status === 503) names.push('Retry-After');
  const isStored = status === undefined || status === 404;
  if (isStored && operation.idempotencyKeyMax !== undefined) names.push('Idempotent-Replayed');
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** A shape with a title becomes a named component; one without is inlined. */
function componentOf(schema: unknown, schemas: Record<string, unknown>): unknown {
  if (!isObject(schema) || typeof schema.title !== 'string') return inlined(schema, schemas);
  schemas[schema.title] ??= inlined(schema, schemas);
  return { $ref: `#/components/schemas/${schema.title}` };
}

function inlined(schema: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((member) => componentOf(member, schemas));
  if (!isObject(schema)) return schema;
  const member = (key: string, value: unknown): unknown => {
    if (key === 'items' || key === 'anyOf') return componentOf(value, schemas);
    if (key !== 'properties' || !isObject(value)) return value;
    return mapped(value, (_name, field) => componentOf(field, schemas));
  };
  return mapped(schema, member);
}

const mapped = (object: Json, change: (key: string, value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(key, value)]));

const ERROR = Component('Error', { error_code: KnownWord(errorCodes), detail: Optional(Text()) });

const FAULT = Shape({ type: Text(), loc: List({ anyOf: [Text(), Int()] }), msg: Text(), input: Anything() });
const VALIDATION_ERROR = Component('ValidationError', {
  error_code: KnownWord(errorCodes),
  detail: Optional({ anyOf: [Text(), List(FAULT)] }),
});

const PROBLEM = Component('Problem', {
  type: Text('Where the error is described.'),
  title: Text(),
  status: Int(),
  error_code: Text('As in an error of the other form.'),
  detail: Text(),
  errors: Optional(List(FAULT, 'All faults of the request, on `common.validation_failed`.')),
});

const RATE_HEADERS = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
] as const;

const HEADERS = {
  'X-Request-Id': { description: 'Names this request in our logs.', schema: Text() },
  'RateLimit-Limit': { description: 'Calls a full bucket holds.', schema: Int() },
  'RateLimit-Remaining': { description: 'Calls left right now.', schema: Int() },
  'RateLimit-Reset': { description: 'Seconds until the bucket is full again.', schema: Int() },
  'RateLimit-Policy': {
    description: 'Both limits: `q` calls at once, filled again in `w` seconds.',
    schema: Text(),
  },
  RateLimit: {
    description: 'The limit with less left: `r` calls, full again in `t` seconds.',
    schema: Text(),
  },
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: Int() },
  'Idempotent-Replayed': {
    description: '`true` when this is the stored answer of an earlier call.',
    schema: Text(),
  },
};

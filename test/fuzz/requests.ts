import fc from 'fast-check';
import type { ApiParameter, DescribedOperation } from '../support/openApi.ts';
import { anything, type Hints, invalidValues, nastyText, validValues } from './values.ts';

/** A request that can be made: in the process, over a socket, or by hand with what is printed of it. */
export interface FuzzedRequest {
  operation: string;
  /** Whether the document describes such a request: nothing about its form may be refused. */
  asDescribed: boolean;
  method: string;
  /** Segments of the path, not yet encoded; `«message:7»` stands for one that exists when the request is made. */
  segments: string[];
  query: [string, string][];
  headers: Record<string, string>;
  payload: string | Uint8Array | null;
}

/** `«kind:n»`, the n-th of what is known of a kind when the request is made. */
export const placeholder = (kind: string): fc.Arbitrary<string> =>
  fc.nat(10_000).map((n) => `«${kind}:${n}»`);

/** Requests of one operation: as the document says, wrong in their content, or wrong in their form. */
export function fuzzedRequests(operation: DescribedOperation, hints: Hints): fc.Arbitrary<FuzzedRequest> {
  const hasContent =
    operation.body !== null || operation.parameters.some(({ in: place }) => place !== 'header');
  return fc.oneof(
    {
      weight: 9,
      arbitrary: asDescribed(operation, hints).map((request) => ({ ...request, asDescribed: true })),
    },
    { weight: 7, arbitrary: (hasContent ? wrongInContent : wrongInForm)(operation, hints) },
    { weight: 4, arbitrary: wrongInForm(operation, hints) },
  );
}

interface Parts {
  parameters: fc.Arbitrary<Record<string, string | undefined>>;
  payload: fc.Arbitrary<string | Uint8Array | null>;
}

const asDescribed = (operation: DescribedOperation, hints: Hints) =>
  assembled(operation, {
    parameters: parametersOf(operation, hints, false),
    payload: operation.body ? validValues(operation.body.schema, hints).map(asJson) : fc.constant(null),
  });

function wrongInContent(operation: DescribedOperation, hints: Hints): fc.Arbitrary<FuzzedRequest> {
  const { body } = operation;
  return fc.boolean().chain((alsoParameters) =>
    assembled(operation, {
      parameters: parametersOf(operation, hints, alsoParameters || body === null),
      payload: body
        ? fc.oneof(
            { weight: 8, arbitrary: invalidValues(body.schema, hints).map(asJson) },
            {
              weight: 2,
              arbitrary: fc
                .tuple(validValues(body.schema, hints).map(asJson), damage)
                .map(([text, hit]) => hit(text)),
            },
            { weight: 1, arbitrary: anything.map(asJson) },
          )
        : fc.constant(null),
    }),
  );
}

/** What has nothing to do with the content: method, media type, keys, a body where none belongs. */
const wrongInForm = (operation: DescribedOperation, hints: Hints): fc.Arbitrary<FuzzedRequest> =>
  fc.tuple(asDescribed(operation, hints), hit, fc.option(hit)).map(([request, first, second]) => {
    const once = struck(request, first);
    return second === null ? once : struck(once, second);
  });

function assembled(
  operation: DescribedOperation,
  { parameters, payload }: Parts,
): fc.Arbitrary<FuzzedRequest> {
  return fc.tuple(parameters, payload).map(([values, content]) => {
    const of = (place: ApiParameter['in']) =>
      operation.parameters.flatMap(({ name, in: where }): [string, string][] => {
        const value = values[name];
        return where === place && value !== undefined ? [[name, value]] : [];
      });
    const inPath = new Map(of('path'));
    return {
      operation: operation.id,
      asDescribed: false,
      method: operation.method,
      segments: operation.path
        .split('/')
        .slice(1)
        .map((part) => (part.startsWith('{') ? (inPath.get(part.slice(1, -1)) ?? '') : part)),
      query: of('query'),
      headers: {
        authorization: 'Bearer «own:0»',
        ...(content !== null && { 'content-type': 'application/json' }),
        ...Object.fromEntries(of('header').map(([name, value]) => [name.toLowerCase(), value])),
      },
      payload: content,
    };
  });
}

function parametersOf(operation: DescribedOperation, hints: Hints, wrong: boolean) {
  const model = Object.fromEntries(
    operation.parameters.map(({ name, in: place, schema, required }) => {
      const text =
        place === 'header'
          ? headerParameter(name, schema.maxLength ?? 128)
          : validValues(schema, hints, name).map(String);
      const value = wrong && place !== 'header' ? fc.oneof(text, nastyText, anything.map(asJson)) : text;
      // Half of them left out: a cursor, for one, fits few of the other parameters.
      return [name, required && !wrong ? value : fc.option(value, { nil: undefined, freq: 2 })];
    }),
  );
  return fc.record(model);
}

/** Mostly fresh keys, sometimes the same ones, so that replays and reuses happen. */
const headerParameter = (name: string, max: number): fc.Arbitrary<string> =>
  name === 'Idempotency-Key'
    ? fc.oneof(
        { weight: 6, arbitrary: fc.uuid() },
        { weight: 1, arbitrary: fc.constantFrom('same', 'again', 'k'.repeat(max)) },
      )
    : fc.oneof(fc.uuid(), headerText);

/** What can stand in a header at all. */
const headerText = fc
  .string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter((code) => code !== 0x7f)
      .map((code) => String.fromCharCode(code)),
    maxLength: 60,
  })
  .map((text) => text.trim());

/** A lone surrogate is written as an escape, as every JSON library does. */
const asJson = (value: unknown): string => JSON.stringify(value) ?? 'null';

/** Bytes lost, changed or put in between. */
const damage: fc.Arbitrary<(text: string) => Uint8Array> = fc
  .tuple(fc.nat(), fc.constantFrom('cut', 'change', 'insert'), fc.integer({ min: 0, max: 255 }))
  .map(([at, kind, byte]) => (text) => {
    const bytes = Buffer.from(text);
    const place = bytes.length === 0 ? 0 : at % bytes.length;
    if (kind === 'cut') return bytes.subarray(0, place);
    const [before, after] = [bytes.subarray(0, place), bytes.subarray(kind === 'insert' ? place : place + 1)];
    return Buffer.concat([before, Buffer.from([byte]), after]);
  });

interface Hit extends Partial<FuzzedRequest> {
  /** One more at the end of the path. */
  segment?: string;
}

const struck = (request: FuzzedRequest, { segment, headers, ...rest }: Hit): FuzzedRequest => ({
  ...request,
  ...rest,
  headers: { ...request.headers, ...headers },
  segments: segment === undefined ? request.segments : [...request.segments, segment],
});

const JSON_TYPE = { 'content-type': 'application/json' };
const TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json; charset=latin1',
  'multipart/form-data',
  '',
  ';',
  'application/json, text/html',
];
const AUTHORIZATIONS = [
  '',
  'Bearer',
  'Bearer x',
  'Basic abc',
  'Bearer «key:1»',
  'Bearer «foreign:0»',
  'Bearer «revoked:0»',
];
const KEYS = ['', 'k'.repeat(253), 'k'.repeat(256), 'same', 'same'];

const smallHit: fc.Arbitrary<Hit> = fc.oneof(
  fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS').map((method) => ({ method })),
  fc.constantFrom(...TYPES).map((type) => ({ headers: { 'content-type': type } })),
  fc
    .oneof(fc.constantFrom(...AUTHORIZATIONS), headerText)
    .map((authorization) => ({ headers: { authorization } })),
  fc.oneof(fc.constantFrom(...KEYS), headerText).map((key) => ({ headers: { 'idempotency-key': key } })),
  headerText.map((id) => ({ headers: { 'x-request-id': id } })),
  anything.map((value) => ({ payload: asJson(value), headers: JSON_TYPE })),
  fc.uint8Array({ maxLength: 200 }).map((payload) => ({ payload, headers: JSON_TYPE })),
  fc.array(fc.tuple(nastyText, nastyText), { minLength: 1, maxLength: 5 }).map((query) => ({ query })),
  nastyText.map((segment) => ({ segment })),
);

/** Megabytes take their time: a few are enough. */
const hit: fc.Arbitrary<Hit> = fc.oneof(
  { weight: 40, arbitrary: smallHit },
  { weight: 1, arbitrary: fc.constant({ payload: ' '.repeat(2 * 1024 * 1024 + 1), headers: JSON_TYPE }) },
);

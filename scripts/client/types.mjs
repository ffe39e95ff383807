import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../prepare.mjs';
import {
  capital,
  eventName,
  KNOWN,
  nameOfRef,
  operationsOf,
  parametersIn,
  requestedOf,
  schemaOfEvent,
  shapesOf,
  typeName,
  typeOfEvent,
} from './openapi.mjs';

/** The TypeScript that describes the document: shapes, queries, operations and events. */
export function clientTypes(document) {
  const { schemas } = document.components;
  const requested = requestedOf(document);
  const operations = operationsOf(document);
  return formatted(
    [
      '// Made from the OpenAPI document by `npm run client -- types`. Do not edit.',
      `import type { Open } from '../open.ts';`,
      ...shapesOf(document).map(([name, schema]) =>
        declaration(typeName(name), schema, schema.description, requested.has(name) ? SENT : ANSWERED),
      ),
      `${doc('The codes of errors that this version knows.')}export type ErrorCode = ${choice(schemas.Error.properties.error_code[KNOWN])};`,
      ...operations.filter((operation) => queryOf(operation).length > 0).map(queryDeclaration),
      operationTypes(operations),
      operationTable(operations),
      ...Object.values(document.webhooks).map(eventDeclaration),
      eventUnion(document.webhooks),
    ].join('\n\n'),
  );
}

/**
 * A request has the words of this version alone, and a Date for every time. An answer can have words that are newer, unless there
 * is only one: that tells what something is.
 */
const SENT = {
  words: choice,
  formats: { 'date-time': 'string | Date', 'event-types': 'string | readonly EventType[]' },
};
const ANSWERED = {
  words: (values) => (values.length > 1 ? `Open<${choice(values)}>` : choice(values)),
  formats: {},
};

function choice(values) {
  return values.map((value) => JSON.stringify(value)).join(' | ');
}

function declaration(name, schema, description, side) {
  const comment = doc(description);
  return schema.type === 'object' && schema.properties
    ? `${comment}export interface ${name} ${fields(schema, side)}`
    : `${comment}export type ${name} = ${typeOf(schema, side)};`;
}

function fields({ properties, required = [] }, side) {
  const lines = Object.entries(properties).map(([name, schema]) => {
    const notes = [
      schema.description,
      schema.default === undefined ? undefined : `Default: \`${JSON.stringify(schema.default)}\`.`,
    ];
    const type = typeOf(schema, side);
    return `${doc(notes.filter(Boolean).join(' '))}${name}${required.includes(name) ? `: ${type}` : `?: ${type} | undefined`};`;
  });
  return `{\n${lines.join('\n')}\n}`;
}

function typeOf(schema, side) {
  if (schema.$ref) return nameOfRef(schema.$ref);
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(one, side)).join(' | ');
  if (schema.enum) return side.words(schema.enum);
  if (schema[KNOWN]) return side.words(schema[KNOWN]);
  switch (schema.type) {
    case 'string':
      return side.formats[schema.format] ?? 'string';
    case 'boolean':
    case 'number':
    case 'null':
      return schema.type;
    case 'integer':
      return 'number';
    case 'array':
      return `Array<${typeOf(schema.items, side)}>`;
    case 'object':
      return schema.properties ? fields(schema, side) : 'Record<string, unknown>';
    case undefined:
      return 'unknown';
    default:
      throw new Error(`no type is known for ${JSON.stringify(schema)}`);
  }
}

const queryOf = (operation) => parametersIn(operation, 'query');
const queryName = ({ operationId }) => `${capital(operationId)}Query`;
const isKeyed = ({ parameters }) =>
  parameters.some(({ name, required }) => name === 'Idempotency-Key' && required);

function queryDeclaration(operation) {
  const parameters = queryOf(operation);
  return declaration(
    queryName(operation),
    {
      type: 'object',
      required: parameters.filter(({ required }) => required).map(({ name }) => name),
      properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    },
    `The query of ${operation.method} ${operation.path}.`,
    SENT,
  );
}

/** What each operation takes and answers, by its id. */
function operationTypes(operations) {
  const entries = operations.map((operation) => {
    const content = operation.requestBody?.content['application/json'].schema;
    const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'));
    const answer = success?.[1].content?.['application/json'].schema;
    const path = parametersIn(operation, 'path').map(({ name }) => `${name}: string`);
    return `${doc(operation.summary)}${operation.operationId}: {
      path: ${path.length > 0 ? `{ ${path.join('; ')} }` : 'undefined'};
      query: ${queryOf(operation).length > 0 ? queryName(operation) : 'undefined'};
      body: ${content ? typeOf(content, SENT) : 'undefined'};
      answer: ${answer ? typeOf(answer, ANSWERED) : 'undefined'};
    };`;
  });
  return `${doc('What each operation takes and answers.')}export interface Operations {\n${entries.join('\n')}\n}`;
}

function operationTable(operations) {
  const entries = operations.map(
    (operation) =>
      `${operation.operationId}: '${operation.method} ${operation.path}${isKeyed(operation) ? ' key' : ''}',`,
  );
  const note = 'The method and path of each operation; `key` where the server needs an idempotency key.';
  return `${doc(note)}export const operations: Readonly<Record<keyof Operations, string>> = {\n${entries.join('\n')}\n};`;
}

const eventDeclaration = (event) =>
  declaration(eventName(event), schemaOfEvent(event), event.post.summary, ANSWERED);

function eventUnion(webhooks) {
  const events = Object.values(webhooks);
  return `${doc('An event of a type that this version knows; `type` tells which.')}export type KnownEvent = ${events.map(eventName).join(' | ')};

${doc('The types of events that this version knows.')}export type EventType = KnownEvent['type'];

${doc('Every type of event that this version knows.')}export const eventTypes: readonly EventType[] = [${events.map((event) => `'${typeOfEvent(event)}'`).join(', ')}];`;
}

function doc(text) {
  return text ? `/** ${text.replaceAll('*/', '*\\/').replace(/\s+/g, ' ')} */\n` : '';
}

/** As `npm run format` would leave it. */
export function formatted(source, path = 'clients/typescript/src/generated/api.ts') {
  const biome = join(ROOT, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const run = spawnSync(process.execPath, [biome, 'format', `--stdin-file-path=${path}`], {
    cwd: ROOT,
    input: source,
    encoding: 'utf8',
  });
  if (run.status !== 0) throw new Error(`What was generated cannot be formatted: ${run.stderr}`);
  return run.stdout;
}

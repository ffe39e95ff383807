import { join } from 'node:path';
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

const FOLDER = join('clients', 'php', 'src', 'Generated');
const HEAD = `<?php

// Made by \`npm run client -- php\`. Do not edit.

declare(strict_types=1);

namespace Waypost\\Generated;
`;

/** Every generated file of the PHP client, by its path: the shapes of its arrays, and the operations. */
export function phpFiles(document) {
  return new Map([
    [join(FOLDER, 'Types.php'), typesSource(document)],
    [join(FOLDER, 'Operations.php'), operationsSource(document)],
  ]);
}

/** A request has the words of this version alone, and a DateTimeInterface for every time. An answer can have words that are newer. */
const SENT = { words: choice, formats: { 'date-time': 'string|\\DateTimeInterface' } };
const ANSWERED = {
  words: (values) => (values.length > 1 ? `${choice(values)}|string` : choice(values)),
  formats: {},
};

function choice(values) {
  return values.map((value) => `'${value}'`).join('|');
}

function typesSource(document) {
  const events = Object.values(document.webhooks);
  const types = events.map((event) => `'${typeOfEvent(event)}'`);
  const aliases = [...shapeAliases(document, events), ...eventAliases(document, events, types)];
  const lines = aliases.join('\n\n').split('\n');
  return `${HEAD}
/**
 * What the API takes and answers, as shapes of arrays: \`@phpstan-import-type Push from \\Waypost\\Generated\\Types\`.
 *
${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}
 */
final class Types
{
    /** Every type of event that this version knows. */
    public const EVENT_TYPES = [
${types.map((type) => `        ${type},`).join('\n')}
    ];
}
`;
}

/** Shapes within others have names of their own, too: each field is then one line. */
function shapeAliases(document, events) {
  const requested = requestedOf(document);
  const declared = [];
  for (const [name, schema] of shapesOf(document))
    declare(declared, typeName(name), schema, schema.description, requested.has(name) ? SENT : ANSWERED);
  for (const event of events)
    declare(declared, eventName(event), schemaOfEvent(event), event.post.summary, ANSWERED);
  return declared.map(({ source }) => source);
}

/** What the client makes of events, and the codes of errors. */
function eventAliases({ components: { schemas } }, events, types) {
  const unknown = [
    "type: 'unknown'",
    'unknown_type: string',
    'id: string',
    'occurred_at: string',
    'data: array<string, mixed>',
  ];
  const page = Object.entries(schemas.EventPage.properties).map(
    ([field, schema]) =>
      `${field}: ${field === 'items' ? 'list<WaypostEvent>' : typeOf([], schema, '', ANSWERED)}`,
  );
  return [
    alias('EventType', types.join('|'), 'The types of events that this version knows.'),
    alias(
      'KnownEvent',
      events.map(eventName).join('|'),
      'An event of a type that this version knows; `type` tells which.',
    ),
    alias(
      'UnknownEvent',
      shape(unknown),
      'An event of a type that is newer than this version of the client. Ignore it, or look at `unknown_type`.',
    ),
    alias('WaypostEvent', 'KnownEvent|UnknownEvent', 'An event: `type` tells which, and narrows `data`.'),
    alias('WaypostEventPage', shape(page), 'A page of events; `type` narrows each.'),
    alias(
      'ErrorCode',
      choice(schemas.Error.properties.error_code[KNOWN]),
      'The codes of errors that this version knows.',
    ),
  ];
}

const shape = (fields) => `array{\n${fields.map((field) => `    ${field},\n`).join('')}}`;

const alias = (name, type, description, notes = []) =>
  [`@phpstan-type ${name} ${type}`, ...(description ? [plain(description)] : []), ...notes].join('\n');

function declare(declared, name, schema, description, side) {
  if (declared.some((one) => one.name === name)) throw new Error(`two shapes would be called ${name}`);
  const { properties, required = [] } = schema;
  const place = declared.push({ name, source: '' }) - 1;
  const fields = Object.entries(properties).map(([field, of]) => {
    const type = typeOf(declared, of, name + capitals(field), side);
    return `${field}${required.includes(field) ? '' : '?'}: ${type}`;
  });
  const notes = Object.entries(properties).flatMap(([field, of]) => noteOf(field, of));
  declared[place].source = alias(name, shape(fields), description, notes);
}

/** What a field means stands under its shape: a shape itself takes no words. */
function noteOf(field, schema) {
  const initial = schema.default === undefined ? [] : [`Default: \`${JSON.stringify(schema.default)}\`.`];
  const notes = [schema.description, ...initial].filter(Boolean);
  return notes.length === 0 ? [] : [`- \`${field}\`: ${plain(notes.join(' '))}`];
}

function typeOf(declared, schema, name, side) {
  if (schema.$ref) return nameOfRef(schema.$ref);
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(declared, one, name, side)).join('|');
  if (schema.enum) return side.words(schema.enum);
  if (schema[KNOWN]) return side.words(schema[KNOWN]);
  switch (schema.type) {
    case 'string':
      return side.formats[schema.format] ?? 'string';
    case 'boolean':
      return 'bool';
    case 'number':
      return 'int|float';
    case 'integer':
      return 'int';
    case 'null':
      return 'null';
    case 'array':
      return `list<${typeOf(declared, schema.items, name, side)}>`;
    case 'object':
      if (!schema.properties) return 'array<string, mixed>';
      declare(declared, name, schema, schema.description, side);
      return name;
    case undefined:
      return 'mixed';
    default:
      throw new Error(`no type is known for ${JSON.stringify(schema)}`);
  }
}

function operationsSource(document) {
  const operations = operationsOf(document);
  const routes = operations.map(
    ({ operationId, method, path }) => `        '${operationId}' => '${method} ${path}',`,
  );
  const queries = operations
    .map((operation) => [
      operation.operationId,
      parametersIn(operation, 'query').map(({ name }) => `'${name}'`),
    ])
    .filter(([, names]) => names.length > 0)
    .map(([id, names]) => `        '${id}' => [${names.join(', ')}],`);
  const fields = [...requestedOf(document)].flatMap((name) => fieldsOf(document.components.schemas[name]));
  const named = (type) =>
    [...new Set(fields.filter((field) => field.type === type).map(({ name }) => name))].sort();
  const [lists, objects] = [named('array'), named('object')];
  if (lists.some((name) => objects.includes(name)))
    throw new Error('a field is a list here and an object there');
  const list = (names) => names.map((name) => `        '${name}',`).join('\n');
  return `${HEAD}
/** The operations of the API, and which fields of requests PHP cannot tell apart: its arrays are lists and objects alike. */
final class Operations
{
    /** The method and path of each operation, by its id in the OpenAPI document. */
    public const ROUTES = [
${routes.join('\n')}
    ];

    /** The names of the query of each that has one. */
    public const QUERIES = [
${queries.join('\n')}
    ];

    /** Fields that take a list. */
    public const LIST_FIELDS = [
${list(lists)}
    ];

    /** Fields that take an object. */
    public const OBJECT_FIELDS = [
${list(objects)}
    ];
}
`;
}

/** Every field within a schema, with its type. */
function fieldsOf(schema) {
  if (schema.anyOf) return schema.anyOf.flatMap(fieldsOf);
  if (schema.items) return fieldsOf(schema.items);
  return Object.entries(schema.properties ?? {}).flatMap(([name, of]) => [
    ...(of.anyOf ?? [of]).map(({ $ref, type }) => ({ name, type: $ref ? 'object' : type })),
    ...fieldsOf(of),
  ]);
}

const capitals = (text) => text.split('_').map(capital).join('');
const plain = (text) => text.replaceAll('*/', '*\\/').replace(/\s+/g, ' ');

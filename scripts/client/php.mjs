import { join } from 'node:path';

const FOLDER = join('clients', 'php', 'src', 'Generated');
const HEAD = `<?php

// Made by \`npm run client -- php\`. Do not edit.

declare(strict_types=1);

namespace Waypost\\Generated;
`;
/** One name in every client; errors are classes of the client. */
const RENAMED = { Event: 'FeedEvent' };
const LEFT_OUT = ['Error', 'ValidationError', 'Problem'];
const KNOWN = 'x-known-values';

/** Every generated file of the PHP client, by its path: the shapes of its arrays, and the operations. */
export function phpFiles(document) {
  return new Map([
    [join(FOLDER, 'Types.php'), typesSource(document)],
    [join(FOLDER, 'Operations.php'), operationsSource(document)],
  ]);
}

/** A request has the words of this version alone, and a DateTimeInterface for every time. An answer can have words that are newer. */
const SENT = {
  words: choice,
  formats: { 'date-time': 'string|\\DateTimeInterface', 'event-types': 'string|list<EventType>' },
};
const ANSWERED = {
  words: (values) => (values.length > 1 ? `${choice(values)}|string` : choice(values)),
  formats: {},
};

function choice(values) {
  return values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join('|');
}

/** Shapes are declared under names of their own, also those within others: each field is then one line. */
function typesSource(document) {
  const { schemas } = document.components;
  const events = Object.values(document.webhooks);
  const requested = componentsIn(bodiesOf(document), schemas);
  const declared = [];
  for (const [name, schema] of Object.entries(schemas).filter(([name]) => !LEFT_OUT.includes(name)))
    declare(declared, typeName(name), schema, schema.description, requested.has(name) ? SENT : ANSWERED);
  for (const event of events)
    declare(declared, eventName(event), schemaOfEvent(event), event.post.summary, ANSWERED);
  const types = events.map((event) => `'${typeOfEvent(event)}'`);
  const aliases = [
    alias('EventType', types.join('|'), 'The types of events that this version knows.'),
    alias(
      'KnownEvent',
      events.map(eventName).join('|'),
      'An event of a type that this version knows; `type` tells which.',
    ),
    alias(
      'UnknownEvent',
      "array{\n    type: 'unknown',\n    unknown_type: string,\n    id: string,\n    occurred_at: string,\n    data: array<string, mixed>,\n}",
      'An event of a type that is newer than this version of the client. Ignore it, or look at `unknown_type`.',
    ),
    alias('WaypostEvent', 'KnownEvent|UnknownEvent', 'An event: `type` tells which, and narrows `data`.'),
    eventPage(schemas.EventPage),
    alias(
      'ErrorCode',
      choice(schemas.Error.properties.error_code[KNOWN]),
      'The codes of errors that this version knows.',
    ),
  ];
  const lines = [...declared.map(({ source }) => source), ...aliases].join('\n\n').split('\n');
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

const alias = (name, type, description, notes = []) =>
  [`@phpstan-type ${name} ${type}`, ...(description ? [plain(description)] : []), ...notes].join('\n');

function declare(declared, name, schema, description, side) {
  if (declared.some((one) => one.name === name)) throw new Error(`two shapes would be called ${name}`);
  const { properties, required = [] } = schema;
  const place = declared.push({ name, source: '' }) - 1;
  const fields = Object.entries(properties).map(([field, of]) => {
    const type = typeOf(declared, of, name + capital(field), side);
    return `    ${field}${required.includes(field) ? '' : '?'}: ${type},`;
  });
  const notes = Object.entries(properties).flatMap(([field, of]) => noteOf(field, of));
  declared[place].source = alias(name, `array{\n${fields.join('\n')}\n}`, description, notes);
}

/** What a field means stands under its shape: a shape itself takes no words. */
function noteOf(field, schema) {
  const initial = schema.default === undefined ? [] : [`Default: \`${JSON.stringify(schema.default)}\`.`];
  const notes = [schema.description, ...initial].filter(Boolean);
  return notes.length === 0 ? [] : [`- \`${field}\`: ${plain(notes.join(' '))}`];
}

/** A page of events as the client passes it on. */
function eventPage({ properties, required }) {
  const fields = Object.entries(properties).map(([field, of]) => {
    const type = field === 'items' ? 'list<WaypostEvent>' : typeOf([], of, '', ANSWERED);
    return `    ${field}${required.includes(field) ? '' : '?'}: ${type},`;
  });
  return alias(
    'WaypostEventPage',
    `array{\n${fields.join('\n')}\n}`,
    'A page of events; `type` narrows each.',
  );
}

function typeOf(declared, schema, name, side) {
  if (schema.$ref) return typeName(schema.$ref.replace('#/components/schemas/', ''));
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
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId }]) => `        '${operationId}' => '${method.toUpperCase()} ${path}',`,
    ),
  );
  const requested = componentsIn(bodiesOf(document), document.components.schemas);
  const fields = [...requested].flatMap((name) => fieldsOf(document.components.schemas[name]));
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

const bodiesOf = ({ paths }) =>
  Object.values(paths).flatMap((methods) => Object.values(methods).map(({ requestBody }) => requestBody));

/** The names of the components that a schema has, and of those that these have. */
function componentsIn(schema, schemas, found = new Set()) {
  for (const [, name] of JSON.stringify(schema).matchAll(/#\/components\/schemas\/(\w+)/g)) {
    if (found.has(name)) continue;
    componentsIn(schemas[name], schemas, found.add(name));
  }
  return found;
}

const typeName = (name) => RENAMED[name] ?? name;
const schemaOfEvent = ({ post }) => post.requestBody.content['application/json'].schema;
const typeOfEvent = (event) => schemaOfEvent(event).properties.type.enum[0];
const eventName = (event) => `${typeOfEvent(event).split(/[._]/).map(capital).join('')}Event`;
const capital = (text) =>
  text
    .split('_')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
const plain = (text) => text.replaceAll('*/', '*\\/').replace(/\s+/g, ' ');

import { readdirSync, readFileSync } from 'node:fs';
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

const PACKAGE = join('clients', 'python', 'src', 'waypost');
const HEAD = '# Made by `npm run client -- python`. Do not edit.';

/** Every generated file of the Python client, by its path: the types, the operations, and the calls that block. */
export function pythonFiles(document) {
  return new Map([
    [join(PACKAGE, 'generated', 'types.py'), typesSource(document)],
    [join(PACKAGE, 'generated', 'operations.py'), operationsSource(document)],
    ...blockingFiles(),
  ]);
}

const choice = (values) => `Literal[${values.map((value) => JSON.stringify(value)).join(', ')}]`;

/** As in the TypeScript client: what is sent has the words of this version alone; what is answered can have newer ones. */
const SENT = { words: choice, list: 'Sequence', time: 'str | datetime' };
const ANSWERED = {
  // `| str` allows every text; an editor still completes the words before it.
  words: (values) => (values.length > 1 ? `${choice(values)} | str` : choice(values)),
  list: 'List',
  time: 'str',
};

/** Declarations are collected, since a shape within a shape needs a name of its own before it. */
function typesSource(document) {
  const { schemas } = document.components;
  const events = Object.values(document.webhooks);
  const sent = requestedOf(document);
  const declared = [];
  for (const [name, schema] of shapesOf(document))
    declare({ declared, ...(sent.has(name) ? SENT : ANSWERED) }, typeName(name), schema, schema.description);
  const answered = { declared, ...ANSWERED };
  for (const event of events) declare(answered, eventName(event), schemaOfEvent(event), event.post.summary);
  const others = ['KnownEvent', 'EventType', 'EVENT_TYPES', 'ErrorCode'];
  const names = [...declared.map(({ name }) => name), ...others].sort();
  const types = events.map((event) => `    "${typeOfEvent(event)}",`).join('\n');
  return `${[
    `${HEAD}\n"""What the API takes and answers, as typed dictionaries."""`,
    'from __future__ import annotations\n\nfrom datetime import datetime\nfrom typing import Any, Dict, List, Literal, Sequence, Tuple, TypedDict, Union',
    `__all__ = [\n${names.map((name) => `    "${name}",`).join('\n')}\n]`,
    ...declared.map(({ source }) => `\n${source}`),
    `\nKnownEvent = Union[\n${events.map((event) => `    ${eventName(event)},`).join('\n')}\n]`,
    '"""An event of a type that this version knows; `type` tells which."""',
    `EventType = Literal[\n${types}\n]`,
    '"""The types of events that this version knows."""',
    `EVENT_TYPES: Tuple[EventType, ...] = (\n${types}\n)`,
    '"""Every type of event that this version knows."""',
    `ErrorCode = ${choice(schemas.Error.properties.error_code[KNOWN])}`,
    '"""The codes of errors that this version knows."""',
  ].join('\n\n')}\n`;
}

/** Python 3.10 has no NotRequired: what may be left out stands in a class that inherits what is required. */
function declare(side, name, schema, description) {
  const { properties, required = [] } = schema;
  const { declared } = side;
  if (declared.some((one) => one.name === name)) throw new Error(`two shapes would be called ${name}`);
  const fields = Object.entries(properties).map(([field, of]) => ({
    field,
    isRequired: required.includes(field),
    lines: fieldLines(field, of, typeOf(side, of, name + capitals(field))),
  }));
  const [needed, left] = [fields.filter((one) => one.isRequired), fields.filter((one) => !one.isRequired)];
  const body = (part) => part.flatMap(({ lines }) => lines).map((line) => `    ${line}`);
  const doc = description ? [`    ${docstring(description)}`, ''] : [];
  const classOf = (head, part, comment) => [`class ${head}:`, ...comment, ...body(part)].join('\n');
  const base = `_${name}Required`;
  const sources =
    left.length === 0
      ? [classOf(`${name}(TypedDict)`, needed, doc)]
      : needed.length === 0
        ? [classOf(`${name}(TypedDict, total=False)`, left, doc)]
        : [classOf(`${base}(TypedDict)`, needed, []), classOf(`${name}(${base}, total=False)`, left, doc)];
  declared.push({ name, source: sources.join('\n\n\n') });
}

function fieldLines(field, schema, type) {
  const notes = [
    schema.description,
    schema.default === undefined ? undefined : `Default: \`${JSON.stringify(schema.default)}\`.`,
  ].filter(Boolean);
  return [`${field}: ${type}`, ...(notes.length > 0 ? [docstring(notes.join(' '))] : [])];
}

/** In the words of a side: SENT or ANSWERED, with the declarations that are made on the way. */
function typeOf(side, schema, name) {
  if (schema.$ref) return nameOfRef(schema.$ref);
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(side, one, name)).join(' | ');
  const words = schema.enum ?? schema[KNOWN];
  if (words) return side.words(words);
  switch (schema.type) {
    case 'string':
      return schema.format === 'date-time' ? side.time : 'str';
    case 'boolean':
      return 'bool';
    case 'number':
      return 'float';
    case 'integer':
      return 'int';
    case 'null':
      return 'None';
    case 'array':
      return `${side.list}[${typeOf(side, schema.items, name)}]`;
    case 'object':
      if (!schema.properties) return 'Dict[str, Any]';
      declare(side, name, schema, schema.description);
      return name;
    case undefined:
      return 'Any';
    default:
      throw new Error(`no type is known for ${JSON.stringify(schema)}`);
  }
}

/** Each operation with the type of its answer, so that a method that calls it answers nothing else. */
function operationsSource(document) {
  const answers = new Set();
  const lines = operationsOf(document).map((operation) => {
    const { operationId, summary, method, path, responses } = operation;
    const success = Object.entries(responses).find(([status]) => status.startsWith('2'));
    const schema = success?.[1].content?.['application/json'].schema;
    const answer = schema ? typeOf(ANSWERED, schema, '') : 'None';
    if (schema) answers.add(answer);
    const isWrite = method !== 'GET' && operationId !== 'previewPush';
    const query = parametersIn(operation, 'query').map(({ name }) => `"${name}", `);
    const rest = `${isWrite ? ', is_write=True' : ''}${query.length > 0 ? `, query=(${query.join('').trim()})` : ''}`;
    return `${snake(operationId)} = Operation[${answer}]("${method}", "${path}"${rest})\n${docstring(summary)}`;
  });
  return `${[
    `${HEAD}\n"""Every operation of the API, by its id in the OpenAPI document."""`,
    'from __future__ import annotations',
    `from ..operation import Operation\nfrom .types import (\n${[...answers]
      .sort()
      .map((name) => `    ${name},`)
      .join('\n')}\n)`,
    ...lines,
  ].join('\n\n')}\n`;
}

/** What makes a call that awaits a call that blocks. */
const BLOCKING = [
  [/\bimport asyncio\b/g, 'import time'],
  [/\basyncio\.sleep\b/g, 'time.sleep'],
  [/\basync_exchange\b/g, 'exchange'],
  [/\basync (def|for)\b/g, '$1'],
  [/\bawait /g, ''],
  [/\bAsync(?=[A-Z])/g, ''],
  [/\basync_(?=[a-z])/g, ''],
  [/__aiter__/g, '__iter__'],
  [/, Awaitable\b(?!\[)/g, ''],
  [/\bAwaitable\[(\w+)\]/g, '$1'],
];

/** The calls that block are those that await, without the words for it. */
function blockingFiles() {
  const folder = join(PACKAGE, '_async');
  return readdirSync(join(ROOT, folder), { recursive: true })
    .filter((file) => file.endsWith('.py'))
    .sort()
    .map((file) => {
      const source = readFileSync(join(ROOT, folder, file), 'utf8');
      const blocking = BLOCKING.reduce((text, [from, to]) => text.replace(from, to), source);
      return [
        join(PACKAGE, '_sync', file),
        `# Made from _async/${file} by \`npm run client -- python\`. Do not edit.\n${blocking}`,
      ];
    });
}

const capitals = (text) => text.split('_').map(capital).join('');
const snake = (text) => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const docstring = (text) =>
  `"""${text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replace(/\s+/g, ' ').replace(/"$/, '" ')}"""`;

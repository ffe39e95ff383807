/** What the clients of every language read of our OpenAPI document. */

/** One name in every client: `Event` is a global of browsers. */
const RENAMED = { Event: 'FeedEvent' };
/** Errors are classes of the client. */
const LEFT_OUT = ['Error', 'ValidationError', 'Problem'];

/** Where an answer can have words that are newer, those that this version knows. */
export const KNOWN = 'x-known-values';

export const typeName = (name) => RENAMED[name] ?? name;
export const nameOfRef = ($ref) => typeName($ref.replace('#/components/schemas/', ''));

/** The schemas that a client has types for, with their names. */
export const shapesOf = ({ components }) =>
  Object.entries(components.schemas).filter(([name]) => !LEFT_OUT.includes(name));

export const operationsOf = ({ paths }) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
    })),
  );

export const parametersIn = ({ parameters }, place) =>
  parameters.filter((parameter) => parameter.in === place);

/** The names of the schemas that requests have. */
export const requestedOf = (document) =>
  componentsIn(
    operationsOf(document).map(({ requestBody }) => requestBody),
    document.components.schemas,
  );

/** The names of the components that a schema has, and of those that these have. */
function componentsIn(schema, schemas, found = new Set()) {
  for (const [, name] of JSON.stringify(schema).matchAll(/#\/components\/schemas\/(\w+)/g)) {
    if (found.has(name)) continue;
    componentsIn(schemas[name], schemas, found.add(name));
  }
  return found;
}

export const schemaOfEvent = ({ post }) => post.requestBody.content['application/json'].schema;
export const typeOfEvent = (event) => schemaOfEvent(event).properties.type.enum[0];
export const eventName = (event) => `${typeOfEvent(event).split(/[._]/).map(capital).join('')}Event`;
export const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);

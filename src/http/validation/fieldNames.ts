import { isObject } from './isObject.ts';

/** The name of every field that a JSON schema describes, at any depth. */
export function fieldNames(schema: unknown, names: Set<string> = new Set()): ReadonlySet<string> {
  if (Array.isArray(schema)) for (const part of schema) fieldNames(part, names);
  if (!isObject(schema)) return names;
  if (isObject(schema.properties)) for (const name of Object.keys(schema.properties)) names.add(name);
  for (const part of Object.values(schema)) fieldNames(part, names);
  return names;
}

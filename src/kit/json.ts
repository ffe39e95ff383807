/** Reading JSON that somebody else wrote: nothing about its shape is taken for granted, and nothing here throws. */

/** The value of a JSON text; undefined when it is none. */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What stands at the end of a path of keys and indexes; undefined when the path leads nowhere. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null
        ? Object.getOwnPropertyDescriptor(inner, key)?.value
        : undefined,
    value,
  );
}

/** The text there, or null. A number counts as its digits: senders differ about which of the two an id or a code is. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string | null {
  const found = at(value, ...path);
  if (typeof found === 'string') return found;
  return typeof found === 'number' && Number.isFinite(found) ? String(found) : null;
}

/** The list there; empty when there is none. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** A JSON object: neither null nor a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads JSON from others: nothing here assumes a shape, and nothing throws. */

/** The value of a JSON text; undefined if the text is invalid. */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value at a path of keys and indexes; undefined if there is none. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null
        ? Object.getOwnPropertyDescriptor(inner, key)?.value
        : undefined,
    value,
  );
}

/**
 * The text at a path, or null. A number becomes its digits: senders differ about whether an id or a code is a
 * number.
 */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string | null {
  const found = at(value, ...path);
  if (typeof found === 'string') return found;
  return typeof found === 'number' && Number.isFinite(found) ? String(found) : null;
}

/** The list at a path; empty if there is none. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** A JSON object: neither null nor a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

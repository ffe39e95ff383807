/** What a webhook envelope may be made of. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Deeper than any event of ours; ends a circular value with a sentence instead of an exhausted stack. */
export const MAX_DEPTH = 64;

/**
 * The value as JSON with sorted keys at every depth and no white space (interface, 6.1). Keys sort by UTF-16 code
 * unit, which for every key we send is also the order of Python's sort_keys. Text stays as it is rather than being
 * escaped to ASCII, but for a lone surrogate, which JSON.stringify escapes: the result is always valid UTF-8.
 * What JSON cannot say (undefined, NaN, a Date) is refused, never dropped or converted: a missing field would
 * reach a merchant as a silent change of the interface.
 */
export function canonicalJson(value: Json): string {
  return write(value, '$', 0);
}

function write(value: unknown, path: string, depth: number): string {
  if (depth > MAX_DEPTH) throw new TypeError(`JSON deeper than ${MAX_DEPTH} levels at ${path}`);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) {
    // Array.from, since map would skip the holes of a sparse array.
    return `[${Array.from(value, (item, index) => write(item, `${path}[${index}]`, depth + 1)).join(',')}]`;
  }
  if (isPlainObject(value)) return writeObject(value, path, depth);
  throw new TypeError(`no JSON for ${nameOf(value)} at ${path}`);
}

/** Members are written in order here, because an object built in order would still list integer-like keys first. */
function writeObject(value: Record<string, unknown>, path: string, depth: number): string {
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${write(value[key], `${path}.${key}`, depth + 1)}`);
  return `{${members.join(',')}}`;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const nameOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? (value.constructor?.name ?? 'object') : String(value);

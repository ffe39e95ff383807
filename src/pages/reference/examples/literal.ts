import { isObject } from '../../../kit/json.ts';

/** How a language writes the values that JSON has. */
export interface LiteralStyle {
  text(value: string): string;
  /** The name of a field, with what stands between it and its value. */
  key(name: string): string;
  object: readonly [open: string, close: string];
  emptyObject: string;
  true: string;
  false: string;
  null: string;
  /** One step inwards. */
  indent: string;
}

/** A JSON value as a literal of a language, each field on a line of its own. */
export function literalOf(value: unknown, style: LiteralStyle, indent = ''): string {
  const inner = indent + style.indent;
  const lines = (open: string, close: string, parts: readonly string[]) =>
    `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`;
  if (Array.isArray(value))
    return value.length === 0
      ? '[]'
      : lines(
          '[',
          ']',
          value.map((item) => literalOf(item, style, inner)),
        );
  if (isObject(value)) {
    const fields = Object.entries(value);
    if (fields.length === 0) return style.emptyObject;
    const [open, close] = style.object;
    return lines(
      open,
      close,
      fields.map(([name, field]) => `${style.key(name)}${literalOf(field, style, inner)}`),
    );
  }
  if (typeof value === 'string') return style.text(value);
  if (typeof value === 'number') return String(value);
  return value === true ? style.true : value === false ? style.false : style.null;
}

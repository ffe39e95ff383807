import type { Report } from './command.ts';

/** Aligned text for a person at a terminal. */
type Cell = string | number | boolean | Date | null | readonly string[];

const GAP = '  ';

/** One name and value per line. */
export const facts = (entries: readonly (readonly [name: string, value: Cell])[]): string =>
  grid(entries.map(([name, value]) => [name, show(value)]));

/** A heading and one row per line; `nothing` if there are no rows. */
export function table(heading: readonly string[], rows: readonly (readonly Cell[])[], nothing: string) {
  if (rows.length === 0) return nothing;
  return grid([heading.map((title) => title.toUpperCase()), ...rows.map((row) => row.map(show))]);
}

/** The report of one thing: the same names in JSON and in text, and a last sentence in the text. */
export function factsReport(json: Readonly<Record<string, Cell>>, last?: string): Report {
  const text = facts(Object.entries(json));
  return { json, text: last === undefined ? text : `${text}\n\n${last}` };
}

export const SAVE_KEY = 'Save the key now: it is shown only once.';

/** The report of a list: a heading for each of the items' fields. */
export function listReport<Item extends { [Name in keyof Item]: Cell }>(
  heading: readonly string[],
  items: readonly Item[],
  nothing: string,
): Report {
  const rows = items.map((item) => Object.values<Cell>(item));
  return { json: { items }, text: table(heading, rows, nothing) };
}

function grid(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, [...cell].length);
    });
  const padded = rows.map((row) => row.map((cell, column) => pad(cell, widths[column] ?? 0)));
  return padded.map((row) => row.join(GAP).trimEnd()).join('\n');
}

const pad = (cell: string, width: number): string => cell + ' '.repeat(width - [...cell].length);

function show(value: Cell): string {
  if (value === null) return '-';
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : value.join(',');
  // Text from outside, such as an endpoint's last error, must not move the terminal's cursor.
  return text.replace(/\p{Cc}/gu, ' ') || '-';
}

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { STORE_KINDS, TRACKING_KINDS } from '../../src/connections/kinds/kind.ts';
import { kindOf, storeKind } from '../../src/connections/kinds.ts';
import { CALL_OUTCOMES } from '../../src/connections/results.ts';
import { CALL_REASONS } from '../../src/pages/dashboard/connections/reasons.ts';

const FOLDER = new URL('../../docs/connections/', import.meta.url);
const page = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');
const overview = page('README.md');

/** The cells of the rows of the table below `heading`. */
function tableBelow(heading: string): string[][] {
  const rows =
    overview.slice(overview.indexOf(heading)).split('\n\n| ')[1]?.split('\n\n')[0]?.split('\n') ?? [];
  return rows
    .filter((row) => !/^\|? ?-/.test(row))
    .map((row) =>
      row
        .replace(/^\| /, '')
        .split('|')
        .map((cell) => cell.trim()),
    );
}
const words = (cell: string | undefined): string[] =>
  [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

test('the table of what is told by default is that of the kinds', () => {
  const [heading = [], ...rows] = tableBelow('## What is told');
  for (const name of STORE_KINDS) {
    const { title, statuses } = storeKind(name);
    const told = rows.flatMap((row) =>
      words(row[heading.indexOf(title)]).map((word) => [word, words(row[0])[0] ?? null] as const),
    );
    expect(Object.fromEntries(told), title).toEqual(statuses);
  }
});

test('the page explains every outcome, and every reason that the dashboard does', () => {
  const named = [...overview.matchAll(/^\| `([\w.]+)` +\| /gm)].map(([, word = '']) => word);
  const missing = [...CALL_OUTCOMES, ...Object.keys(CALL_REASONS)].filter((word) => !named.includes(word));
  expect(missing).toEqual([]);
});

test('every kind has a page, and is in the overview', () => {
  const pages = readdirSync(FOLDER);
  for (const name of [...STORE_KINDS, ...TRACKING_KINDS]) {
    expect(pages).toContain(`${name}.md`);
    expect(overview).toContain(`[${kindOf(name).title}](${name}.md), \`${name}\``);
  }
});

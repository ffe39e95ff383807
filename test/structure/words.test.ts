import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What the people of a shop, its operator and its customers read. The reference speaks the API's words. */
const PLACES = [
  'src/pages/dashboard',
  'src/pages/operator',
  'src/pages/inbox',
  'src/pages/sandbox',
  'src/pages/home',
  'src/pages/kit',
  'src/messages/timelineWords.ts',
  'src/providers/phrases.ts',
];

/** What no page says, and what it says instead. */
const WORDS: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\bpersons?\b/i, 'customer; of a shop: member'],
  [/\brecipients?\b/i, 'customer; recipient is the API’s word'],
  [/\btexts?\b/i, 'SMS for the channel, message for what the shop writes'],
  [/\btext(?:ed|ing)\b/i, 'to get or send an SMS'],
  [/\bcall(?:s|ed|ing)? off\b/i, 'cancel'],
  [/\bt(?:ake|akes|aken|aking|ook)\b[^.]{0,20}\bback\b/i, 'retract'],
];

/** Where the word means something else. */
const ALLOWED = [
  // Of characters without a layout.
  /plain text/i,
  /\bAs text\b/,
  // The database's types, and those of files.
  /::text/,
  /^text\/\w+/,
  /^\s*(?:select|with|insert|update|from|where|\()/,
];

interface Phrase {
  file: string;
  text: string;
}

const isMachines = (node: object): boolean =>
  'type' in node &&
  node.type === 'JSXAttribute' &&
  'name' in node &&
  /^(?:class|id|name|href|type|for|action|d|viewBox)$/.test(String(Object(node.name).name));

const files = PLACES.flatMap((place) =>
  place.endsWith('.ts')
    ? [place]
    : readdirSync(join(ROOT, place), { recursive: true, encoding: 'utf8' }).map((file) => `${place}/${file}`),
).filter((file) => /\.tsx?$/.test(file) && !/(?:\.test\.tsx?|sql\.ts|Sql\.ts)$/.test(file));

/** Every text of a file that can be words: with a space in it, or beginning like a label. */
const phrases: Phrase[] = files.flatMap((file) => {
  const { program, errors } = parseSync(file, readFileSync(join(ROOT, file), 'utf8'));
  if (errors[0] !== undefined) throw new Error(`${file} does not parse: ${errors[0].message}`);
  return textsIn(program)
    .filter((text) => /\s/.test(text.trim()) || /^[A-Z][a-z]+$/.test(text))
    .map((text) => ({ file, text }));
});

/** Of literals, templates and markup; not of imports, types and the attributes that only the machine reads. */
function textsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(textsIn);
  const { type, value } = Object.fromEntries(Object.entries(node));
  if (/^(?:Import|TS)/.test(String(type)) && !/^TS(?:As|Satisfies|NonNull)/.test(String(type))) return [];
  if (isMachines(node)) return [];
  if ((type === 'Literal' || type === 'JSXText') && typeof value === 'string') return [value];
  if (type === 'TemplateElement') return Object.values(Object(value)).slice(-1).map(String);
  return Object.values(node).flatMap(textsIn);
}

test('there are phrases to look at', () => {
  for (const place of PLACES)
    expect(
      phrases.some(({ file }) => file.startsWith(place)),
      place,
    ).toBe(true);
  expect(phrases.length).toBeGreaterThan(1_500);
});

test.each(WORDS)('no page says %s', (word, instead) => {
  const found = phrases.filter(
    ({ text }) => word.test(text) && !ALLOWED.some((allowed) => allowed.test(text)),
  );
  expect(
    found.map(({ file, text }) => `${file}: “${text.trim().replace(/\s+/g, ' ')}”`),
    instead,
  ).toEqual([]);
});

import { expect, test } from 'vitest';
import { LANGUAGE_TAG } from '../../src/contract/schema.ts';
import { hostileTexts, type Pattern, patternsOfSource } from './patterns.ts';

/**
 * Lengths grow slowly at first: what takes exponential time is caught before it takes for ever. Then by eight: work that
 * grows with the square grows by 64, far from the fair 24, and tells on a fast machine too. What grows with the cube tells at
 * 1,024: at 4,096 it would take half a minute.
 */
const LENGTHS = [12, 18, 24, 64, 512, 1_024, 4_096, 32_768];
/** Below this much work nothing can be said of growth. In milliseconds of this process's own time, not of the clock. */
const TELLING_MS = 40;
/** Chance does not take this long, so a second try would tell nothing new. */
const CERTAIN_MS = 1_000;
/** Twice the text, twice the work: so much more is put down to chance, and quadratic growth is far above. */
const LENIENCY = 3;
/** The shortest time that can be told from none. */
const LEAST_MS = 0.05;

/** The work of matching the text, in milliseconds of processor time; the least of a few tries. */
function workOn({ regex }: Pattern, text: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3; tries += 1) {
    const before = process.cpuUsage();
    text.replace(regex, '');
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
    if (least < TELLING_MS || least > CERTAIN_MS) break;
  }
  return least;
}

/** Where the work on some text grows faster than the text; null where it never does. */
function superLinear(pattern: Pattern): string | null {
  for (const textOf of hostileTexts(pattern.regex)) {
    let before = { length: 0, work: 0 };
    for (const length of LENGTHS) {
      const text = textOf(length);
      const work = workOn(pattern, text);
      const fair = (LENIENCY * before.work * length) / Math.max(1, before.length);
      if (work > TELLING_MS && work > fair)
        return `${pattern.place} ${pattern.regex} on ${JSON.stringify(text.slice(0, 24))}… (${length}: ${Math.round(work)} ms)`;
      before = { length, work: Math.max(work, LEAST_MS) };
    }
  }
  return null;
}

const { literals, made } = patternsOfSource();

test('the search notices patterns that are known to be bad, and lets good ones pass', () => {
  const judge = (regex: RegExp): boolean => superLinear({ place: 'here', regex }) !== null;
  expect([/^(a+)+$/, /^(\w|a)*!$/, /\s+$/, /^\d*\d*\d*x$/].map(judge)).toEqual([true, true, true, true]);
  expect([/^[a-z]+@[a-z]+$/, /^\s+/, /a/g].map(judge)).toEqual([false, false, false]);
});

test('no regular expression of the source takes longer than its text on hostile input', () => {
  expect(literals.length).toBeGreaterThan(100);
  expect(literals.flatMap((pattern) => superLinear(pattern) ?? [])).toEqual([]);
});

test('nor does that of language tags, which is more than a repeated class', () => {
  const regex = new RegExp(LANGUAGE_TAG, 'u');
  expect(superLinear({ place: 'LANGUAGE_TAG', regex })).toBeNull();
  for (const piece of ['-aaa', '-aaaaa', '-1aaa', '-a-aa', '-x-a', '-x-aa-x-aa'])
    expect(workOn({ place: 'LANGUAGE_TAG', regex }, `en${piece.repeat(10_000)}!`)).toBeLessThan(TELLING_MS);
});

test('where a regular expression is made from text, somebody has looked at what may be in it', () => {
  // Those of the schemas, which must be a class repeated between anchors to be taken, and those that are known to be linear.
  expect(made.map((place) => place.replace(/:\d+$/, '')).sort()).toEqual([
    'api/validation/strings.ts',
    'connections/kinds/parcel.ts',
    'pages/kit/linkify.ts',
  ]);
});

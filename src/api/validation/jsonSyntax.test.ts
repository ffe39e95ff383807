import fc from 'fast-check';
import { expect, test } from 'vitest';
import { syntaxFault } from './jsonSyntax.ts';

test.each([
  ['', 0, 'a value'],
  ['[1,2', 4, 'a comma or "]"'],
  ['[1,]', 3, 'a value'],
  ['[,1]', 1, 'a value or "]"'],
  ['[1}', 2, 'a comma or "]"'],
  ['{"a" 1}', 5, 'a colon'],
  ['{a: 1}', 1, 'a name in double quotes or "}"'],
  ["{'a': 1}", 1, 'a name in double quotes or "}"'],
  ['{"a": 1 "b": 2}', 8, 'a comma or "}"'],
  ['{"a": 1,}', 8, 'a name in double quotes'],
  ['01', 1, 'the end'],
  ['1.', 1, 'the end'],
  ['-', 0, 'a value'],
  ['NaN', 0, 'a value'],
  ['True', 0, 'a value'],
  ['"a', 2, 'a closing quote'],
  ['"\\x"', 1, 'a valid escape'],
  ['"\\u12"', 1, 'a valid escape'],
  ['"\t"', 1, 'a closing quote'],
  ['\u00a01', 0, 'a value'],
])('%j breaks at %i, where %s should be', (text, at, expected) => {
  expect(syntaxFault(text)).toEqual({ at, expected });
});

test('whatever JSON.parse refuses has a place, and nothing else has', () => {
  const piece = fc.constantFrom(
    ...'{}[],:"\\ \n\tae0159.-+u',
    'true',
    'null',
    '"a"',
    '1e5',
    '\\u00e9',
    '\u0000',
    'é',
  );
  const almostJson = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
    fc
      .tuple(fc.json(), fc.nat(), fc.nat({ max: 2 }), piece)
      .map(
        ([text, n, cut, added]) =>
          text.slice(0, n % text.length) + added + text.slice((n % text.length) + cut),
      ),
  );
  fc.assert(
    fc.property(almostJson, (text) => {
      expect(syntaxFault(text) === null).toBe(parses(text));
    }),
    { numRuns: 20_000 },
  );
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

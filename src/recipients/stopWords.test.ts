import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inboundCommand } from './stopWords.ts';

const stops = [
  'STOP',
  'STOPALL',
  'STOP ALL',
  'UNSUBSCRIBE',
  'CANCEL',
  'END',
  'QUIT',
  'REVOKE',
  'OPTOUT',
  'OPT OUT',
  'OPT-OUT',
];
const starts = ['START', 'UNSTOP'];
const helps = ['HELP', 'INFO'];

describe('a text that is nothing but the word is a command', () => {
  test.each([
    ...stops.map((word) => [word, 'stop'] as const),
    ...starts.map((word) => [word, 'start'] as const),
    ...helps.map((word) => [word, 'help'] as const),
    ['stop', 'stop'],
    ['Stop.', 'stop'],
    ['  sToP \n', 'stop'],
    ['“STOP”', 'stop'],
    ['STOP!!!', 'stop'],
    ['*stop*', 'stop'],
    ['stop 🙏', 'stop'],
    ['stop ❤️', 'stop'],
    ['\u200BStop\uFEFF', 'stop'],
    ['ＳＴＯＰ', 'stop'],
    ['stop  all', 'stop'],
    ['Start!', 'start'],
    ['help?', 'help'],
  ] as const)('%j is %s', (text, command) => {
    expect(inboundCommand(text)).toBe(command);
  });
});

describe('anything else is a message', () => {
  test.each([
    '',
    ' ',
    '...',
    'please stop',
    'stop it',
    'Please stop by the shop',
    'nonstop',
    'STOPS',
    'STOP START',
    'don’t stop',
    'S T O P',
    'the end',
    'yes',
    'unsubscribed',
    'constructor',
    `stop${'!'.repeat(100)}`,
  ])('%j', (text) => {
    expect(inboundCommand(text)).toBeNull();
  });
});

test('case, blanks and punctuation around a word never change what it means', () => {
  const around = fc.string({ unit: fc.constantFrom(...' .!?,;:"\'()*-_\n…'), maxLength: 8 });
  const word = fc.constantFrom(...stops, ...starts, ...helps);
  const cased = fc
    .tuple(word, fc.infiniteStream(fc.boolean()))
    .map(([letters, coins]) =>
      [...letters].map((letter) => (coins.next().value ? letter.toLowerCase() : letter)).join(''),
    );
  fc.assert(
    fc.property(around, cased, around, (before, text, after) => {
      expect(inboundCommand(`${before}${text}${after}`)).toBe(inboundCommand(text.toUpperCase()));
    }),
  );
});

test('a word with other words around it is never a command', () => {
  const words = fc.constantFrom('please', 'the', 'my order', 'now', 'не');
  fc.assert(
    fc.property(words, fc.constantFrom(...stops, ...starts, ...helps), words, (before, word, after) => {
      expect(inboundCommand(`${before} ${word}`)).toBeNull();
      expect(inboundCommand(`${word} ${after}`)).toBeNull();
    }),
  );
});

test('a very long text is read at once', () => {
  const started = performance.now();
  expect(inboundCommand('! '.repeat(500_000))).toBeNull();
  expect(performance.now() - started).toBeLessThan(2_000);
});

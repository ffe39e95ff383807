import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tracesIn } from './traces.ts';

const secret = 'Zebrafish canary <ünïcode> +1';
const canaries = [{ name: 'secret', text: secret }];

test('a trace is found in every spelling, wherever it stands', () => {
  const spell: Record<string, (text: string) => string> = {
    plain: (text) => text,
    'lower case': (text) => text.toLowerCase(),
    url: (text) => encodeURIComponent(text),
    form: (text) => new URLSearchParams({ text }).toString(),
    base64: (text) => Buffer.from(text).toString('base64'),
    base64url: (text) => Buffer.from(text).toString('base64url'),
    'lower case in base64': (text) => Buffer.from(text.toLowerCase()).toString('base64'),
    hex: (text) => Buffer.from(text).toString('hex'),
    json: (text) => JSON.stringify({ text }),
  };
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(spell)), fc.string(), fc.string(), (how, before, after) => {
      expect(tracesIn(spell[how]?.(before + secret + after) ?? '', canaries)).toEqual(['secret']);
    }),
  );
});

test('what is not there is not found', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (text) => {
      expect(tracesIn(text, canaries)).toEqual([]);
    }),
  );
});

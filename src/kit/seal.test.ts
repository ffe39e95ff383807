import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OperatorError } from './errors.ts';
import { createHasher, createSealer } from './seal.ts';

const SECRET = 'whsec_0123456789abcdefghijklmnopqrstuvwxyz0123';
const PLACE = 'webhook_endpoint:e1';

describe('a sealed secret', () => {
  const sealer = createSealer(['first key']);

  test('opens where it was sealed, whatever the text and the place', () => {
    const texts = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(texts, texts, (text, place) => {
        expect(sealer.open(sealer.seal(text, place), place)).toBe(text);
      }),
    );
  });

  test('does not show the text, its place or the key', () => {
    const sealed = sealer.seal(SECRET, PLACE).toString('latin1');
    for (const hidden of [SECRET, 'whsec_', PLACE, 'first key']) expect(sealed).not.toContain(hidden);
  });

  test('looks different each time, so equal secrets cannot be told', () => {
    expect(sealer.seal(SECRET, PLACE).equals(sealer.seal(SECRET, PLACE))).toBe(false);
  });

  test('does not open in another place', () => {
    const sealed = sealer.seal(SECRET, PLACE);
    expect(() => sealer.open(sealed, 'webhook_endpoint:e2')).toThrow(
      'the sealed secret of webhook_endpoint:e2 was altered, or belongs to another row',
    );
  });

  test('does not open after any one bit was changed, nor cut or lengthened', () => {
    const sealed = sealer.seal('text', PLACE);
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const altered = Buffer.from(sealed);
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => sealer.open(altered, PLACE)).toThrow(PLACE);
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => sealer.open(sealed.subarray(0, length), PLACE)).toThrow(PLACE);
    }
    expect(() => sealer.open(Buffer.concat([sealed, Buffer.of(0)]), PLACE)).toThrow('altered');
  });

  test('of an unknown version says so', () => {
    const sealed = sealer.seal('text', PLACE);
    sealed[0] = 2;
    expect(() => sealer.open(sealed, PLACE)).toThrow('unknown version');
  });

  test('opens from what a database driver hands out, which need not be a Buffer', () => {
    expect(sealer.open(new Uint8Array(sealer.seal(SECRET, PLACE)), PLACE)).toBe(SECRET);
  });
});

describe('changing SECRET_KEY', () => {
  const before = createSealer(['old']).seal(SECRET, PLACE);

  test('the new key in front seals, the old one behind it still opens', () => {
    const rotated = createSealer(['new', 'old']);
    expect(rotated.open(before, PLACE)).toBe(SECRET);
    expect(createSealer(['new']).open(rotated.seal(SECRET, PLACE), PLACE)).toBe(SECRET);
  });

  test('without the old key the operator is told what is missing, and for what', () => {
    expect(() => createSealer(['new']).open(before, PLACE)).toThrow(OperatorError);
    expect(() => createSealer(['new']).open(before, PLACE)).toThrow(
      /^The secret of webhook_endpoint:e1 was sealed with a key that SECRET_KEY does not list/,
    );
  });

  test('no key, or an empty one, stops the start', () => {
    expect(() => createSealer([])).toThrow(OperatorError);
    expect(() => createSealer(['good', ''])).toThrow(OperatorError);
  });
});

describe('a keyed hash', () => {
  const hash = createHasher(Buffer.alloc(32, 1));

  test('is the same for the same text, and tells kinds, texts and peppers apart', () => {
    const email = hash('email', 'ann@example.com');
    expect(email).toHaveLength(32);
    expect(hash('email', 'ann@example.com').equals(email)).toBe(true);
    expect(hash('phone', 'ann@example.com').equals(email)).toBe(false);
    expect(hash('email', 'ann@example.co').equals(email)).toBe(false);
    expect(createHasher(Buffer.alloc(32, 2))('email', 'ann@example.com').equals(email)).toBe(false);
  });

  test('keeps its value from release to release: what is stored must still be found', () => {
    expect(hash.hex('phone', '+37255501340')).toBe(
      '97134271fd2d5218ac78f812989707e040c4142b8fbca4a0080eed0ba6fe2753',
    );
  });

  test('needs a pepper that cannot be guessed', () => {
    expect(() => createHasher(Buffer.alloc(15))).toThrow(RangeError);
  });
});

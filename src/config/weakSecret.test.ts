import { randomBytes, randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { weaknessOf } from './weakSecret.ts';

const SHORT = 'must have at least 32 characters';
const FEW = 'must have at least 6 different characters';
const REPEATS = 'must not repeat a shorter text';
const COMMON = 'must not be made of common words, sequences or keyboard rows';

test.each([
  ['', SHORT],
  ['short', SHORT],
  ['9f86d081884c7d659a2feaa0c55ad01', SHORT],
  ['a'.repeat(32), FEW],
  ['01'.repeat(40), FEW],
  ['aabbccddeeaabbccddeeaabbccddeeabcde', FEW],
  ['abcdefgh'.repeat(4), REPEATS],
  ['0123456789'.repeat(4), REPEATS],
  ['changeme'.repeat(4), REPEATS],
  ['9f86d081884c7d65'.repeat(2), REPEATS],
  [`${'9f86d081884c7d65'.repeat(2)}9f86`, REPEATS],
  ['abcdefghijklmnopqrstuvwxyz012345', COMMON],
  ['abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', COMMON],
  ['zyxwvutsrqponmlkjihgfedcba987654', COMMON],
  ['aaaabbbbccccddddeeeeffffgggghhhh', COMMON],
  ['qwertyuiopasdfghjklzxcvbnm1234567890', COMMON],
  ['change-me-change-this-secret-please', COMMON],
  ['CHANGE_ME_SUPER_SECRET_PASSWORD_KEY', COMMON],
  ['supersecretpasswordsupersecretkey123', COMMON],
  ['<your-very-long-random-secret-key-here>', COMMON],
  ['waypost-production-secret-key-12345', COMMON],
])('%j %s', (secret, weakness) => {
  expect(weaknessOf(secret)).toBe(weakness);
});

test.each([
  '9f86d081884c7d659a2feaa0c55ad015',
  '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
  'b2Rk-x9_Jd0sKq4vWm7LtZy1Ae3UcNfG',
  '31415926535897932384626433832795',
  'correct horse battery staple orbit lamp',
])('%j will do', (secret) => {
  expect(weaknessOf(secret)).toBeNull();
});

const SAMPLES = 10_000;
const digits = (): string => Array.from({ length: 40 }, () => randomInt(10)).join('');

test.each([
  ['32 hexadecimal digits', () => randomBytes(16).toString('hex')],
  ['64 hexadecimal digits', () => randomBytes(32).toString('hex')],
  ['32 characters of base64', () => randomBytes(24).toString('base64')],
  ['32 characters of base64url', () => randomBytes(24).toString('base64url')],
  ['40 decimal digits', digits],
])('random text always will do: %s', (_kind, random) => {
  const secrets = Array.from({ length: SAMPLES }, random);
  expect(secrets.filter((secret) => weaknessOf(secret) !== null)).toEqual([]);
});

test('a random text that is repeated, or filled up with a sequence, does not gain by it', () => {
  for (let sample = 0; sample < 1_000; sample += 1) {
    const short = randomBytes(8)
      .toString('hex')
      .slice(0, 1 + randomInt(15));
    expect(weaknessOf(short.repeat(Math.ceil(32 / short.length)))).not.toBeNull();
    expect(weaknessOf(`${short}abcdefghijklmnopqrstuvwxyz0123456789`)).not.toBeNull();
  }
});

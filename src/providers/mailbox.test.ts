import { describe, expect, test } from 'vitest';
import { headersToPass, mailbox } from './mailbox.ts';

describe('a sender with its name', () => {
  test.each([
    ['Acme Books', '"Acme Books" <a@b.example>'],
    ['Acme, Inc.', '"Acme, Inc." <a@b.example>'],
    ['"Quoted" \\ Ltd', '"\\"Quoted\\" \\\\ Ltd" <a@b.example>'],
    ['Evil <x@y.example>', '"Evil <x@y.example>" <a@b.example>'],
    ['Zoë', '"Zoë" <a@b.example>'],
    ['', 'a@b.example'],
  ])('%s', (name, written) => expect(mailbox(name, 'a@b.example')).toBe(written));

  test('in ASCII, letters outside it are encoded, in words of at most 75 characters that end between letters', () => {
    const name = `${'Ünïcödé ☃ '.repeat(6)}🎁`;
    const written = mailbox(name, 'a@b.example', 'ascii');
    expect(written).toMatch(/^[\x20-\x7e]+$/);
    const words = [...written.matchAll(/=\?UTF-8\?B\?([\w+/=]+)\?=/g)];
    expect(Math.max(...words.map(([word]) => word.length))).toBeLessThanOrEqual(75);
    const decoded = words.map(([, word = '']) => Buffer.from(word, 'base64').toString('utf8'));
    expect(decoded.join('')).toBe(name);
    expect(decoded.join('')).not.toContain('\uFFFD');
  });

  test('in ASCII, a name that already is stays as it is', () => {
    expect(mailbox('Acme, Inc.', 'a@b.example', 'ascii')).toBe('"Acme, Inc." <a@b.example>');
  });
});

test('everything is passed on but the Message-ID, in any writing', () => {
  expect(headersToPass({ 'Message-ID': '<x>', 'message-id': '<y>', 'List-Unsubscribe': '<z>' })).toEqual([
    ['List-Unsubscribe', '<z>'],
  ]);
});

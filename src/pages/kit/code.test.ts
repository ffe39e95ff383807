import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Curl, Inline, JsonCode } from './code.tsx';

/** What a person copies: the text without the marks. */
const copied = (element: JSX.Element): string =>
  String(element)
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&#34;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

const shellReads = (command: string): string[] =>
  execFileSync('sh', ['-c', command.replace(/^curl /, 'printf "%s\\0" ')], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

test('a call that is pasted into a shell sends just what was shown', () => {
  const text = fc.string({ maxLength: 20, unit: 'grapheme' }).filter((part) => !part.includes('\0'));
  fc.assert(
    fc.property(
      fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null))),
      (body) => {
        const command = copied(Curl({ method: 'POST', url: 'https://a.example/x', bearer: 'key', body }));
        const words = shellReads(command);
        expect(words.slice(0, -1)).toEqual([
          '-s',
          'https://a.example/x',
          '-H',
          'Authorization: Bearer key',
          '-H',
          'Content-Type: application/json',
          '-d',
        ]);
        expect(JSON.parse(words.at(-1) ?? '')).toEqual(JSON.parse(JSON.stringify(body)));
      },
    ),
    { numRuns: 40 },
  );
});

test('a method is named where curl would not choose it', () => {
  const call = { url: 'https://a.example/x?limit=5', bearer: '$KEY' };
  expect(copied(Curl({ ...call, method: 'GET' }))).toBe(
    `curl -s 'https://a.example/x?limit=5' \\\n  -H "Authorization: Bearer $KEY"`,
  );
  expect(copied(Curl({ ...call, method: 'DELETE' }))).toContain('curl -s -X DELETE ');
  expect(copied(Curl({ ...call, method: 'POST', idempotencyKey: 'a' }))).toContain('-X POST');
  expect(copied(Curl({ ...call, method: 'PUT', body: {} }))).toContain('-X PUT');
});

test('JSON keeps every character, whatever it holds', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(copied(JsonCode({ text: json }))).toBe(json);
    }),
  );
});

test('markup in text stays text', () => {
  expect(String(JsonCode({ text: '{"<b>": "<script>"}' }))).not.toMatch(/<b>|<script>/);
  expect(String(Inline({ text: 'a <b> `<i>`' }))).toBe('a &lt;b> <code>&lt;i></code>');
});

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { canRunAgain, reasonSentence } from './reasons.ts';

const FOLDER = new URL('../../../connections/', import.meta.url);
/** A reason stands where a call is read or decided. */
const REASON = /(?:reason: |untold\(|nothing\(|notUnderstood\()'([a-z_.]+)'/g;

const sources = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
);
const reasons = new Set(
  sources.flatMap((name) =>
    [...readFileSync(new URL(name, FOLDER), 'utf8').matchAll(REASON)].map(([, reason = '']) => reason),
  ),
);

test('every reason that the code of connections gives is a sentence in the log', () => {
  expect(reasons.size).toBeGreaterThan(15);
  expect([...reasons].filter((reason) => !/^[A-Z].*\.$/.test(reasonSentence(reason) ?? ''))).toEqual([]);
});

test.each([
  [null, null],
  ['', null],
  ['plan.read_only', 'The plan has lapsed; keys cannot be created until it is renewed.'],
  ['constructor', 'constructor'],
  ['<b>of another version</b>', '<b>of another version</b>'],
])('the reason %j reads %j', (reason, sentence) => {
  expect(reasonSentence(reason)).toBe(sentence);
});

const call = (outcome: Parameters<typeof canRunAgain>[0]['outcome'], reason: string | null = null) => ({
  ...{ id: 'a', received_at: '', topic: 't', order: null, message_id: null, would_push: null },
  outcome,
  reason,
});

test('a call of which nothing came can be run again; a ping and what was sent cannot', () => {
  expect(canRunAgain(call('not_understood', 'not_json'))).toBe(true);
  expect(canRunAgain(call('refused', 'business.inactive'))).toBe(true);
  expect(canRunAgain(call('nothing_to_tell', 'no_email'))).toBe(true);
  expect(canRunAgain(call('nothing_to_tell', 'ping'))).toBe(false);
  expect(canRunAgain(call('pushed'))).toBe(false);
  expect(canRunAgain(call(null))).toBe(false);
});

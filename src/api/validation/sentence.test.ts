import { expect, test } from 'vitest';
import { PushBody } from '../../contract/push.ts';
import type { Fault } from '../../kit/errors.ts';
import { fieldNames, sentenceFor } from './sentence.ts';
import { isStorable } from './text.ts';

const fault = (loc: Fault['loc'], msg = 'Field required'): Fault => ({
  type: 'missing',
  loc,
  msg,
  input: null,
});

test('a batch item is told the field and the fault of each mistake', () => {
  const faults = [
    fault(['recipient_email']),
    fault(['channels', 1], "Input should be 'email', 'sms' or 'whatsapp'"),
    fault(['whatsapp_opt_in', 'source']),
  ];
  expect(sentenceFor(faults)).toBe(
    "recipient_email: Field required; channels[1]: Input should be 'email', 'sms' or 'whatsapp'; whatsapp_opt_in.source: Field required",
  );
});

test('an item that is no object has no field to name', () => {
  expect(sentenceFor([fault([], 'Input should be a valid dictionary')])).toBe(
    'Input should be a valid dictionary',
  );
});

test('the sentence stays short', () => {
  expect(sentenceFor(Array(25).fill(fault(['x'])))).toMatch(/; and 15 more$/);
});

test('the sentence can be stored even when the name of the field cannot', () => {
  const sentence = sentenceFor([fault(['a\0', '\ud800'])]);
  expect(sentence).toBe('a\\u0000.\\ud800: Field required');
  expect(isStorable(sentence)).toBe(true);
});

test('names that are not among ours are left out where ours are given', () => {
  const ours = new Set(['channels', 'whatsapp_opt_in']);
  const faults = [
    fault(['channels', 1]),
    fault(['Ann Smith\0']),
    fault(['whatsapp_opt_in', 'ann@example.com', 0, '\ud800']),
  ];
  expect(sentenceFor(faults, ours)).toBe(
    'channels[1]: Field required; (unknown field): Field required; ' +
      'whatsapp_opt_in.(unknown field)[0].(unknown field): Field required',
  );
});

test('the fields of a push are known by name, at every depth', () => {
  const names = fieldNames(PushBody);
  expect([...names]).toEqual(
    expect.arrayContaining(['recipient_email', 'channels', 'whatsapp_opt_in', 'source']),
  );
  expect(names.has('description')).toBe(false);
});

test('a schema without fields has none', () => {
  expect(fieldNames({ type: 'string' }).size).toBe(0);
});

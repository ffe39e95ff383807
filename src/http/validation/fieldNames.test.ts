import { expect, test } from 'vitest';
import { PushBody } from '../../contract/push.ts';
import { fieldNames } from './fieldNames.ts';

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

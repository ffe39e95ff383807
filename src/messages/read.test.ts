import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newId } from '../kit/ids.ts';
import { cursorAt, idAt } from './read.ts';

const ID = newId(new Date('2026-08-20T09:15:00.000Z'));

test('a cursor leads back to the place it was made at', () => {
  const ids = fc.string({
    unit: fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyz'),
    minLength: 12,
    maxLength: 64,
  });
  fc.assert(fc.property(ids, (id) => idAt(cursorAt(id)) === id));
});

test('a cursor fits into a URL as it is', () => {
  expect(cursorAt(ID)).toMatch(/^[A-Za-z0-9_-]+$/);
});

test.each([
  ['nothing', ''],
  ['an id', ID],
  ['words', 'next page please'],
  ['a cursor cut short', cursorAt(ID).slice(0, -4)],
  ['a cursor with something added', `${cursorAt(ID)}A`],
  ['a cursor in another spelling', `${cursorAt(ID)}=`],
  ['a cursor with white space', ` ${cursorAt(ID)}`],
  ['two cursors', cursorAt(ID) + cursorAt(ID)],
  ['somebody else’s base64', Buffer.from(`before:${ID}`).toString('base64url')],
])('%s is no cursor of ours', (_, text) => {
  expect(idAt(text)).toBeNull();
});

test('no text that merely looks like one is a cursor', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => idAt(text) === null));
});

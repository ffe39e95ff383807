import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newId } from '../kit/ids.ts';
import { messageCursors } from './list.ts';

const ID = newId(new Date('2026-08-20T09:15:00.000Z'));

test('a cursor leads back to the place it was made at', () => {
  const ids = fc.string({
    unit: fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyz'),
    minLength: 12,
    maxLength: 64,
  });
  fc.assert(fc.property(ids, (id) => messageCursors.idIn(messageCursors.at(id)) === id));
});

test('a cursor fits into a URL as it is', () => {
  expect(messageCursors.at(ID)).toMatch(/^[A-Za-z0-9_-]+$/);
});

test.each([
  ['nothing', ''],
  ['an id', ID],
  ['words', 'next page please'],
  ['a cursor cut short', messageCursors.at(ID).slice(0, -4)],
  ['a cursor with something added', `${messageCursors.at(ID)}A`],
  ['a cursor in another spelling', `${messageCursors.at(ID)}=`],
  ['a cursor with white space', ` ${messageCursors.at(ID)}`],
  ['two cursors', messageCursors.at(ID) + messageCursors.at(ID)],
  ['somebody else’s base64', Buffer.from(`before:${ID}`).toString('base64url')],
])('%s is no cursor of ours', (_, text) => {
  expect(messageCursors.idIn(text)).toBeNull();
});

test('no text that merely looks like one is a cursor', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => messageCursors.idIn(text) === null),
  );
});

import { expect, test } from 'vitest';
import { parsePidFile } from './server.ts';

test.each([
  [
    'a server that is up',
    '42\n/data\n1763172000\n5432\n/tmp/sock\n\n  123  4\nready   \n',
    { pid: 42, socketFolder: '/tmp/sock', isReady: true },
  ],
  [
    'a server that has only just begun',
    '42\n/data\n1763172000\n5432\n',
    { pid: 42, socketFolder: null, isReady: false },
  ],
  ['an empty file, as a power cut may leave it', '', null],
  ['a single-user session, which signs with a minus', '-42\n/data\n', null],
  ['something else', 'hello\n', null],
])('postmaster.pid of %s', (_, text, expected) => {
  expect(parsePidFile(text)).toEqual(expected);
});

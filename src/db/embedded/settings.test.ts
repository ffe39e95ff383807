import { expect, test } from 'vitest';
import { isDurable, settingFlags } from './settings.ts';

const setTo = (flags: string[], name: string): string | undefined =>
  flags.findLast((flag) => flag.startsWith(`${name}=`))?.slice(name.length + 1);

test('an acknowledged commit is on the disk unless the caller says otherwise', () => {
  for (const name of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    expect(setTo(settingFlags({}, '/run'), name)).toBe('on');
    expect(setTo(settingFlags({ [name]: 'off' }, '/run'), name)).toBe('off');
  }
  expect(isDurable({})).toBe(true);
  expect(isDurable({ fsync: 'off' })).toBe(false);
});

test('nothing listens on the network', () => {
  expect(setTo(settingFlags({}, '/run'), 'listen_addresses')).toBe('');
});

test('a comma or a quote in a folder’s name stays part of it', () => {
  expect(setTo(settingFlags({}, '/a, "b"'), 'unix_socket_directories')).toBe('"/a, ""b"""');
});

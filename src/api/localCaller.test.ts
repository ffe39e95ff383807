import { describe, expect, test } from 'vitest';
import { isLocalCaller } from './localCaller.ts';

const LOCAL = { host: 'localhost:8080' };

describe('by its address', () => {
  test.each([
    ['127.0.0.1', true],
    ['127.0.0.2', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['::ffff:7f00:1', true],
    ['10.0.0.5', false],
    ['172.17.0.1', false],
    ['192.168.1.5', false],
    ['::ffff:192.168.1.5', false],
    ['203.0.113.9', false],
    ['fe80::1', false],
    ['fe80::1%eth0', false],
    ['::', false],
    ['0.0.0.0', false],
    ['2001:db8::1', false],
    ['localhost', false],
    ['', false],
    [undefined, false],
  ])('%s', (peer, local) => {
    expect(isLocalCaller({ peer, headers: LOCAL })).toBe(local);
  });
});

describe('by the name it called, since a tunnel ends on this machine, too', () => {
  test.each([
    ['localhost', true],
    ['localhost:8080', true],
    ['127.0.0.1:8080', true],
    ['[::1]:8080', true],
    ['updates.example.com', false],
    ['localhost.evil.example', false],
    ['192.168.1.5:8080', false],
    ['', false],
    [undefined, false],
  ])('%s', (host, local) => {
    expect(isLocalCaller({ peer: '127.0.0.1', headers: { host } })).toBe(local);
  });
});

describe('not where a proxy has touched it, whatever the proxy says', () => {
  test.each([
    ['x-forwarded-for', '203.0.113.9'],
    ['x-forwarded-for', '127.0.0.1'],
    ['x-forwarded-for', ''],
    ['x-forwarded-host', 'localhost'],
    ['x-forwarded-proto', 'https'],
    ['x-forwarded-anything', 'at all'],
    ['forwarded', 'for=127.0.0.1'],
    ['x-real-ip', '127.0.0.1'],
    ['via', '1.1 proxy'],
    ['cf-connecting-ip', '127.0.0.1'],
  ])('%s: %s', (name, value) => {
    expect(isLocalCaller({ peer: '127.0.0.1', headers: { ...LOCAL, [name]: value } })).toBe(false);
  });

  test('other headers are no sign of one', () => {
    const headers = {
      ...LOCAL,
      accept: '*/*',
      'user-agent': 'curl',
      'x-request-id': 'x',
      connection: 'close',
    };
    expect(isLocalCaller({ peer: '127.0.0.1', headers })).toBe(true);
  });
});

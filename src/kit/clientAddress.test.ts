import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientAddressBehind, isProxyAmong, type Network, parseNetwork, sourceOf } from './clientAddress.ts';

const networks = (...texts: string[]): Network[] =>
  texts.map(parseNetwork).filter((network) => network !== null);
const asked = (
  proxies: readonly Network[],
  remoteAddress: string | undefined,
  forwardedFor?: string | string[],
) =>
  clientAddressBehind(proxies)({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwardedFor } });

const LOOPBACK = networks('127.0.0.0/8', '::1/128');
const PRIVATE = networks('10.0.0.0/8', '2001:db8:f::/48', '192.0.2.1');

describe('X-Forwarded-For counts only as far as trusted proxies wrote it', () => {
  test.each([
    ['no header', LOOPBACK, '127.0.0.1', undefined, '127.0.0.1'],
    ['one trusted proxy', LOOPBACK, '127.0.0.1', '203.0.113.9', '203.0.113.9'],
    [
      'a spoofed entry before the true one',
      LOOPBACK,
      '127.0.0.1',
      '198.51.100.1, 203.0.113.9',
      '203.0.113.9',
    ],
    ['a stranger with a header', LOOPBACK, '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['a private peer that is not named', LOOPBACK, '10.0.0.7', '198.51.100.1', '10.0.0.7'],
    ['two trusted proxies', PRIVATE, '10.0.0.7', '203.0.113.9, 192.0.2.1', '203.0.113.9'],
    ['an untrusted hop between', PRIVATE, '10.0.0.7', '203.0.113.9, 192.0.2.2, 10.1.1.1', '192.0.2.2'],
    ['trusted proxies alone', PRIVATE, '10.0.0.7', '10.0.0.9, 10.0.0.8', '10.0.0.9'],
    ['a mapped peer', PRIVATE, '::ffff:10.0.0.7', '203.0.113.9', '203.0.113.9'],
    ['a mapped entry', PRIVATE, '10.0.0.7', '::ffff:203.0.113.9', '203.0.113.9'],
    ['a mapped block', networks('::ffff:10.0.0.0/104'), '10.0.0.7', '203.0.113.9', '203.0.113.9'],
    ['IPv6', PRIVATE, '2001:db8:f::1', '2001:DB8:0:0:0:0:0:7', '2001:db8::7'],
    ['an IPv6 block of everyone is none of IPv4', networks('::/0'), '10.0.0.7', '203.0.113.9', '10.0.0.7'],
    ['a port behind the address', LOOPBACK, '127.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['a port behind IPv6', LOOPBACK, '::1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['several headers', LOOPBACK, '127.0.0.1', ['198.51.100.1', '203.0.113.9'], '203.0.113.9'],
    ['nonsense', LOOPBACK, '127.0.0.1', 'nonsense', '127.0.0.1'],
    ['nonsense last', LOOPBACK, '127.0.0.1', '203.0.113.9, unknown', '127.0.0.1'],
    ['nonsense first', LOOPBACK, '127.0.0.1', 'unknown, 203.0.113.9', '203.0.113.9'],
    ['an empty entry', LOOPBACK, '127.0.0.1', '203.0.113.9,', '127.0.0.1'],
    ['another spelling of loopback', LOOPBACK, '127.0.0.1', '203.0.113.9, 127.1', '127.0.0.1'],
    ['no proxy trusted', [], '127.0.0.1', '203.0.113.9', '127.0.0.1'],
    ['a zone', networks('fe80::/10'), 'fe80::1%eth0', '203.0.113.9', '203.0.113.9'],
    ['a peer that is gone', LOOPBACK, undefined, '203.0.113.9', 'unknown'],
  ] as const)('%s', (_title, proxies, peer, forwardedFor, client) => {
    const header = typeof forwardedFor === 'object' ? [...forwardedFor] : forwardedFor;
    expect(asked(proxies, peer, header)).toBe(client);
  });

  const address = fc.oneof(fc.ipV4(), fc.ipV6());

  test('whatever a stranger writes, they count as themselves', () => {
    fc.assert(
      fc.property(address, fc.oneof(fc.string(), address), (peer, header) => {
        expect(asked([], peer, header)).toBe(asked([], peer));
      }),
    );
  });

  test('whatever a client writes before the entry of a trusted proxy changes nothing', () => {
    // No address of a trusted proxy, however it is spelled.
    const client = address.filter((text) => asked(LOOPBACK, text, '203.0.113.9') === asked([], text));
    fc.assert(
      fc.property(client, fc.oneof(fc.string(), address), (text, written) => {
        expect(asked(LOOPBACK, '127.0.0.1', `${written}, ${text}`)).toBe(asked([], text));
      }),
    );
  });
});

describe('a source', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['not an address', 'not an address'],
  ])('%s counts as %s', (address, source) => {
    expect(sourceOf(address)).toBe(source);
  });

  test('is a whole /64 of IPv6', () => {
    expect(sourceOf('2001:db8:1:2:3:4:5:6')).toBe(sourceOf('2001:db8:1:2::1'));
    expect(sourceOf('2001:db8:1:2::1')).not.toBe(sourceOf('2001:db8:1:3::1'));
  });
});

test.each([
  ['10.0.0.7', true],
  ['::ffff:10.0.0.7', true],
  ['2001:db8:f::9', true],
  ['192.0.2.2', false],
  ['', false],
  ['unknown', false],
])('a peer at %j is a trusted proxy: %s', (address, trusted) => {
  expect(isProxyAmong(PRIVATE)(address)).toBe(trusted);
});

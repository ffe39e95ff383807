import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { nameServer } from '../../test/support/nameServer.ts';
import { OperatorError } from '../kit/errors.ts';
import { createAllowList, createResolver, isPublicAddress, portOf } from './publicAddress.ts';

const open: readonly string[] = [
  ...['1.1.1.1', '8.8.8.8', '93.184.216.34', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0'],
  ...['126.255.255.255', '128.0.0.0', '168.63.129.15', '168.63.129.17', '169.253.255.255', '169.255.0.0'],
  ...['172.15.255.255', '172.32.0.0', '192.0.1.0', '192.0.3.0', '192.167.255.255', '192.169.0.0'],
  ...['198.17.255.255', '198.20.0.0', '203.0.112.255', '203.0.114.0', '223.255.255.255'],
  ...[
    '2001:200::1',
    '2001:4860:4860::8888',
    '2003::1',
    '2606:4700:4700::1111',
    '2620:4f:8001::1',
    '2a00:1450::1',
  ],
];

/** First and last address of every block that providers call non-public. */
const closedBlocks: readonly string[] = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16/32', '169.254.0.0/16'],
  ...[
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.31.196.0/24',
    '192.52.193.0/24',
    '192.88.99.0/24',
  ],
  ...[
    '192.168.0.0/16',
    '192.175.48.0/24',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
  ],
  ...['240.0.0.0/4'],
  ...[
    '::/96',
    '::ffff:0:0/96',
    '::ffff:0:0:0/96',
    '64:ff9b::/96',
    '64:ff9b:1::/48',
    '100::/64',
    '100:0:0:1::/64',
  ],
  ...['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20', '4000::/3', '5f00::/16'],
  ...['fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
];

describe('addresses of the public internet', () => {
  test.each(open)('%s is one', (ip) => {
    expect(isPublicAddress(ip)).toBe(true);
  });
});

describe('addresses set aside', () => {
  test.each(closedBlocks)('none of %s is public, from its first to its last', (block) => {
    for (const ip of edgesOf(block)) expect([ip, isPublicAddress(ip)]).toEqual([ip, false]);
  });

  test.each(['169.254.169.254', '100.100.100.200', '192.0.0.192', '168.63.129.16', 'fd00:ec2::254'])(
    'the metadata service at %s is not reached',
    (ip) => {
      expect(isPublicAddress(ip)).toBe(false);
    },
  );
});

describe('what is no plain address', () => {
  const odd = [
    ...[
      '',
      ' ',
      'localhost',
      'example.com',
      '1.1.1',
      '1.1.1.1.1',
      '256.1.1.1',
      ' 1.1.1.1',
      '1.1.1.1 ',
      '1.1.1.1:80',
    ],
    ...['0x01010101', '16843009', '01.01.01.01', '1.1.257', '①.1.1.1', '1.1.1.1/32', '[2606:4700::1]'],
    ...['2606:4700::1%eth0', '2606:4700::1%', 'fe80::1%1', '2606:4700:::1', '::ffff:1.1.1.1', '2606:4700::g'],
  ];
  test.each(odd)('"%s" is not public', (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });
});

/** The first and the last address of a block, and every one a single bit above the first. */
function edgesOf(block: string): string[] {
  const [base, length] = ipaddr.parseCIDR(block);
  const bytes = base.toByteArray();
  const withBits = (set: (bit: number) => boolean) =>
    ipaddr
      .fromByteArray(bytes.map((byte, index) => byte | bitsOf(index, (bit) => bit >= length && set(bit))))
      .toString();
  const free = Array.from({ length: bytes.length * 8 - length }, (_, offset) => length + offset);
  return [
    withBits(() => false),
    withBits(() => true),
    ...free.map((only) => withBits((bit) => bit === only)),
  ];
}

function bitsOf(byteIndex: number, isSet: (bit: number) => boolean): number {
  let byte = 0;
  for (let bit = 0; bit < 8; bit += 1) if (isSet(byteIndex * 8 + bit)) byte |= 0x80 >> bit;
  return byte;
}

describe('the operator’s allow-list', () => {
  const list = createAllowList([
    'localhost:9000',
    ' 127.0.0.1:8080 ',
    '[::1]:9000',
    'Hooks.Dev:80',
    'proxy.dev.:443',
  ]);

  const cases: [string, number, boolean][] = [
    ['localhost', 9000, true],
    ['localhost.', 9000, true],
    ['localhost', 9001, false],
    ['127.0.0.1', 9000, false],
    ['127.0.0.1', 8080, true],
    ['[::1]', 9000, true],
    ['::1', 9000, true],
    ['hooks.dev', 80, true],
    ['hooks.dev', 443, false],
    ['a.hooks.dev', 80, false],
    ['proxy.dev', 443, true],
    ['', 9000, false],
  ];
  test.each(cases)('%s port %i: %s', (host, port, allowed) => {
    expect(list.has(host, port)).toBe(allowed);
  });

  test('an empty one allows nothing', () => {
    expect(createAllowList([]).has('localhost', 80)).toBe(false);
  });

  const mistakes = [
    ...['localhost', 'localhost:', ':9000', 'localhost:0', 'localhost:65536', 'localhost:http', '*:9000', ''],
    ...[
      'http://localhost:9000',
      'localhost:9000/hook',
      'ann@localhost:9000',
      '::1:9000',
      '[::1]',
      '[::1:9000',
      'a:80:90',
    ],
    ...['local host:9000', 'localhost:9000,127.0.0.1:9000', '[localhost]:9000', '256.0.0.1:80'],
  ];
  test.each(mistakes)('"%s" stops the start with a sentence that names the variable', (pair) => {
    expect(() => createAllowList([pair])).toThrow(OperatorError);
    expect(() => createAllowList([pair])).toThrow(`WEBHOOK_ALLOW_HOSTS: "${pair}" is not a host:port pair`);
  });
});

test('a URL without a port leads to that of its protocol', () => {
  expect(portOf(new URL('https://shop.example/'))).toBe(443);
  expect(portOf(new URL('http://shop.example/'))).toBe(80);
  expect(portOf(new URL('https://shop.example:8443/'))).toBe(8443);
});

test('a name gives all its addresses, of both families', async () => {
  const server = await nameServer({ 'shop.example': ['93.184.216.34', '93.184.216.35', '2606:4700::1'] });
  const addresses = await createResolver({ nameServers: [server] })('shop.example');
  expect([...addresses].sort()).toEqual(['2606:4700::1', '93.184.216.34', '93.184.216.35']);
});

test('a name of one family only resolves', async () => {
  const server = await nameServer({ 'four.example': ['93.184.216.34'], 'six.example': ['2606:4700::1'] });
  const resolve = createResolver({ nameServers: [server] });
  expect(await resolve('four.example')).toEqual(['93.184.216.34']);
  expect(await resolve('six.example')).toEqual(['2606:4700::1']);
});

test('private answers are handed on as they are: judging them is for the guard', async () => {
  const server = await nameServer({ 'rebind.example': ['127.0.0.1', '::1'] });
  expect([...(await createResolver({ nameServers: [server] })('rebind.example'))].sort()).toEqual([
    '127.0.0.1',
    '::1',
  ]);
});

test('an unknown name, and one no server can carry, do not resolve', async () => {
  const resolve = createResolver({ nameServers: [await nameServer({})] });
  expect(await resolve('nobody.example')).toEqual([]);
  expect(await resolve(`${'a'.repeat(64)}.example`)).toEqual([]);
  expect(await resolve('')).toEqual([]);
});

test('a name server that never answers is given up on after a second try', async () => {
  const resolve = createResolver({ nameServers: [await nameServer('silent')], queryTimeoutMs: 200 });
  const startedAt = performance.now();
  expect(await resolve('shop.example')).toEqual([]);
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});

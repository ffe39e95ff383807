import { describe, expect, test } from 'vitest';
import { OperatorError } from '../kit/errors.ts';
import { createAllowList } from './allowList.ts';
import { portOf } from './host.ts';

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

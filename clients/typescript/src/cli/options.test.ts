import { expect, test } from 'vitest';
import { readListenOptions } from './options.ts';

const ENV = { WAYPOST_API_KEY: 'way_live_x', WAYPOST_BASE_URL: 'http://localhost:8080' };
const FORWARD = ['listen', '--forward-to', 'http://localhost:3000/hooks'];

test('the defaults', () => {
  expect(readListenOptions(FORWARD, ENV)).toEqual({
    baseUrl: 'http://localhost:8080',
    apiKey: 'way_live_x',
    forwardTo: 'http://localhost:3000/hooks',
    types: undefined,
    replayLast: 0,
    headerPrefix: 'X-Service-',
    secret: undefined,
  });
});

test('everything that can be said', () => {
  const more = ['--types', 'ping, sms.failed', '--replay-last', '10', '--header-prefix', 'X-Acme-'];
  const given = [...FORWARD, ...more, '--secret', 'whsec_1', '--base-url', 'https://a.example/b'];
  expect(readListenOptions(given, ENV)).toMatchObject({
    baseUrl: 'https://a.example/b',
    types: ['ping', 'sms.failed'],
    replayLast: 10,
    headerPrefix: 'X-Acme-',
    secret: 'whsec_1',
  });
  expect(readListenOptions(['listen', '--help'], {})).toBeNull();
});

test.each([
  [[], ENV, 'The command is: waypost listen --forward-to URL'],
  [['send'], ENV, 'The command is: waypost listen --forward-to URL'],
  [['listen'], ENV, '--forward-to is missing.'],
  [['listen', '--forward-to', 'localhost:3000'], ENV, '--forward-to must be an http or https address.'],
  [FORWARD, { ...ENV, WAYPOST_API_KEY: undefined }, 'Set WAYPOST_API_KEY to an API key.'],
  [FORWARD, { ...ENV, WAYPOST_BASE_URL: '' }, 'Say where the service is: --base-url, or WAYPOST_BASE_URL.'],
  [[...FORWARD, '--types', 'message.created'], ENV, 'message.created is not an event type.'],
  [[...FORWARD, '--replay-last', 'all'], ENV, '--replay-last must be a number from 0 to 10000.'],
  [[...FORWARD, '--quiet'], ENV, "Unknown option '--quiet'"],
])('a mistake is told in one sentence: %j', (args, env, says) => {
  expect(() => readListenOptions(args, env)).toThrow(says);
});

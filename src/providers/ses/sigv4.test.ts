import { describe, expect, test } from 'vitest';
import { sigv4Headers } from './sigv4.ts';

/** The published test suite of the signature: its key, its moment, its service. */
const key = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: null,
};
const at = new Date('2015-08-30T12:36:00Z');
const request = {
  method: 'GET',
  url: new URL('https://example.amazonaws.com/'),
  headers: {},
  body: '',
  region: 'us-east-1',
  service: 'service',
};
const signature = (change: Partial<typeof request>, credentials = key, moment = at) =>
  /Signature=([0-9a-f]{64})$/.exec(
    sigv4Headers({ ...request, ...change }, credentials, moment).authorization ?? '',
  )?.[1];

describe('the published examples', () => {
  test.each<[string, Partial<typeof request>, string]>([
    ['get-vanilla', {}, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['post-vanilla', { method: 'POST' }, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ])('%s', (_name, change, expected) => expect(signature(change)).toBe(expected));
});

test('whatever changes, the signature changes', () => {
  const plain = signature({});
  const others = [
    signature({ method: 'POST' }),
    signature({ url: new URL('https://other.amazonaws.com/') }),
    signature({ url: new URL('https://example.amazonaws.com/v2') }),
    signature({ body: '{}' }),
    signature({ region: 'eu-west-1' }),
    signature({ service: 'ses' }),
    signature({}, { ...key, secretAccessKey: 'another' }),
    signature({}, key, new Date('2015-08-30T12:36:01Z')),
    signature({}, key, new Date('2015-08-31T12:36:00Z')),
  ];
  expect(new Set([plain, ...others]).size).toBe(others.length + 1);
});

test('a session token is sent and signed', () => {
  const headers = sigv4Headers(request, { ...key, sessionToken: 'a token' }, at);
  expect(headers['x-amz-security-token']).toBe('a token');
  expect(headers.authorization).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token,');
});

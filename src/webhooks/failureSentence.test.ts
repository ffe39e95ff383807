import { errors } from 'undici';
import { describe, expect, test } from 'vitest';
import { failureSentence, refusalSentence } from './failureSentence.ts';
import { GuardRefusal } from './guardedClient.ts';

const withCode = (code: unknown) => Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:8443'), { code });

describe('why a call got no answer', () => {
  const cases: [unknown, string][] = [
    [new GuardRefusal('refused: port 25 is not allowed'), 'refused: port 25 is not allowed'],
    [withCode('ENOTFOUND'), 'the host name does not resolve'],
    [withCode('EAI_AGAIN'), 'the host name does not resolve'],
    [withCode('ECONNREFUSED'), 'connection refused'],
    [withCode('EHOSTUNREACH'), 'the host is unreachable'],
    [withCode('UND_ERR_CONNECT_TIMEOUT'), 'timed out while connecting'],
    [withCode('UND_ERR_SOCKET'), 'the connection was closed before an answer'],
    [new errors.HTTPParserError('10.0.0.7'), 'the answer is not valid HTTP'],
    [withCode('CERT_NOT_YET_VALID'), 'TLS: certificate is not valid yet'],
    [withCode('INVALID_PURPOSE'), 'TLS: certificate is not valid'],
    [withCode('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'), 'TLS: the handshake failed'],
    [withCode('SOMETHING_NEW'), 'the request failed'],
    [withCode(7), 'the request failed'],
    [new Error('at 10.0.0.7'), 'the request failed'],
    ['10.0.0.7', 'the request failed'],
    [null, 'the request failed'],
  ];
  test.each(cases)('%s: %s', (error, sentence) => {
    expect(failureSentence(error)).toBe(sentence);
  });

  test('never repeats what the error itself says, which may name an address of ours', () => {
    for (const [error] of cases) expect(failureSentence(error)).not.toContain('10.0.0.7');
  });
});

describe('what an answer means', () => {
  const cases: [number, string | null][] = [
    [200, null],
    [204, null],
    [299, null],
    [199, 'answered 199'],
    [301, 'answered 301 (redirects are not followed)'],
    [308, 'answered 308 (redirects are not followed)'],
    [304, 'answered 304'],
    [400, 'answered 400'],
    [410, 'answered 410'],
    [500, 'answered 500'],
  ];
  test.each(cases)('%i: %s', (statusCode, sentence) => {
    expect(refusalSentence(statusCode)).toBe(sentence);
  });
});

import { expect, test } from 'vitest';
import { isFromOurPages } from './request.ts';

const OURS = 'https://way.example/inboxes';

test.each([
  ['a browser says it is', { 'sec-fetch-site': 'same-origin', origin: 'null' }, true],
  [
    'a browser says it is, behind a proxy with another name',
    { 'sec-fetch-site': 'same-origin', origin: 'https://b.example' },
    true,
  ],
  [
    'a browser says another site sent it',
    { 'sec-fetch-site': 'cross-site', origin: 'https://way.example' },
    false,
  ],
  [
    'a browser says a sister site sent it',
    { 'sec-fetch-site': 'same-site', origin: 'https://way.example' },
    false,
  ],
  ['a sandboxed frame elsewhere sent it', { 'sec-fetch-site': 'cross-site', origin: 'null' }, false],
  ['a person typed it, which makes no form', { 'sec-fetch-site': 'none' }, false],
  ['an older browser names our origin', { origin: 'https://way.example' }, true],
  [
    'an older browser names the host that was asked',
    { origin: 'http://127.0.0.1:8080', host: '127.0.0.1:8080' },
    true,
  ],
  ['an older browser names another origin', { origin: 'https://evil.example', host: 'way.example' }, false],
  ['an older browser names nonsense', { origin: 'nonsense', host: 'way.example' }, false],
  ['an older browser gives no referrer, so its token must decide', { origin: 'null' }, true],
  ['no browser at all, so its token must decide', {}, true],
])('%s', (_case, given, expected) => {
  expect(isFromOurPages({ headers: given }, OURS)).toBe(expected);
});

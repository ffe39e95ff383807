import { expect, test } from 'vitest';
import { isOurHost, judgeCaller, mayEnter } from './guard.ts';

const PUBLIC = 'https://waypost.shop.example/base';

test.each([
  ['localhost', true],
  ['localhost:8080', true],
  ['LOCALHOST:8080', true],
  ['127.0.0.1:3000', true],
  ['[::1]:8080', true],
  ['waypost.shop.example', true],
  ['waypost.shop.example:443', true],
  ['shop.example', false],
  ['evil.example:8080', false],
  ['localhost.evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['localhost@evil.example', false],
  ['192.168.1.5', false],
  ['', false],
  ['not a host', false],
  [undefined, false],
])('a page that made its own name lead here is not answered: Host %s', (host, ours) => {
  expect(isOurHost(host, PUBLIC)).toBe(ours);
});

const HOST = 'localhost:8080';
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

test.each([
  ['a program that sends JSON', undefined, undefined, JSON_TYPE, 'ours'],
  ['a program that sends nothing', undefined, undefined, null, 'ours'],
  ['a program that sends a form', undefined, undefined, FORM_TYPE, 'unsupported'],
  ['a program that sends text', undefined, undefined, 'text/plain', 'unsupported'],
  ['a form of our page', 'same-origin', `http://${HOST}`, FORM_TYPE, 'ours'],
  ['a form of our page in an older browser', undefined, `http://${HOST}`, FORM_TYPE, 'ours'],
  ['a script of our page', 'same-origin', `http://${HOST}`, JSON_TYPE, 'ours'],
  ['a form of another page', 'cross-site', 'https://evil.example', FORM_TYPE, 'foreign'],
  ['a form of another page in an older browser', undefined, 'https://evil.example', FORM_TYPE, 'foreign'],
  ['a form of a page on another port', 'same-site', 'http://localhost:9999', FORM_TYPE, 'foreign'],
  ['the same in an older browser', undefined, 'http://localhost:9999', FORM_TYPE, 'foreign'],
  ['JSON of another page', 'cross-site', 'https://evil.example', JSON_TYPE, 'foreign'],
  ['a frame that hides where it is from', undefined, 'null', FORM_TYPE, 'foreign'],
  ['a frame that hides it, in a newer browser', 'cross-site', 'null', JSON_TYPE, 'foreign'],
  ['an origin that contradicts the browser', 'none', 'https://evil.example', JSON_TYPE, 'foreign'],
] as const)('%s is told apart', (_who, secFetchSite, origin, mediaType, verdict) => {
  expect(judgeCaller({ host: HOST, secFetchSite, origin, mediaType })).toBe(verdict);
});

const KEY = 'b2Rk-x9_Jd0sKq4vWm7LtZy1Ae3UcNfG';
const HERE = 'http://localhost:8080';
const LAN = '192.168.1.5';
const bearer = { authorization: `Bearer ${KEY}` };
const cookie = { cookie: `other=1; waypost_sandbox=${KEY}` };

test.each([
  ['a program on this machine', HERE, '127.0.0.1', {}, true],
  ['the same by IPv6', HERE, '::1', {}, true],
  ['another machine that says it calls localhost', HERE, LAN, {}, false],
  ['another machine with the key', HERE, LAN, bearer, true],
  ['another machine’s browser, which has the key', HERE, LAN, cookie, true],
  [
    'a browser with an old cookie and a new one',
    HERE,
    LAN,
    { cookie: `waypost_sandbox=old; ${cookie.cookie}` },
    true,
  ],
  ['another machine with a wrong key', HERE, LAN, { authorization: `Bearer ${KEY}x` }, false],
  ['another machine with a wrong cookie', HERE, LAN, { cookie: 'waypost_sandbox=' }, false],
  ['another machine with the key under another name', HERE, LAN, { cookie: `sandbox=${KEY}` }, false],
  ['another machine with the key as a password', HERE, LAN, { authorization: `Basic ${KEY}` }, false],
  ['a client of a proxy on this machine', HERE, '127.0.0.1', { 'x-forwarded-for': '203.0.113.9' }, false],
  ['one that made up its address', HERE, '127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }, false],
  ['a client of a proxy, with the key', HERE, '127.0.0.1', { 'x-forwarded-for': LAN, ...bearer }, true],
  ['anybody behind a proxy that says nothing', PUBLIC, '127.0.0.1', {}, false],
  ['anybody behind it with the key', PUBLIC, '127.0.0.1', cookie, true],
  ['a page that made its own name lead here', HERE, '127.0.0.1', { host: 'evil.example' }, false],
  ['the same with the key', HERE, '127.0.0.1', { host: 'evil.example', ...bearer }, false],
])('who may enter the sandbox: %s', (_who, publicUrl, peer, headers, may) => {
  expect(mayEnter({ peer, headers: { host: 'localhost:8080', ...headers } }, { publicUrl, key: KEY })).toBe(
    may,
  );
});

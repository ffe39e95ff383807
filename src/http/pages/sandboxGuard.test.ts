import { expect, test } from 'vitest';
import { isOurHost, judgeCaller } from './sandboxGuard.ts';

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

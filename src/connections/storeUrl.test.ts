import { expect, test } from 'vitest';
import { createAllowList } from '../webhooks/publicAddress.ts';
import { parseStoreUrl } from './storeUrl.ts';

const allowHosts = createAllowList(['127.0.0.1:9000']);

test.each([
  ['https://shop.example', 'https://shop.example'],
  [' https://Shop.example/// ', 'https://shop.example'],
  ['https://shop.example/store/?', 'https://shop.example/store'],
  ['https://shop.example/store/#top', 'https://shop.example/store'],
  ['http://127.0.0.1:9000/', 'http://127.0.0.1:9000'],
])('%s is the store at %s', (text, url) => {
  expect(parseStoreUrl(text, allowHosts)).toEqual({ ok: true, url });
});

test.each([
  ['shop.example', 'The URL is not valid.'],
  ['http://shop.example', 'The URL must begin with https://.'],
  ['http://127.0.0.1:9001', 'The URL must begin with https://.'],
  [
    'https://127.0.0.1',
    'The host of the URL must be on the public internet, not at a private or local address.',
  ],
  ['https://me:secret@shop.example', 'The URL must not contain a user name or a password.'],
  ['https://shop.example/?p=1', 'The URL must not contain a query.'],
  ['https://shop.example:22', 'The port of the URL must be 443 or 8443.'],
])('%s is refused', (text, fault) => {
  expect(parseStoreUrl(text, allowHosts)).toEqual({ ok: false, fault });
});

import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventTypes } from '../../src/contract/eventTypes.ts';
import { TOLERANCE_SECONDS } from '../../src/kit/signedTime.ts';
import { newSecret, sign, signingKeys } from '../../src/webhooks/signature.ts';
import { type OpenApi, openApiOf } from '../support/openApi.ts';
import { type DemoService, startDemoService } from './playground.ts';

let playground: DemoService;
/** Everything on one page. */
let page: string;
/** The pages of all resources, one after the other. */
let resources: string;
let openApi: OpenApi;
beforeAll(async () => {
  playground = await startDemoService();
  page = await (await fetch(`${playground.url}/docs/all`)).text();
  openApi = await openApiOf(playground.url);
  const paths = [...page.matchAll(/<a href="(\/docs\/(?!all)[^"#]+)">/g)].map(([, path]) => path);
  const texts = paths.map(async (path) => (await fetch(playground.url + path)).text());
  resources = (await Promise.all(texts)).join('');
});
afterAll(() => playground.close());

/** The part of its page between the beginning of one operation and that of the next. */
const partOf = (id: string): string => {
  const [, rest = ''] = resources.split(`<article class="operation" id="${id}">`);
  return rest.split('</article>')[0] ?? '';
};
const idsOf = (html: string): string[] => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);

test('every operation is there with its method, path, fields, call and errors', () => {
  expect(openApi.operations.length).toBeGreaterThanOrEqual(20);
  for (const { id, method, path, parameters, body, responses } of openApi.operations) {
    const part = partOf(id);
    expect(part).toContain(`<code>${path}</code>`);
    expect(part).toContain(`>${method}</span>`);
    expect(page).toContain(`<article class="operation" id="${id}">`);
    const [, call = ''] = part.split('curl -s ');
    expect(call).toContain('$WAYPOST_API_KEY');
    expect(call.split('\n')[0]).not.toContain('{');
    const named = idsOf(part);
    for (const { name, in: place } of parameters) {
      if (name !== 'X-Request-Id') expect(named).toContain(`${id}.${place}.${name}`);
    }
    for (const name of Object.keys(body?.schema.properties ?? {}))
      expect(named).toContain(`${id}.body.${name}`);
    for (const [status, { codes }] of responses) {
      if (codes.length > 0) expect(part).toContain(`<span class="status">${status}</span>`);
      for (const code of codes) expect(part).toContain(`href="/docs#error-${code}"`);
    }
  }
});

test('everything that leads somewhere on the page leads to something that is there once', () => {
  const ids = idsOf(page);
  expect(ids).toEqual([...new Set(ids)]);
  const targets = [...page.matchAll(/ href="#([^"]+)"/g)].map(([, target = '']) => target);
  expect(targets.length).toBeGreaterThan(100);
  expect(targets.filter((target) => !ids.includes(target))).toEqual([]);
});

test('every error is told in a sentence', () => {
  const told = [...page.matchAll(/<li id="error-([^"]+)">.*?<\/code><\/a><br\/><span>([^<]*)</gs)];
  const codes = openApi.operations.flatMap(({ responses }) =>
    [...responses.values()].flatMap((one) => one.codes),
  );
  expect(told.map(([, code]) => code).sort()).toEqual([...new Set(codes)].sort());
  expect(told.filter(([, , sentence = '']) => !/\w+.*\.$/.test(sentence))).toEqual([]);
});

test('every event type is told, with its data', () => {
  for (const type of eventTypes) expect(idsOf(page)).toContain(`event-${type}`);
});

test('the signature check that receivers are shown works', async () => {
  const file = new URL('../../src/pages/assets/verify.js', import.meta.url).href;
  const { isGenuine }: { isGenuine: (secret: string, header: string, body: string) => boolean } =
    await import(file);
  const secret = newSecret();
  const keys = signingKeys(secret);
  const now = Math.floor(Date.now() / 1_000);
  const body = '{"id":"ä"}';
  expect(isGenuine(secret, sign(keys, now, body), body)).toBe(true);
  expect(isGenuine(secret, sign(keys, now, body), '{"id":"a"}')).toBe(false);
  expect(isGenuine(newSecret(), sign(keys, now, body), body)).toBe(false);
  expect(isGenuine(secret, sign(keys, now - TOLERANCE_SECONDS + 5, body), body)).toBe(true);
  expect(isGenuine(secret, sign(keys, now - TOLERANCE_SECONDS - 5, body), body)).toBe(false);
  expect(isGenuine(secret, 'nonsense', body)).toBe(false);
});

const PAGE_MAX = 64 * 1024;

test('nothing on the pages comes from elsewhere, is inline, or is large', async () => {
  for (const path of ['/', '/docs', '/docs/messages', '/docs/all', '/docs?q=phone', '/sandbox']) {
    const response = await fetch(playground.url + path);
    const html = await response.text();
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(html).not.toMatch(/<style| style="| on\w+="|<script(?! src="\/page-assets\/)/);
    const loaded = [...html.matchAll(/(?:src|rel="stylesheet" href|type="image\/svg\+xml" href)="([^"]+)"/g)];
    let weight = gzipSync(html).length;
    for (const url of new Set(loaded.map(([, found = '']) => found))) {
      expect(url).toMatch(/^\/page-assets\/[a-z]+-[0-9a-f]{10}\.(css|js|svg|webp)$/);
      const asset = await fetch(playground.url + url);
      expect(asset.status).toBe(200);
      expect(asset.headers.get('cache-control')).toContain('immutable');
      const { byteLength } = await asset.arrayBuffer();
      // A picture comes when there is time for it.
      if (url.endsWith('.webp')) expect(byteLength).toBeLessThan(PAGE_MAX);
      else weight += byteLength;
    }
    expect(weight).toBeLessThan(PAGE_MAX);
  }
});

test('a browser that has the page is not sent it again, and one that can unpack it gets it packed', async () => {
  const first = await playground.service.app.inject({
    url: '/docs/all',
    headers: { 'accept-encoding': 'gzip, br' },
  });
  expect(first.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(first.rawPayload).toString('utf8')).toBe(page);
  const again = await playground.service.app.inject({
    url: '/docs/all',
    headers: { 'if-none-match': String(first.headers.etag) },
  });
  expect([again.statusCode, again.body]).toEqual([304, '']);
});

test('the page at the address itself shows the demo’s key to nobody but its own machine', async () => {
  const own = await playground.service.app.inject({ url: '/', headers: { host: 'localhost' } });
  expect(own.body).toContain(playground.shop.apiKey);
  const rebound = await playground.service.app.inject({ url: '/', headers: { host: 'evil.example' } });
  expect(rebound.statusCode).toBe(200);
  expect(rebound.body).not.toContain(playground.shop.apiKey);
});

test('an asset that is not there is not found', async () => {
  expect((await fetch(`${playground.url}/page-assets/shell-0000000000.css`)).status).toBe(404);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiError, type ErrorCode } from '../../src/kit/errors.ts';
import { errorPages } from '../../src/pages/kit/errorPages.tsx';
import { openSite } from '../../src/pages/kit/page.tsx';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const ask = (path: string, accept: string, method = 'GET') =>
  fetch(service.url + path, { method, headers: { accept } });

test.each([
  ['/nowhere', '/'],
  ['/docs/nowhere', '/docs'],
  ['/logos', '/'],
  ['/sandbox/nowhere', '/'],
  ['/constructor', '/'],
  ['/%00', '/'],
  ['/%E0%A4%A', '/'],
  ['/<script>alert(1)</script>?<script>', '/'],
])('a browser that asks for %s gets a page that leads on', async (path, next) => {
  const answer = await ask(path, BROWSER);
  expect(answer.status).toBe(404);
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(answer.headers.get('vary')).toBe('accept');
  const text = await answer.text();
  expect(text).toContain('<h1>There is nothing here</h1>');
  expect(text).toContain(`<a class="button" href="${next}">`);
  expect(text).not.toContain('alert(1)');
});

test('a form that is sent to an address without one gets a page, too', async () => {
  expect(await (await ask('/docs', BROWSER, 'POST')).text()).toContain('<h1>There is nothing here</h1>');
});

test.each([
  ['/nowhere', '*/*'],
  ['/docs/nowhere', 'application/json'],
  ['/api', BROWSER],
  ['/api/v1/nothing', BROWSER],
  ['/callbacks/nobody', BROWSER],
  ['/metrics/nothing', BROWSER],
  ['/healthz/nothing', BROWSER],
  ['/sandbox/nothing.json', BROWSER],
  ['/openapi/nothing.yaml', BROWSER],
  ['/page-assets/nothing.css', BROWSER],
])('a program that asks for %s and accepts %s gets the error body', async (path, accept) => {
  const answer = await ask(path, accept);
  expect(answer.status).toBe(404);
  expect(await answer.json()).toEqual({
    error_code: 'common.not_found',
    detail: 'There is nothing at this address.',
  });
});

test.each<[ErrorCode, string]>([
  ['common.unsupported_media_type', 'This request was not understood'],
  ['key.not_permitted', 'You may not see this'],
  ['common.rate_limited', 'Too many requests'],
  ['common.internal', 'Something went wrong on our side'],
  ['common.unavailable', 'Something went wrong on our side'],
])('%s is said in words for a person, and not in those for a program', (code, title) => {
  const error = new ApiError(code);
  const page = errorPages(openSite({ publicUrl: 'https://way.example/post', sandbox: false }))(error, '/');
  expect(page).toContain(`<h1>${title}</h1>`);
  expect(page).toContain('<a class="button" href="/post/">');
  expect(page).not.toContain(String(error.detail));
});

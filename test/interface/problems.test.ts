import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';

let service: TestService;
let shop: Shop;

beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
  shop = await service.business();
});
afterAll(() => service.close());

const PROBLEM = { accept: 'application/json;q=0.5, application/problem+json' };
const asProblem = async (method: string, path: string, options: object = {}) => {
  const { status, headers, text } = await shop.call(method, path, { headers: PROBLEM, ...options });
  expect(headers.get('content-type')).toBe('application/problem+json');
  expect(headers.get('vary')).toBe('accept');
  const problem: unknown = JSON.parse(text);
  expect(problem).toMatchObject({ status });
  return problem;
};
const typeOf = (code: string): string => `${service.url}/docs#error-${code}`;

test('an error comes by RFC 9457 for those who ask for it, with the same code', async () => {
  expect(await asProblem('GET', '/api/v1/messages/unknown')).toEqual({
    type: typeOf('message.not_found'),
    title: 'No message has this id.',
    status: 404,
    error_code: 'message.not_found',
    detail: 'No message has this id.',
  });
});

test('so do the faults of a request, all of them', async () => {
  const body = { recipient_email: 'ann@example.com', subject: 7 };
  const options = { body, headers: { ...PROBLEM, 'idempotency-key': 'k' } };
  expect(await asProblem('POST', '/api/v1/messages', options)).toEqual({
    type: typeOf('common.validation_failed'),
    title: 'The request is not valid.',
    status: 422,
    error_code: 'common.validation_failed',
    detail: 'body.subject: Input should be a valid string',
    errors: [
      { type: 'string_type', loc: ['body', 'subject'], msg: 'Input should be a valid string', input: 7 },
      { type: 'missing', loc: ['body', 'body'], msg: 'Field required', input: body },
    ],
  });
});

test.each([
  ['GET', '/api/v1/nothing', 'common.not_found'],
  ['PUT', '/api/v1/credits', 'common.method_not_allowed'],
  ['GET', '/%', 'common.not_found'],
])('also where no operation is called: %s %s', async (method, path, code) => {
  expect(await asProblem(method, path)).toMatchObject({ error_code: code, type: typeOf(code) });
});

test('also an answer that is replayed, which is stored once for all who ask', async () => {
  const path = '/api/v1/messages/unknown/retract';
  const call = (headers: Record<string, string>) =>
    shop.call('POST', path, { headers: { ...headers, 'idempotency-key': 'once' } });
  const plain = await call({});
  const problem = await call(PROBLEM);
  expect(problem.headers.get('idempotent-replayed')).toBe('true');
  expect(JSON.parse(problem.text)).toMatchObject({ status: 404, error_code: 'message.not_found' });
  expect((await call({})).text).toBe(plain.text);
});

test.each([[{}], [{ accept: '*/*' }], [{ accept: 'application/*' }], [{ accept: 'application/json' }]])(
  'who does not name it gets the interface’s own: %j',
  async (headers) => {
    const answer = await shop.call('GET', '/api/v1/messages/unknown', { headers });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(JSON.parse(answer.text)).toEqual({
      error_code: 'message.not_found',
      detail: 'No message has this id.',
    });
  },
);

test('an answer that is no error stays as it is', async () => {
  const answer = await shop.call('GET', '/api/v1/credits', { headers: PROBLEM });
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
});

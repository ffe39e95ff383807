import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import {
  AuthenticationError,
  ConflictError,
  CursorExpiredError,
  type ErrorFacts,
  errorOfAnswer,
  IdempotencyKeyReusedError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RequestError,
  RequestInProgressError,
  RequestTooLargeError,
  ServerError,
  ValidationError,
  WaypostError,
} from './errors.ts';

const facts = (status: number, code: string, detail: unknown = 'A sentence.'): ErrorFacts => ({
  operation: 'messages.push',
  status,
  code,
  detail,
  requestId: 'request-1',
  attempts: 2,
  idempotencyKey: 'order-1001',
});

test.each([
  [400, 'common.malformed_request', RequestError],
  [401, 'business.invalid_api_key', AuthenticationError],
  [403, 'key.not_permitted', PermissionError],
  [404, 'message.not_found', NotFoundError],
  [405, 'common.method_not_allowed', RequestError],
  [409, 'sms.already_sent', ConflictError],
  [409, 'idempotency.key_reused', IdempotencyKeyReusedError],
  [409, 'idempotency.request_in_progress', RequestInProgressError],
  [410, 'events.cursor_expired', CursorExpiredError],
  [413, 'request.too_large', RequestTooLargeError],
  [415, 'common.unsupported_media_type', RequestError],
  [422, 'common.validation_failed', ValidationError],
  [422, 'sms.phone_invalid', ValidationError],
  [429, 'common.rate_limited', RateLimitError],
  [500, 'common.internal', ServerError],
  [503, 'common.unavailable', ServerError],
])('%d %s has a class of its own, with every fact', (status, code, kind) => {
  const error = errorOfAnswer(facts(status, code));
  expect(error.constructor).toBe(kind);
  expect(error).toBeInstanceOf(WaypostError);
  expect(error.name).toBe(kind.name);
  expect(error).toMatchObject({
    status,
    code,
    requestId: 'request-1',
    attempts: 2,
    idempotencyKey: 'order-1001',
  });
  expect(error.detail).toBe('A sentence.');
  expect(error.message).toBe(`messages.push: ${status} ${code}: A sentence.`);
});

test('a validation error says which fields are at fault, in words too', () => {
  const detail = [
    { type: 'missing', loc: ['body', 'subject'], msg: 'Field required', input: {} },
    { type: 'enum', loc: ['body', 'channels', 1], msg: 'Input should be one of these', input: 'fax' },
    { type: 'missing', loc: ['body', 'whatsapp_opt_in', 'source'], msg: 'Field required', input: {} },
    { type: 'missing', loc: ['header', 'Idempotency-Key'], msg: 'Field required', input: null },
    { type: 'model_type', loc: ['body'], msg: 'Input should be an object', input: 5 },
  ];
  const error = errorOfAnswer(facts(422, 'common.validation_failed', detail));
  expect(error).toBeInstanceOf(ValidationError);
  expect(
    error instanceof ValidationError && error.fields.map(({ place, field }) => `${place} ${field}`),
  ).toEqual([
    'body subject',
    'body channels[1]',
    'body whatsapp_opt_in.source',
    'header Idempotency-Key',
    'body ',
  ]);
  expect(error.message).toContain('channels[1]: Input should be one of these; whatsapp_opt_in.source: Field');
  expect(error.message).toContain('body: Input should be an object');
});

test('what a logger prints of an error names no person', () => {
  const input = { recipient_email: 'ann@example.com', body: 'It left.' };
  const detail = [{ type: 'missing', loc: ['body', 'subject'], msg: 'Field required', input }];
  const error = errorOfAnswer(facts(422, 'common.validation_failed', detail));
  expect(error.detail).toEqual(detail);
  for (const printed of [inspect(error, { depth: 9 }), JSON.stringify(error), String(error)])
    expect(printed).not.toMatch(/ann@example|It left/);
});

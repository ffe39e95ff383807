import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { WEBHOOK_RETRIES_MS } from '../../src/config/limits.ts';
import { deliveryHistory } from '../../src/webhooks/deliveryLog.ts';
import { ATTEMPTS_MAX, JITTER } from '../../src/webhooks/retrySchedule.ts';
import { openMerchant } from './merchant.ts';

describe('an event that fails every time', () => {
  test('is attempted eight times on the schedule, under one id, and then is exhausted', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver((_, response) => response.writeHead(500).end());
    const { id: endpointId } = await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    const [id = ''] = await shop.emitEvents(1);
    await webhooks.drain();
    for (let attempt = 2; attempt <= ATTEMPTS_MAX; attempt += 1) await shop.advanceToNext(webhooks);
    expect(receiver.ids()).toEqual(Array.from({ length: ATTEMPTS_MAX }, () => id));
    expect(await webhooks.nextDue()).toBeNull();

    const { delivery, attempts } = await deliveryHistory(shop.pool, endpointId, id);
    expect(delivery).toMatchObject({ state: 'exhausted', attempts: ATTEMPTS_MAX, next_attempt_at: null });
    expect(attempts.map(({ attempt, status_code, error }) => [attempt, status_code, error])).toEqual(
      Array.from({ length: ATTEMPTS_MAX }, (_, index) => [index + 1, 500, 'answered 500']),
    );
    const waits = attempts
      .slice(1)
      .map(({ at }, index) => at.getTime() - (attempts[index]?.at.getTime() ?? 0));
    WEBHOOK_RETRIES_MS.forEach((delay, index) => {
      expect(waits[index]).toBeGreaterThanOrEqual(delay);
      // The jitter, and what the attempts and this machine took.
      expect(waits[index]).toBeLessThan(delay * (1 + JITTER) + 3_000);
    });
  });

  test('is not attempted before its time', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver((_, response) => response.writeHead(500).end());
    await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    await shop.emitEvents(1);
    await webhooks.drain();
    shop.advance(3_000);
    await webhooks.drain();
    expect(receiver.received).toHaveLength(1);
    shop.advance(3_100);
    await webhooks.drain();
    expect(receiver.received).toHaveLength(2);
  });
});

test('an event that arrives at last has every attempt in the log, and no error left', async () => {
  const shop = await openMerchant();
  const receiver = await shop.receiver((_, response) =>
    response.writeHead(receiver.received.length < 4 ? 503 : 204).end(),
  );
  const { id: endpointId } = await shop.endpoint(receiver.url);
  const webhooks = shop.start();
  const [id = ''] = await shop.emitEvents(1);
  await webhooks.drain();
  for (let attempt = 2; attempt <= 4; attempt += 1) await shop.advanceToNext(webhooks);
  const { delivery, attempts } = await deliveryHistory(shop.pool, endpointId, id);
  expect(delivery).toMatchObject({ state: 'delivered', attempts: 4, settled_at: expect.any(Date) });
  expect(attempts.map(({ status_code, error }) => [status_code, error])).toEqual([
    [503, 'answered 503'],
    [503, 'answered 503'],
    [503, 'answered 503'],
    [204, null],
  ]);
  expect(attempts.every(({ duration_ms }) => duration_ms >= 0)).toBe(true);
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
});

describe('a receiver that', () => {
  const answers =
    (status: number, headers = {}) =>
    (response: ServerResponse) =>
      void response.writeHead(status, headers).end();
  const closed = 'the connection was closed before an answer';
  test.each([
    ['answers 200', answers(200), null],
    ['answers 204', answers(204), null],
    ['answers 299', answers(299), null],
    ['answers 500', answers(500), 'answered 500'],
    ['answers 404', answers(404), 'answered 404'],
    ['answers 429', answers(429), 'answered 429'],
    ['redirects', answers(302, { location: '/hook' }), 'answered 302 (redirects are not followed)'],
    ['redirects for good', answers(308, { location: '/hook' }), 'answered 308 (redirects are not followed)'],
    ['resets the connection', (response: ServerResponse) => void response.socket?.resetAndDestroy(), closed],
    ['closes the connection', (response: ServerResponse) => void response.socket?.destroy(), closed],
    ['is slow', (response: ServerResponse) => void setTimeout(() => response.end(), 300), null],
    [
      'answers at great length',
      (response: ServerResponse) => void response.writeHead(200).end('a'.repeat(5 * 1024 * 1024)),
      null,
    ],
  ])('%s: the event has arrived, or is tried again', async (_, behave, error) => {
    const shop = await openMerchant();
    const receiver = await shop.receiver((_request, response) => behave(response));
    const { id } = await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    await shop.emitEvents(1);
    await webhooks.drain();
    expect(receiver.received).toHaveLength(1);
    const [delivery] = await shop.rows(
      'select d.state, w.last_error from webhook_deliveries d join webhook_endpoints w on w.business_id = d.business_id and w.id = d.endpoint_id where w.id = $1',
      id,
    );
    expect(delivery).toEqual({ state: error === null ? 'delivered' : 'pending', last_error: error });
  });

  test('hangs: the attempt ends after 10 seconds, and the event is tried again', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver(() => 'hang');
    const { id } = await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    await shop.emitEvents(1);
    await webhooks.drain();
    const [attempt] = await shop.rows(
      'select error, duration_ms from webhook_attempts where endpoint_id = $1',
      id,
    );
    expect(attempt?.error).toBe('timed out after 10 s');
    expect(Number(attempt?.duration_ms)).toBeGreaterThanOrEqual(9_900);
    expect(await webhooks.nextDue()).not.toBeNull();
  });
});

import { describe, expect, test } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { SECOND, systemClock } from '../../src/kit/clock.ts';
import { deleteEndpoint } from '../../src/webhooks/changeEndpoint.ts';
import { deliveryHistory } from '../../src/webhooks/deliveryLog.ts';
import { listLiveEndpoints } from '../../src/webhooks/endpointsSql.ts';
import { pingEndpoint } from '../../src/webhooks/ping.ts';
import { verify } from '../support/verifySignature.ts';
import { type Merchant, openMerchant } from './merchant.ts';

const ping = (shop: Merchant, endpointId: string) =>
  pingEndpoint(shop.workerDeps, { businessId: shop.businessId, endpointId });

describe('the test of an endpoint', () => {
  test('sends one ping, signed like the rest, and says that it arrived', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver((_, response) => response.writeHead(202).end());
    const { id, secret } = await shop.endpoint(receiver.url, { eventTypes: ['sms.failed'] });
    const result = await ping(shop, id);
    expect(result).toEqual({
      delivered: true,
      status_code: 202,
      error: null,
      duration_ms: expect.any(Number),
    });
    const [request] = receiver.received;
    if (!request) throw new Error('nothing arrived');
    expect(receiver.received).toHaveLength(1);
    expect(request.headers).toMatchObject({ 'x-service-event': 'ping', 'x-service-delivery': request.id });
    expect(JSON.parse(request.body)).toEqual({
      data: { endpoint_id: id },
      id: request.id,
      occurred_at: shop.clock.now().toISOString(),
      type: 'ping',
    });
    const signature = request.headers['x-service-signature'] ?? '';
    expect(verify(secret, signature, request.body, systemClock.now().getTime() / SECOND)).toBe(true);
  });

  test.each([
    ['answers 500', 500, 'answered 500'],
    ['redirects', 301, 'answered 301 (redirects are not followed)'],
  ])('says so when the receiver %s', async (_, status, error) => {
    const shop = await openMerchant();
    const receiver = await shop.receiver((_request, response) => response.writeHead(status).end());
    const { id } = await shop.endpoint(receiver.url);
    expect(await ping(shop, id)).toMatchObject({ delivered: false, status_code: status, error });
    expect(receiver.received).toHaveLength(1);
  });

  test('says so when there is no answer at all', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver((_, response) => response.socket?.destroy());
    const { id } = await shop.endpoint(receiver.url);
    expect(await ping(shop, id)).toMatchObject({
      delivered: false,
      status_code: null,
      error: 'the connection was closed before an answer',
    });
  });

  test('does not touch the endpoint’s health, arriving or not', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver((_, response) =>
      response.writeHead(receiver.received.length % 2 === 0 ? 200 : 500).end(),
    );
    const { id } = await shop.endpoint(receiver.url);
    await shop.rows(`update webhook_endpoints set consecutive_failures = 19, last_error = 'answered 503'`);
    const before = await listLiveEndpoints(shop.pool, shop.businessId);
    for (let turn = 0; turn < 4; turn += 1) await ping(shop, id);
    expect(await listLiveEndpoints(shop.pool, shop.businessId)).toEqual(before);
  });

  test('can be made of an endpoint that is disabled, which stays so', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver();
    const { id } = await shop.endpoint(receiver.url);
    await shop.rows('update webhook_endpoints set disabled_at = now()');
    expect(await ping(shop, id)).toMatchObject({ delivered: true });
    expect((await listLiveEndpoints(shop.pool, shop.businessId))[0]?.disabled).toBe(true);
  });

  test('is in the log as an attempt, and is no event', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver((_, response) => response.writeHead(410).end());
    const { id } = await shop.endpoint(receiver.url);
    await ping(shop, id);
    const history = await deliveryHistory(shop.pool, id, receiver.ids()[0] ?? '');
    expect(history).toMatchObject({
      delivery: null,
      attempts: [{ attempt: 1, status_code: 410, error: 'answered 410' }],
    });
    expect(await shop.rows('select 1 from events')).toEqual([]);
    expect(await shop.rows('select 1 from webhook_deliveries')).toEqual([]);
  });

  test('is refused for what is unknown, deleted or another business’s', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver();
    const other = await createBusiness(shop.pool, shop.clock, { name: 'Other' });
    const { id } = await shop.endpoint(receiver.url);
    const notFound = { code: 'webhook.endpoint_not_found' };
    await expect(ping(shop, 'nothing')).rejects.toMatchObject(notFound);
    await expect(
      pingEndpoint(shop.workerDeps, { businessId: other.businessId, endpointId: id }),
    ).rejects.toMatchObject(notFound);
    await deleteEndpoint(shop.pool, shop.clock, { ...shop, endpointId: id });
    await expect(ping(shop, id)).rejects.toMatchObject(notFound);
    expect(receiver.received).toEqual([]);
  });
});

describe('at most ten a minute of one endpoint', () => {
  test('the eleventh is refused and says when to come back, and another endpoint is not concerned', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver();
    const { id } = await shop.endpoint(receiver.url);
    const other = await shop.endpoint(`${receiver.url}/2`);
    await ping(shop, id);
    shop.advance(30 * SECOND);
    for (let turn = 2; turn <= 10; turn += 1) await ping(shop, id);
    await expect(ping(shop, id)).rejects.toMatchObject({
      code: 'webhook.test_rate_limited',
      headers: { 'retry-after': '30' },
    });
    expect(receiver.received).toHaveLength(10);
    expect(await ping(shop, other.id)).toMatchObject({ delivered: true });

    shop.advance(30 * SECOND);
    expect(await ping(shop, id)).toMatchObject({ delivered: true });
    await expect(ping(shop, id)).rejects.toMatchObject({ headers: { 'retry-after': '30' } });
  });

  test('exactly ten of thirty at once, and deliveries do not count', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver();
    const { id } = await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    await shop.emitEvents(20);
    await webhooks.drain();
    const outcomes = await Promise.allSettled(Array.from({ length: 30 }, () => ping(shop, id)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(receiver.received.filter(({ type }) => type === 'ping')).toHaveLength(10);
  });
});

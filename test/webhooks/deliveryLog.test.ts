import { expect, test } from 'vitest';
import { DELIVERY_LOG_KEPT_MS } from '../../src/config/limits.ts';
import { DAY, SECOND } from '../../src/kit/clock.ts';
import { deliveriesOf, deliveryHistory, forgetOldDeliveries } from '../../src/webhooks/deliveryLog.ts';
import { openMerchant } from './merchant.ts';

test('the log lists the events of an endpoint, newest first, with the latest attempt of each', async () => {
  const shop = await openMerchant();
  const receiver = await shop.receiver(({ id }, response) =>
    response.writeHead(id === failing ? 500 : 200).end(),
  );
  const { id: endpointId } = await shop.endpoint(receiver.url);
  const webhooks = shop.start();
  const [arrived = '', failing = ''] = await shop.tell(2);
  await webhooks.drain();
  const listed = await deliveriesOf(shop.pool, endpointId, { state: null, limit: 10 });
  expect(listed).toMatchObject([
    {
      event_id: failing,
      state: 'pending',
      attempts: 1,
      status_code: 500,
      error: 'answered 500',
      settled_at: null,
    },
    {
      event_id: arrived,
      type: 'message.delivered',
      state: 'delivered',
      attempts: 1,
      status_code: 200,
      error: null,
    },
  ]);
  expect(listed[0]?.next_attempt_at).not.toBeNull();
  const only = (state: 'pending' | 'delivered', limit = 10) =>
    deliveriesOf(shop.pool, endpointId, { state, limit });
  expect(await only('delivered')).toMatchObject([{ event_id: arrived }]);
  expect(await deliveriesOf(shop.pool, endpointId, { state: null, limit: 1 })).toMatchObject([
    { event_id: failing },
  ]);
});

test('what was never for an endpoint is a mistake', async () => {
  const shop = await openMerchant();
  const { id } = await shop.endpoint((await shop.receiver()).url);
  await expect(deliveryHistory(shop.pool, id, 'nothing')).rejects.toThrow(
    'Nothing with the id "nothing" was for this endpoint, or it was too long ago.',
  );
  await expect(deliveriesOf(shop.pool, 'x', { state: null, limit: 1 })).rejects.toThrow(
    'No webhook endpoint has the id "x".',
  );
});

test('after 30 days attempts, deliveries and events are forgotten, but not what still waits', async () => {
  const shop = await openMerchant();
  const receiver = await shop.receiver(({ id }, response) =>
    response.writeHead(id === waiting ? 500 : 200).end(),
  );
  const { id } = await shop.endpoint(receiver.url);
  const webhooks = shop.start();
  const [waiting = '', arrived = ''] = await shop.tell(2);
  await webhooks.drain();
  await webhooks.stop();
  const counts = async () => {
    const [row] = await shop.rows(
      `select (select count(*) from webhook_attempts)::int as attempts, (select count(*) from webhook_deliveries)::int as deliveries,
         (select count(*) from events)::int as events`,
    );
    return row;
  };
  shop.advance(DELIVERY_LOG_KEPT_MS - 60 * SECOND);
  expect(await forgetOldDeliveries(shop.pool, shop.clock.now())).toBe(0);
  expect(await counts()).toEqual({ attempts: 2, deliveries: 2, events: 2 });
  shop.advance(DAY);
  const [recent = ''] = await shop.tell(1);
  expect(await forgetOldDeliveries(shop.pool, shop.clock.now())).toBe(4);
  expect(await counts()).toEqual({ attempts: 0, deliveries: 2, events: 2 });
  const left = await deliveriesOf(shop.pool, id, { state: null, limit: 10 });
  expect(left.map(({ event_id }) => event_id)).toEqual([recent, waiting]);
  expect(left.map(({ event_id }) => event_id)).not.toContain(arrived);
});

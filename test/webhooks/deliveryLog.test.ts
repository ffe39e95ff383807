import { expect, test } from 'vitest';
import { DAY, earlier, SECOND } from '../../src/kit/clock.ts';
import { deleteOldEvents } from '../../src/retention/sql.ts';
import { deliveriesOf, deliveryHistory } from '../../src/webhooks/deliveryLog.ts';
import { pingEndpoint } from '../../src/webhooks/ping.ts';
import { openMerchant } from './merchant.ts';

test('the log lists the events of an endpoint, newest first, with the latest attempt of each', async () => {
  const shop = await openMerchant();
  const receiver = await shop.receiver(({ id }, response) =>
    response.writeHead(id === failing ? 500 : 200).end(),
  );
  const { id: endpointId } = await shop.endpoint(receiver.url);
  const [arrived = '', failing = ''] = await shop.emitEvents(2);
  await shop.start().drain();
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
    'This endpoint has no delivery of "nothing", or its log has expired.',
  );
  await expect(deliveriesOf(shop.pool, 'x', { state: null, limit: 1 })).rejects.toThrow(
    'No webhook endpoint has the id "x".',
  );
});

test('the log of what arrived, and of a test, is forgotten after 30 days; what still waits is not', async () => {
  const shop = await openMerchant();
  const receiver = await shop.receiver(({ id }, response) =>
    response.writeHead(id === waiting ? 500 : 200).end(),
  );
  const { id: endpointId } = await shop.endpoint(receiver.url);
  const [waiting = '', arrived = ''] = await shop.emitEvents(2);
  const webhooks = shop.start();
  await webhooks.drain();
  await pingEndpoint(shop.workerDeps, { businessId: shop.businessId, endpointId });
  await webhooks.stop();
  const attempted = async () =>
    (await shop.rows('select event_id from webhook_attempts order by at, event_id')).map(
      ({ event_id }) => event_id,
    );
  const ping = receiver.ids().at(-1);
  const forget = () =>
    deleteOldEvents.remove(shop.pool, earlier(shop.clock.now(), 30 * DAY), 1_000, [shop.businessId]);

  shop.advance(30 * DAY - SECOND);
  await forget();
  expect(await attempted()).toEqual([waiting, arrived, ping]);
  shop.advance(2 * SECOND);
  expect(await forget()).toContainEqual({ table: 'webhook_attempts', deleted: 2 });
  expect(await attempted()).toEqual([waiting]);
  const left = await deliveriesOf(shop.pool, endpointId, { state: null, limit: 10 });
  expect(left.map(({ event_id }) => event_id)).toEqual([waiting]);
});

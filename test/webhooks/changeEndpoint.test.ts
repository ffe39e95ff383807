import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MINUTE } from '../../src/kit/clock.ts';
import { CONTENT_KEPT_MS } from '../../src/webhooks/attempt.ts';
import { changeEndpoint } from '../../src/webhooks/changeEndpoint.ts';
import { listLiveEndpoints } from '../../src/webhooks/endpointsSql.ts';
import { eventually } from '../support/waiting.ts';
import { openMerchant } from './merchant.ts';

test('an attempt under way ends at the old URL and counts no more; its retry and what waits go to the new one', async () => {
  const shop = await openMerchant();
  const held: ServerResponse[] = [];
  const old = await shop.receiver((_, response) => held.push(response));
  const fresh = await shop.receiver();
  const { businessId, pool } = shop;
  const { id: endpointId } = await shop.endpoint(old.url);
  const webhooks = shop.start();
  const ids = await shop.emitEvents(2);
  webhooks.wake();
  await eventually(async () => expect(held).toHaveLength(1));

  const request = { businessId, endpointId, keyId: shop.keyId };
  const toFresh = () => changeEndpoint(shop.endpointDeps, request, { url: fresh.url });
  expect(await toFresh()).toMatchObject({ changed: true, endpoint: { url: fresh.url } });
  expect(await toFresh()).toMatchObject({ changed: false });
  // The other one was read together with it.
  await sleep(CONTENT_KEPT_MS + 100);
  held[0]?.writeHead(500).end('gone');
  await webhooks.drain();
  expect(await listLiveEndpoints(pool, businessId)).toMatchObject([
    { url: fresh.url, consecutive_failures: 0, last_error: null },
  ]);
  shop.advance(MINUTE);
  await webhooks.drain();
  expect(old.ids()).toEqual([ids[0]]);
  expect(fresh.ids().sort()).toEqual([...ids].sort());
  expect(await shop.rows('select status_code, response from webhook_attempts order by at')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ status_code: 500, response: expect.stringContaining('gone') }),
      { status_code: 200, response: null },
    ]),
  );
});

test('a URL that is another endpoint’s is refused with all that was named beside it, and nothing is written', async () => {
  const shop = await openMerchant();
  const [one, other] = [await shop.receiver(), await shop.receiver()];
  const { id: endpointId } = await shop.endpoint(one.url);
  await shop.endpoint(other.url);
  const { businessId, keyId, pool } = shop;
  const before = await listLiveEndpoints(pool, businessId);
  const changes = { url: other.url, event_types: ['message.opened'], enabled: false };
  await expect(
    changeEndpoint(shop.endpointDeps, { businessId, keyId, endpointId }, changes),
  ).rejects.toMatchObject({ code: 'webhook.endpoint_exists' });
  expect(await listLiveEndpoints(pool, businessId)).toEqual(before);
});

test.each([
  [{}],
  [{ url: 'https://[2606:4700:4700::1111]/' }],
  [{ event_types: [] }],
  [{ enabled: true }],
  [{ enabled: false }],
])('an endpoint that is not the shop’s own cannot be changed: %j', async (changes) => {
  const [shop, other] = [await openMerchant(), await openMerchant()];
  const { id: endpointId } = await other.endpoint((await other.receiver()).url);
  const request = { businessId: shop.businessId, keyId: shop.keyId, endpointId };
  await expect(changeEndpoint(shop.endpointDeps, request, changes)).rejects.toMatchObject({
    code: 'webhook.endpoint_not_found',
  });
  expect(await listLiveEndpoints(other.pool, other.businessId)).toMatchObject([{ disabled: false }]);
});

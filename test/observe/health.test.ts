import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { connectStore } from '../connections/connectedStore.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhookReceiver.ts';

/* An API process alone: what is due stays due. */

let service: TestService;
let receiver: WebhookReceiver;
let shop: Shop;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  service = await startService({ ROLES: 'api', WEBHOOK_ALLOW_HOSTS: receiver.host });
  shop = await service.business();
});
afterAll(async () => {
  receiver.close();
  await service.close();
});

/** Null: it has no value. */
async function metric(name: string, { url } = service): Promise<number | null> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? null : Number(line.slice(name.length));
}

test('nothing due is no lag; a due nudge that nobody sends is one', async () => {
  await eventually(async () => expect(await metric('waypost_outbox_lag_seconds')).toBe(0));
  await shop.pushed();
  await eventually(async () => expect(await metric('waypost_outbox_lag_seconds')).toBeGreaterThan(0.5));
});

test('a webhook that waits is a lag, unless its endpoint failed last time', async () => {
  await shop.call('POST', '/api/v1/webhook-endpoints', { body: { url: receiver.url } });
  await eventually(async () => expect(await metric('waypost_webhook_lag_seconds')).toBe(0));
  await service.change(shop, { paused: true });
  await shop.pushed({ recipient_email: 'bob@example.com' });
  await eventually(async () => expect(await metric('waypost_webhook_lag_seconds')).toBeGreaterThan(0.5));
  await service.pool.query(`update webhook_endpoints set last_error = 'It did not answer.'`);
  await eventually(async () => expect(await metric('waypost_webhook_lag_seconds')).toBe(0));
});

test('a call of a store that nobody handles is a lag', async () => {
  const { send } = await connectStore(service, shop);
  await eventually(async () => expect(await metric('waypost_connection_lag_seconds')).toBe(0));
  expect((await send({ id: 4711 })).status).toBe(200);
  await eventually(async () => expect(await metric('waypost_connection_lag_seconds')).toBeGreaterThan(0.5));
});

test('a full pool is seen, and the scrape does not wait for it', async () => {
  expect(await metric('waypost_database_pool_used_ratio{pool="main"}')).toBeLessThan(1);
  const { max } = service.pool.options;
  const held = await Promise.all(Array.from({ length: max }, () => service.pool.connect()));
  // Its time can be over before the test has looked at everything.
  const waiting = service.pool.connect().catch(() => null);
  try {
    expect(await metric('waypost_database_pool_used_ratio{pool="main"}')).toBe(1);
    expect(await metric('waypost_database_pool_waiting{pool="main"}')).toBeGreaterThan(0);
    await eventually(async () => expect(await metric('waypost_database_answers')).toBe(0));
    expect(await metric('waypost_outbox_lag_seconds')).toBeNull();
  } finally {
    for (const client of held) client.release();
    (await waiting)?.release();
  }
  await eventually(async () => expect(await metric('waypost_database_answers')).toBe(1));
});

test('without a database the metrics still answer, and say that it does not', async () => {
  const alone = await startService({ ROLES: 'api' });
  onTestFinished(() => alone.stop().catch(() => {}));
  await alone.database.drop();
  await eventually(async () => expect(await metric('waypost_database_answers', alone)).toBe(0));
  expect(await metric('waypost_outbox_lag_seconds', alone)).toBeNull();
});

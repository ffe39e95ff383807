import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { transaction } from '../../src/db/transaction.ts';
import { DAY, SECOND, systemClock } from '../../src/kit/clock.ts';
import { createSealer } from '../../src/kit/seal.ts';
import { deleteEndpoint } from '../../src/webhooks/changeEndpoint.ts';
import { createEndpoint } from '../../src/webhooks/endpoints.ts';
import { listLiveEndpoints } from '../../src/webhooks/endpointsSql.ts';
import { recordEvents } from '../../src/webhooks/events.ts';
import { verify } from '../support/verifySignature.ts';
import { openMerchant, type ReceivedDelivery, sampleEvent } from './merchant.ts';

const nowSeconds = (): number => systemClock.now().getTime() / SECOND;
const verifies = (secret: string, { headers, body }: ReceivedDelivery): boolean =>
  verify(secret, headers['x-service-signature'] ?? '', body, nowSeconds());
const only = <T>(list: readonly T[]): T => {
  const [first] = list;
  if (first === undefined || list.length !== 1) throw new Error(`one expected, got ${list.length}`);
  return first;
};

describe('what arrives', () => {
  test('a body of exactly four fields, sorted at every depth, without white space', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver();
    await shop.endpoint(receiver.url);
    const told = { ...sampleEvent(shop.businessId, 'message7'), recipientId: null };
    const webhooks = shop.start();
    const [id] = await shop.emit(told);
    const occurredAt = String(
      (await shop.rows('select occurred_at from events where id = $1', id))[0]?.occurred_at,
    );
    await webhooks.drain();
    const at = new Date(occurredAt).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
    expect(only(receiver.received).body.replace(/\.\d{3}Z/, 'Z')).toBe(
      '{"data":{"channel":"email","message_id":"message7","recipient_email":"jane@example.com","reference":null,' +
        `"subject":"Your order"},"id":"${id}","occurred_at":"${at}Z","type":"message.delivered"}`,
    );
  });

  test('headers that name the event and its type, and a signature over the bytes as they came', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver();
    const { secret } = await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    const [id] = await shop.emitEvents(1);
    await webhooks.drain();
    const request = only(receiver.received);
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event': 'message.delivered',
      'x-service-delivery': id,
    });
    expect(JSON.parse(request.body)).toMatchObject({ id, type: 'message.delivered' });
    const [, t = '', v1] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(request.headers['x-service-signature'] ?? '') ?? [];
    expect(v1).toBe(createHmac('sha256', secret).update(`${t}.${request.body}`).digest('hex'));
    expect(Math.abs(nowSeconds() - Number(t))).toBeLessThan(60);
  });

  test('the headers of Standard Webhooks, which its own library verifies with the same secret', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver();
    const { secret } = await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    const [id] = await shop.emitEvents(1);
    await webhooks.drain();
    const { headers, body } = only(receiver.received);
    expect(headers['webhook-id']).toBe(id);
    const verifier = new Webhook(secret);
    expect(verifier.verify(body, headers)).toMatchObject({ id, type: 'message.delivered' });
    expect(() => verifier.verify(`${body} `, headers)).toThrow(WebhookVerificationError);
    expect(() => verifier.verify(body, { ...headers, 'webhook-id': 'another' })).toThrow(
      WebhookVerificationError,
    );
  });

  test('each attempt signed anew, by the wall clock wherever the service’s clock stands', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver((_, response) =>
      response.writeHead(receiver.received.length === 1 ? 500 : 200).end(),
    );
    const { secret } = await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    shop.advance(30 * DAY);
    await shop.emitEvents(1);
    await webhooks.drain();
    await sleep(1_100);
    await shop.advanceToNext(webhooks);
    const [first, second] = receiver.received;
    if (!first || !second) throw new Error('two attempts expected');
    expect([first, second].map((one) => verifies(secret, one))).toEqual([true, true]);
    expect(second.body).toBe(first.body);
    expect(first.body).toContain(shop.clock.now().toISOString().slice(0, 'yyyy-mm'.length));
    expect(second.headers['x-service-signature']).not.toBe(first.headers['x-service-signature']);
    expect(Number(second.headers['webhook-timestamp'])).toBeGreaterThan(
      Number(first.headers['webhook-timestamp']),
    );
  });

  test('what the event says when the attempt begins: an erasure in between reaches it', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver((_, response) => response.writeHead(503).end());
    await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    const [id] = await shop.emitEvents(1);
    await webhooks.drain();
    const scrubbed = {
      message_id: 'm',
      recipient_email: null,
      subject: null,
      reference: null,
      channel: 'email',
    };
    await shop.rows('update events set data = $2 where id = $1', id, JSON.stringify(scrubbed));
    await shop.advanceToNext(webhooks);
    const [before, after] = receiver.received;
    expect(before?.body).toContain('jane@example.com');
    expect(after?.body).not.toContain('jane@example.com');
    expect(JSON.parse(after?.body ?? '')).toMatchObject({ id, data: scrubbed });
  });
});

describe('who is told', () => {
  test('every endpoint that is subscribed to the type, and one without types of everything', async () => {
    const shop = await openMerchant();
    const [all, opens, texts] = [await shop.receiver(), await shop.receiver(), await shop.receiver()];
    await shop.endpoint(all.url);
    await shop.endpoint(opens.url, { eventTypes: ['message.opened', 'message.delivered'] });
    await shop.endpoint(texts.url, { eventTypes: ['sms.delivered'] });
    const webhooks = shop.start();
    await shop.emit(sampleEvent(shop.businessId), {
      type: 'credits.low_balance',
      data: { balance: 3, threshold: 20 },
      businessId: shop.businessId,
      messageId: null,
      recipientId: null,
    });
    await webhooks.drain();
    expect(all.received.map(({ type }) => type)).toEqual(['message.delivered', 'credits.low_balance']);
    expect(opens.received.map(({ type }) => type)).toEqual(['message.delivered']);
    expect(texts.received).toEqual([]);
  });

  test('those that were subscribed when it occurred: not one that came later, is deleted or disabled', async () => {
    const shop = await openMerchant();
    const [later, deleted, disabled] = [await shop.receiver(), await shop.receiver(), await shop.receiver()];
    const gone = await shop.endpoint(deleted.url);
    await deleteEndpoint(shop.pool, shop.clock, { ...shop, endpointId: gone.id });
    const { id } = await shop.endpoint(disabled.url);
    await shop.rows('update webhook_endpoints set disabled_at = now() where id = $1', id);
    const webhooks = shop.start();
    await shop.emitEvents(1);
    await shop.endpoint(later.url);
    await webhooks.drain();
    expect([later, deleted, disabled].flatMap(({ received }) => received)).toEqual([]);
  });

  test('nobody of another business', async () => {
    const shop = await openMerchant();
    const [ours, theirs] = [await shop.receiver(), await shop.receiver()];
    await shop.endpoint(ours.url);
    const other = await createBusiness(shop.pool, shop.clock, { name: 'Other' });
    await createEndpoint(shop.endpointDeps, { ...other, url: theirs.url, eventTypes: [], description: '' });
    const webhooks = shop.start();
    await shop.emitEvents(2);
    await webhooks.drain();
    expect(ours.received).toHaveLength(2);
    expect(theirs.received).toEqual([]);
  });

  test('nobody of a change that was rolled back', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver();
    await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    const failed = transaction(shop.pool, async (tx) => {
      await recordEvents(tx, [sampleEvent(shop.businessId)], shop.clock.now());
      throw new Error('the change failed');
    });
    await expect(failed).rejects.toThrow('the change failed');
    await webhooks.drain();
    expect(receiver.received).toEqual([]);
  });
});

describe('what is seen of it', () => {
  test('the endpoint shows its last success and its last error', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver((_, response) =>
      response.writeHead(receiver.received.length === 1 ? 500 : 200).end(),
    );
    await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    await shop.emitEvents(1);
    await webhooks.drain();
    const shown = async () => only(await listLiveEndpoints(shop.pool, shop.businessId));
    expect(await shown()).toMatchObject({
      last_error: 'answered 500',
      last_success_at: null,
      consecutive_failures: 0,
    });
    await shop.advanceToNext(webhooks);
    expect(await shown()).toMatchObject({ last_error: null, last_success_at: expect.any(Date) });
  });

  test('one line an attempt is logged, with ids alone', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver();
    const { secret } = await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    await shop.emitEvents(3);
    await webhooks.drain();
    const lines = shop.logged.filter(({ message }) => message === 'webhook attempted');
    expect(lines).toHaveLength(3);
    expect(lines[0]?.fields).toMatchObject({ attempt: 1, outcome: 'delivered', status_code: 200 });
    const text = JSON.stringify(shop.logged);
    for (const hidden of ['jane@', '127.0.0.1', secret, 'Your order']) expect(text).not.toContain(hidden);
  });

  test('a secret that SECRET_KEY does not open is our mistake: logged, and not held against the endpoint', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver();
    const { id } = await shop.endpoint(receiver.url);
    const webhooks = shop.start({ sealer: createSealer(['another secret key altogether']) });
    await shop.emitEvents(1);
    webhooks.wake();
    await expect.poll(() => shop.logged.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(receiver.received).toEqual([]);
    const [endpoint] = await shop.rows(
      'select last_error, consecutive_failures from webhook_endpoints where id = $1',
      id,
    );
    expect(endpoint).toEqual({ last_error: null, consecutive_failures: 0 });
  });
});

import { describe, expect, test } from 'vitest';
import { MINUTE } from '../../src/kit/clock.ts';
import { openConsole } from '../cli/console.ts';
import { openMerchant } from './merchant.ts';

const EPOCH = '1970-01-01T00:00:00Z';

describe('deliveries', () => {
  test('list shows what became of the events of an endpoint, show every attempt', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver((_, response) =>
      response.writeHead(receiver.received.length === 1 ? 500 : 200).end(),
    );
    const { id } = await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    const [failed = '', arrived = ''] = await shop.emitEvents(2);
    await webhooks.drain();
    const cli = openConsole(shop.database.url);
    expect(await cli.json('deliveries', 'list', id)).toMatchObject({
      items: [
        {
          event_id: arrived,
          type: 'message.delivered',
          state: 'delivered',
          attempts: 1,
          status_code: 200,
          error: null,
        },
        { event_id: failed, state: 'pending', attempts: 1, status_code: 500, error: 'answered 500' },
      ],
    });
    expect(await cli.json('deliveries', 'list', id, '--state', 'delivered')).toMatchObject({
      items: [{ event_id: arrived }],
    });
    expect(await cli.json('deliveries', 'list', id, '--limit', '1')).toMatchObject({
      items: [{ event_id: arrived }],
    });
    expect(await cli.json('deliveries', 'show', id, failed)).toMatchObject({
      endpoint_id: id,
      event_id: failed,
      state: 'pending',
      attempts: [{ attempt: 1, status_code: 500, error: 'answered 500', duration_ms: expect.any(Number) }],
    });
    expect(await cli.text('deliveries', 'list', id)).toMatch(/EVENT +TYPE +OCCURRED[^\n]*\n[^\n]+delivered/);
    const shown = await cli.text('deliveries', 'show', id, failed);
    expect(shown).toMatch(/ATTEMPT +AT +STATUS +MS +ERROR\n1 +\S+ +500 +\d+ +answered 500/);
    expect(shown).not.toContain('jane@example.com');
  });

  test('replay sends one event again, or what was missed since a moment', async () => {
    const shop = await openMerchant();
    const [missed = ''] = await shop.emitEvents(1);
    const receiver = await shop.receiver();
    const { id } = await shop.endpoint(receiver.url);
    const webhooks = shop.start();
    const [arrived = ''] = await shop.emitEvents(1);
    await webhooks.drain();
    const cli = openConsole(shop.database.url);
    expect(await cli.json('deliveries', 'replay', id, arrived)).toEqual({ endpoint_id: id, replayed: 1 });
    expect(await cli.json('deliveries', 'replay', id, '--since', EPOCH, '--until', EPOCH)).toMatchObject({
      replayed: 0,
    });
    expect(await cli.json('deliveries', 'replay', id, '--since', EPOCH)).toEqual({
      endpoint_id: id,
      replayed: 1,
    });
    // An attempt in progress would lose its lease if the clock moved now.
    await webhooks.drain();
    shop.advance(10 * MINUTE);
    await webhooks.drain();
    expect([...receiver.ids()].sort()).toEqual([missed, arrived, arrived].sort());
  });

  test('a mistake is one sentence', async () => {
    const shop = await openMerchant();
    const { id } = await shop.endpoint((await shop.receiver()).url);
    const cli = openConsole(shop.database.url);
    const neither = 'deliveries replay needs an EVENT_ID, or --since TIME and optionally --until TIME.';
    expect(await cli.mistake('deliveries', 'replay', id)).toBe(neither);
    expect(await cli.mistake('deliveries', 'replay', id, 'x', '--since', EPOCH)).toBe(neither);
    expect(await cli.mistake('deliveries', 'replay', id, '--until', EPOCH)).toBe(neither);
    expect(await cli.mistake('deliveries', 'show', id, 'x')).toBe(
      'This endpoint has no delivery of "x", or its log has expired.',
    );
    expect(await cli.mistake('deliveries', 'list', 'x')).toBe('No webhook endpoint has the id "x".');
    expect(await cli.mistake('deliveries', 'list', id, '--state', 'lost')).toBe(
      '--state must be one of pending, delivered, exhausted, stopped, but is "lost".',
    );
  });
});

describe('endpoint enable', () => {
  test('replays what an endpoint missed while it was disabled, when asked to', async () => {
    const shop = await openMerchant();
    const receiver = await shop.receiver();
    const { id } = await shop.endpoint(receiver.url);
    await shop.rows('update webhook_endpoints set disabled_at = now(), consecutive_failures = 20');
    const missed = await shop.emitEvents(3);
    const cli = openConsole(shop.database.url);
    expect(await cli.json('endpoint', 'enable', id, '--replay-since', EPOCH)).toEqual({
      endpoint_id: id,
      business_id: shop.businessId,
      url: receiver.url,
      disabled: false,
      was_disabled: true,
      replayed: 3,
    });
    shop.advance(10 * MINUTE);
    await shop.start().drain();
    expect(receiver.ids()).toEqual(missed);
    expect(await cli.mistake('endpoint', 'enable', id, '--replay-until', EPOCH)).toBe(
      '--replay-until needs --replay-since TIME.',
    );
  });
});

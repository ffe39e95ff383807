import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PushPreview } from '../../src/contract/push.ts';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';
import { FULL_PUSH, queuedOutcome } from './channelOutcomes.ts';

/* What a push would do, said before it is made. test/push/preview.test.ts compares random previews with their pushes. */

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const UPDATE = { recipient_email: 'ann@example.com', subject: 'Your order', body: 'It has shipped.' };

const previewed = async (shop: Shop, change: Record<string, unknown> = {}): Promise<PushPreview> =>
  expectStatus(200, await shop.call('POST', '/api/v1/messages/preview', { body: { ...UPDATE, ...change } }));

const inTime = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();

describe('what a preview says', () => {
  test('a plain push: a new message and one email, with the words the person would read', async () => {
    const shop = await service.business({ credits: 7 });
    const preview = await previewed(shop);
    expect(preview).toMatchObject({
      created: true,
      nudged: true,
      scheduled_for: null,
      email: { sending: true, skipped_reason: null },
      sms: null,
      sms_units: 0,
      whatsapp: null,
      whatsapp_opt_in: null,
      reference: null,
      order_status: null,
      updates: null,
      obsoletes: [],
      balance_after: 7,
      language: 'en',
    });
    expect(preview.nudges).toHaveLength(1);
    expect(preview.nudges[0]).toMatchObject({
      channel: 'email',
      when: 'now',
      at: null,
      credits: 0,
      subject: 'Your order',
      template: null,
    });
    expect(preview.nudges[0]?.text).toContain('{link}');
    expect(preview.nudges[0]?.text).toContain('{unsubscribe}');
  });

  test('the texts are exactly what the person then gets, on every channel', async () => {
    const shop = await service.business({ credits: 10, name: 'Käsitöö & Ülo' });
    const push = {
      ...UPDATE,
      ...FULL_PUSH,
      recipient_email: 'same@example.com',
      channels: ['sms', 'whatsapp'],
    };
    const { nudges, balance_after } = await previewed(shop, push);
    expect(nudges.map(({ channel }) => channel)).toEqual(['email', 'sms', 'whatsapp']);
    const { id } = await shop.pushed(push);
    const captured = await eventually(async () => {
      const all = (await capturedMessages(service.url)).filter((one) => one.message_id === id);
      expect(all).toHaveLength(3);
      return all;
    });
    for (const { channel, subject, text, template } of nudges) {
      const got = captured.find((one) => one.channel === channel);
      const seen = got?.text
        .replace(/http\S+\/i\/[\w-]+/, '{link}')
        .replace(/http\S+\/unsubscribe\S+/, '{unsubscribe}');
      expect(seen).toBe(text);
      expect(got?.subject ?? null).toBe(subject);
      expect(Object(got?.template ?? {}).name ?? null).toBe(template);
    }
    expect(balance_after).toBe(8);
  });

  test('the parcels are in its email as they then are: the one it names, else all of the order', async () => {
    const shop = await service.business({ name: 'Acme' });
    const order = { ...UPDATE, reference: '#77', order_status: 'shipped' };
    const shipment = (tracking_number: string) => ({
      tracking_number,
      carrier: 'Omniva',
      tracking_url: `https://track.example/${tracking_number}`,
      expected_on: inTime(3 * 24 * 60).slice(0, 10),
    });
    const mailOf = async (push: Record<string, unknown>) => {
      const [previewedMail] = (await previewed(shop, push)).nudges;
      const { id } = await shop.pushed({ ...order, ...push });
      const mail = await eventually(async () => {
        const one = (await capturedMessages(service.url)).find(({ message_id }) => message_id === id);
        expect(one).toBeDefined();
        return one;
      });
      const sent = mail?.text
        .replace(/http\S+\/i\/[\w-]+/, '{link}')
        .replace(/http\S+\/unsubscribe\S+/, '{unsubscribe}');
      expect(previewedMail?.text).toBe(sent);
      return sent;
    };
    expect(await mailOf({ ...order, subject: 'None yet' })).not.toContain('Tracking number');
    const named = await mailOf({ ...order, subject: 'The first', shipment: shipment('AA1') });
    expect(named).toContain(
      'Carrier: Omniva\nTracking number: AA1\nFollow your parcel:\nhttps://track.example/AA1',
    );
    const second = await mailOf({ ...order, subject: 'The second', shipment: shipment('BB2') });
    expect(second).not.toContain('AA1');
    const all = await mailOf({ ...order, subject: 'No shipment named' });
    expect(all).toMatch(/Parcel 1 of 2[\s\S]*AA1[\s\S]*Parcel 2 of 2[\s\S]*BB2/);
    // An update in place keeps the shipment that its message names.
    const update = { ...order, kind: 'updateable', subject: 'Kept' };
    await mailOf({ ...update, shipment: shipment('AA1') });
    const [kept] = (await previewed(shop, { ...update, notify: true })).nudges;
    expect(kept?.text).toContain('AA1');
    expect(kept?.text).not.toContain('BB2');
  });

  test('a scheduled push: its nudges are certain, and go at send_at', async () => {
    const shop = await service.business({ credits: 5 });
    const send_at = inTime(90);
    const preview = await previewed(shop, { ...FULL_PUSH, channels: ['sms'], send_at });
    expect(preview.scheduled_for).toBe(send_at);
    expect(preview.nudges.map(({ channel, when, at }) => ({ channel, when, at }))).toEqual([
      { channel: 'email', when: 'scheduled', at: send_at },
      { channel: 'sms', when: 'scheduled', at: send_at },
    ]);
    expect(preview.balance_after).toBe(4);
  });

  test('what goes only if unread, or only if WhatsApp fails, comes last and is not yet charged', async () => {
    const shop = await service.business({ credits: 5 });
    const preview = await previewed(shop, {
      ...FULL_PUSH,
      channels: ['whatsapp'],
      sms_if_whatsapp_fails: true,
      escalate_if_unread_after_minutes: 30,
    });
    const { escalates_at } = preview.whatsapp ?? {};
    expect(preview.nudges.map(({ channel, when, at, credits }) => [channel, when, at, credits])).toEqual([
      ['email', 'now', null, 0],
      ['whatsapp', 'if_unread', escalates_at, 1],
      ['sms', 'if_whatsapp_fails', null, 1],
    ]);
    expect(preview.balance_after).toBe(5);
  });

  test('a held fallback that no template can precede is one text, at the deadline', async () => {
    const shop = await service.business({ credits: 5 });
    const preview = await previewed(shop, {
      ...FULL_PUSH,
      order_status: null,
      channels: ['whatsapp'],
      sms_if_whatsapp_fails: true,
      escalate_if_unread_after_minutes: 30,
    });
    expect(preview.whatsapp).toMatchObject({ sms_fallback: true, skipped_reason: null });
    expect(preview.nudges.map(({ channel, when, at }) => [channel, when, at])).toEqual([
      ['email', 'now', null],
      ['sms', 'if_unread', preview.whatsapp?.escalates_at],
    ]);
  });

  test('a skipped channel says why and has no nudge', async () => {
    const shop = await service.business({ credits: 0 });
    const preview = await previewed(shop, { ...FULL_PUSH, channels: ['sms'] });
    expect(preview.sms).toMatchObject({ queued: false, skipped_reason: 'insufficient_credit' });
    expect(preview.nudges.map(({ channel }) => channel)).toEqual(['email']);
  });

  test('the message that would be updated, and a balance that counts what the update frees', async () => {
    const shop = await service.business({ credits: 5 });
    const push = { ...UPDATE, ...FULL_PUSH, kind: 'updateable', channels: ['sms'], send_at: inTime(60) };
    const { id } = await shop.pushed(push);
    const preview = await previewed(shop, { ...push, notify: true });
    expect(preview).toMatchObject({ created: false, updates: id, sms: queuedOutcome(), balance_after: 4 });
    expect(preview.nudges[0]?.text).toContain('A message has changed');
    expect(await previewed(shop, push)).toMatchObject({ updates: id, nudged: false, nudges: [] });
  });

  test('the messages that would become obsolete, in the order named, each once', async () => {
    const shop = await service.business();
    const ids = [(await shop.pushed()).id, (await shop.pushed({ subject: 'Another' })).id];
    const [first, second] = ids;
    const { obsoletes } = await previewed(shop, { obsoletes: [second, 'unknown', first, second] });
    expect(obsoletes).toEqual([second, first]);
  });
});

describe('what a preview leaves alone', () => {
  test('it takes no idempotency key, and a push after it is the first', async () => {
    const shop = await service.business({ credits: 3 });
    const push = { ...FULL_PUSH, recipient_email: 'nobody.yet@example.com', channels: ['sms'] };
    await previewed(shop, push);
    expect(await shop.pushed(push, 'key')).toMatchObject({ created: true });
    const { rows } = await service.pool.query(
      'select count(*)::int as count from idempotency_records where business_id = $1',
      [shop.businessId],
    );
    expect(rows).toEqual([{ count: 1 }]);
  });

  test('nothing of the person is logged', async () => {
    const shop = await service.business({ credits: 3 });
    await previewed(shop, {
      ...FULL_PUSH,
      recipient_email: 'quiet.person@example.com',
      subject: 'Secret subject',
    });
    const logged = JSON.stringify(service.logged);
    for (const text of ['quiet.person', 'Secret subject', PHONE_NUMBER]) expect(logged).not.toContain(text);
  });
});

describe('how a preview is refused', () => {
  test.each([
    ['several faults', { recipient_email: 'nobody', subject: '', send_at: 'tomorrow' }],
    ['a number that is nobody’s', { recipient_phone: '+37212' }],
    ['consent about no number', { whatsapp_opt_in: { source: 'checkout' } }],
  ])('as the push is: %s', async (_, change) => {
    const shop = await service.business();
    const body = { ...UPDATE, ...change };
    const preview = await shop.call('POST', '/api/v1/messages/preview', { body });
    const push = await shop.call('POST', '/api/v1/messages', { body, idempotencyKey: 'key' });
    expect(preview.status).toBe(422);
    expect([preview.status, preview.body]).toEqual([push.status, push.body]);
  });

  test('without a key, 401; by another method, 405', async () => {
    const shop = await service.business();
    expect((await shop.call('POST', '/api/v1/messages/preview', { body: UPDATE, key: null })).status).toBe(
      401,
    );
    expect((await shop.call('GET', '/api/v1/messages/preview')).status).toBe(405);
    expect(
      (await shop.call('POST', '/api/v1/messages/preview/retract', { idempotencyKey: 'k' })).status,
    ).toBe(404);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RecipientView } from '../../src/contract/recipients.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { suppress } from '../../src/recipients/suppressions.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop, statusAndCode, validationErrorsOf } from '../support/shop.ts';

const PHONE = '+37255550134';
const OTHER_PHONE = '+37255550135';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business({ credits: 20, smsMode: 'on', whatsappMode: 'on' });
});

const view = async (email = 'ann@example.com'): Promise<RecipientView> =>
  expectStatus(200, await shop.get(`/api/v1/recipients/${email}`));
const sandbox = (path: string, body: unknown) =>
  fetch(`${service.url}/sandbox/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const said = ({ consents }: RecipientView) =>
  consents.map(({ channel, action, source }) => [channel, action, source].join(' '));

describe('GET /recipients/{email}', () => {
  test('200: someone who was messaged and nothing else', async () => {
    const { created_at } = await shop.pushed();
    await shop.pushed();
    expect(await view()).toEqual({
      recipient_email: 'ann@example.com',
      language: null,
      first_seen_at: created_at,
      messages: 2,
      phone: null,
      sms: { status: 'none', at: null, source: null },
      whatsapp: { status: 'none', at: null, source: null },
      email: { unsubscribed: false, suppressed: false, reason: null, at: null },
      consents: [],
    });
  });

  test('a number and an opt-in of a push: masked, with their sources and times', async () => {
    const { created_at } = await shop.pushed({
      recipient_phone: PHONE,
      whatsapp_opt_in: { source: 'checkout box' },
    });
    const seen = await view(' Ann@Example.COM ');
    expect(seen).toMatchObject({
      phone: '+372 •••• 0134',
      sms: { status: 'active', at: created_at, source: 'push' },
      whatsapp: { status: 'active', at: created_at, source: 'checkout box' },
    });
    expect(seen.consents).toEqual([
      { at: created_at, channel: 'sms', action: 'granted', source: 'push' },
      { at: created_at, channel: 'whatsapp', action: 'granted', source: 'checkout box' },
    ]);
    expect(JSON.stringify(seen)).not.toContain(PHONE.slice(4, 8));
  });

  test('every change of consent, oldest first, and who made it', async () => {
    await shop.pushed({ recipient_phone: PHONE, whatsapp_opt_in: { source: 'checkout' } });
    await service.advance({ seconds: 5 });
    await sandbox('sms/inbound', { from: PHONE, body: 'STOP' });
    const stopped = await view();
    expect(stopped.sms).toMatchObject({ status: 'stopped', source: 'text', at: expect.any(String) });
    await sandbox('sms/inbound', { from: PHONE, body: 'START' });
    expect((await view()).sms).toMatchObject({ status: 'active', source: 'text' });
    await shop.put('/api/v1/recipients/ann@example.com/phone', { phone: OTHER_PHONE });
    expect((await view()).whatsapp).toMatchObject({ status: 'none', source: 'api' });
    await shop.pushed({ whatsapp_opt_in: { source: 'the phone' } });
    await shop.pushed({ recipient_phone: PHONE });
    await shop.delete('/api/v1/recipients/ann@example.com/phone');
    const seen = await view();
    expect(said(seen)).toEqual([
      'sms granted push',
      'whatsapp granted checkout',
      'sms stopped text',
      'sms started text',
      'whatsapp cleared api',
      'whatsapp granted the phone',
      'whatsapp cleared push',
      'sms cleared api',
    ]);
    const times = seen.consents.map(({ at }) => at);
    expect(times).toEqual([...times].sort());
    expect(seen).toMatchObject({ phone: null, sms: { status: 'none', source: 'api' } });
  });

  test('a number that was stopped before says who stopped it', async () => {
    await shop.pushed({ recipient_phone: PHONE });
    await service.advance({ seconds: 5 });
    await sandbox('sms/inbound', { from: PHONE, body: 'STOP' });
    await shop.delete('/api/v1/recipients/ann@example.com/phone');
    await shop.pushed({ recipient_email: 'bob@example.com', recipient_phone: PHONE });
    expect((await view('bob@example.com')).sms).toMatchObject({ status: 'stopped', source: 'text' });
  });

  test('erased WhatsApp history is withdrawn consent', async () => {
    await shop.pushed({ recipient_phone: PHONE, whatsapp_opt_in: { source: 'checkout' } });
    await shop.post('/api/v1/recipients/ann@example.com/whatsapp/erase');
    const seen = await view();
    expect(seen.whatsapp).toMatchObject({ status: 'stopped', source: 'api' });
    expect(said(seen).at(-1)).toBe('whatsapp withdrawn api');
  });

  const suppressFor = (reason: 'bounce' | 'complaint' | 'unsubscribe' | 'operator') =>
    suppress(
      service.pool,
      service.hash,
      [{ businessId: shop.businessId, email: 'ann@example.com', reason }],
      systemClock.now(),
    );

  test.each([
    ['bounce', 'hard_bounce'],
    ['complaint', 'complaint'],
    ['operator', 'operator'],
  ] as const)('an address suppressed for %s says %s', async (stored, reason) => {
    await shop.pushed();
    await suppressFor(stored);
    expect((await view()).email).toEqual({
      unsubscribed: false,
      suppressed: true,
      reason,
      at: expect.any(String),
    });
  });

  test('unsubscribed is said first, whatever else stops email', async () => {
    await shop.pushed();
    await suppressFor('unsubscribe');
    expect((await view()).email).toMatchObject({
      unsubscribed: true,
      suppressed: false,
      reason: 'unsubscribed',
    });
    await suppressFor('bounce');
    expect((await view()).email).toMatchObject({
      unsubscribed: true,
      suppressed: true,
      reason: 'unsubscribed',
    });
  });

  test('404: never messaged, another business’s, or erased; 422: no address', async () => {
    const other = await service.business();
    await other.pushed({ recipient_email: 'theirs@example.com' });
    await shop.pushed();
    await shop.post('/api/v1/recipients/ann@example.com/erase');
    for (const email of ['nobody@example.com', 'theirs@example.com', 'ann@example.com'])
      expect(statusAndCode(await shop.get(`/api/v1/recipients/${email}`))).toBe('404 recipient.not_found');
    expect(validationErrorsOf(await shop.get('/api/v1/recipients/nobody'))).toMatchObject([
      { loc: ['path', 'email'] },
    ]);
  });
});

describe('GET /recipients/{email}/export', () => {
  const path = (email = 'ann@example.com') => `/api/v1/recipients/${email}/export`;

  test('200: everything that is held, table by table', async () => {
    const { id } = await shop.pushed({ recipient_phone: PHONE, reference: '#1001' });
    await service.advance({ seconds: 5 });
    const exported: Record<string, unknown> = expectStatus(200, await shop.get(path()));
    expect(exported).toMatchObject({
      exported_at: expect.any(String),
      email: 'ann@example.com',
      recipient: { email: 'ann@example.com', phone: PHONE, sms_status: 'active' },
      messages: [{ id, reference: '#1001', body: expect.any(String), sends: expect.any(Array) }],
      consent_log: [{ channel: 'sms', action: 'granted', source: 'push' }],
    });
    // Times are written as everywhere in the interface.
    const times = JSON.stringify(exported).match(/"\w+_at":"[^"]+"/g) ?? [];
    expect(times.length).toBeGreaterThan(5);
    expect(times.filter((one) => !/T\d\d:\d\d:\d\d\.\d{3}Z"$/.test(one))).toEqual([]);
  });

  test('holds nothing that opens the inbox, and nobody else', async () => {
    await shop.pushed();
    await shop.pushed({ recipient_email: 'bob@example.com' });
    await service.advance({ seconds: 5 });
    const { text } = await shop.get(path());
    expect(text).not.toContain('token_hash');
    expect(text).not.toContain('bob@example.com');
    expect(text).toContain('/i/…');
    expect(text).not.toMatch(/\/i\/[\w-]/);
  });

  test('after an erasure: what outlived it, or 404', async () => {
    await shop.pushed();
    await shop.post('/api/v1/recipients/ann@example.com/erase');
    expect(statusAndCode(await shop.get(path()))).toBe('404 recipient.not_found');
    await suppress(
      service.pool,
      service.hash,
      [{ businessId: shop.businessId, email: 'ann@example.com', reason: 'bounce' }],
      systemClock.now(),
    );
    expect(expectStatus<object>(200, await shop.get(path()))).toMatchObject({
      recipient: null,
      messages: [],
      suppressions: [{ reason: 'bounce' }],
    });
  });

  test('404: never messaged, or another business’s', async () => {
    const other = await service.business();
    await other.pushed({ recipient_email: 'theirs@example.com' });
    for (const email of ['nobody@example.com', 'theirs@example.com'])
      expect(statusAndCode(await shop.get(path(email)))).toBe('404 recipient.not_found');
  });
});

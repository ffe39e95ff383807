import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop, statusAndCode } from '../support/shop.ts';
import { creditBalanceOf } from './recipientEvents.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business({ credits: 100 });
});

interface Viewed {
  id: string;
  body: string;
  status: string;
  subject: string;
  scheduled_for: string | null;
  updated_at: string;
  delivery: {
    not_sent: { reason: string } | null;
    sms: { status: string; skipped_reason: string | null } | null;
  };
}
const view = async (id: string): Promise<Viewed> =>
  expectStatus(200, await shop.get(`/api/v1/messages/${id}`));
const list = async (): Promise<{ items: Viewed[] }> => expectStatus(200, await shop.get('/api/v1/messages'));
const reservedOf = async () => (await creditBalanceOf(service, shop)).reserved;
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
const SMS = { channels: ['sms'], recipient_phone: '+37255550134' };

describe('2.1 kind', () => {
  test('is one_off unless said: always a new message and nudge', async () => {
    const [first, second] = [await shop.pushed(), await shop.pushed()];
    expect([first, second]).toMatchObject([
      { kind: 'one_off', created: true, nudged: true },
      { kind: 'one_off', created: true, nudged: true },
    ]);
    expect(second.id).not.toBe(first.id);
  });

  test('updateable: creates and nudges, then updates in place quietly', async () => {
    const first = await shop.pushed({ kind: 'updateable', reference: '#1', order_status: 'confirmed' });
    expect(first).toMatchObject({ kind: 'updateable', created: true, nudged: true });
    const second = await shop.pushed({
      kind: 'updateable',
      body: 'New',
      reference: '#2',
      order_status: 'shipped',
    });
    expect(second).toMatchObject({
      id: first.id,
      created: false,
      nudged: false,
      email: null,
      sms: null,
      whatsapp: null,
      scheduled_for: null,
      reference: '#2',
      order_status: 'shipped',
      created_at: first.created_at,
    });
    expect(Date.parse(second.updated_at)).toBeGreaterThanOrEqual(Date.parse(first.updated_at));
    expect(await view(first.id)).toMatchObject({
      body: 'New',
      reference: '#2',
      order_status: 'shipped',
      created_at: first.created_at,
      updated_at: second.updated_at,
    });
    expect((await list()).items).toHaveLength(1);
  });

  test('an in-place update takes reference and order_status away when it brings none', async () => {
    const { id } = await shop.pushed({ kind: 'updateable', reference: '#1', order_status: 'confirmed' });
    await shop.pushed({ kind: 'updateable' });
    expect(await view(id)).toMatchObject({ reference: null, order_status: null });
  });

  test.each([
    ['another subject', { subject: 'Your order #1002 has shipped' }],
    ['the subject with another space', { subject: 'Your order #1001 has shipped ' }],
    ['the subject in another case', { subject: 'your order #1001 has shipped' }],
    ['another recipient', { recipient_email: 'bob@example.com' }],
  ])('%s is another message', async (_, change) => {
    const first = await shop.pushed({ kind: 'updateable' });
    const second = await shop.pushed({ kind: 'updateable', ...change });
    expect(second).toMatchObject({ created: true });
    expect(second.id).not.toBe(first.id);
  });

  test('a one_off message is never updated, and updates none', async () => {
    const oneOff = await shop.pushed();
    const updateable = await shop.pushed({ kind: 'updateable' });
    const again = await shop.pushed();
    expect(new Set([oneOff.id, updateable.id, again.id]).size).toBe(3);
  });

  test('another business’s message is never updated', async () => {
    const first = await shop.pushed({ kind: 'updateable' });
    const other = await service.business();
    expect(await other.pushed({ kind: 'updateable' })).toMatchObject({ created: true });
    expect(await view(first.id)).toMatchObject({ updated_at: first.updated_at });
  });

  test('only an active message is updated: after a retraction, or once obsolete, the next push creates', async () => {
    const first = await shop.pushed({ kind: 'updateable' });
    await shop.post(`/api/v1/messages/${first.id}/retract`);
    const second = await shop.pushed({ kind: 'updateable' });
    expect(second).toMatchObject({ created: true });
    await shop.pushed({ subject: 'Other', obsoletes: [second.id] });
    expect(await shop.pushed({ kind: 'updateable' })).toMatchObject({ created: true });
  });

  test('a quiet update leaves what still waits as it is', async () => {
    const at = inMinutes(60);
    const first = await shop.pushed({ kind: 'updateable', ...SMS, send_at: at });
    expect(first.sms).toMatchObject({ queued: true });
    await shop.pushed({ kind: 'updateable', body: 'New' });
    expect(await view(first.id)).toMatchObject({
      scheduled_for: at,
      delivery: { sms: { status: 'queued' }, not_sent: null },
    });
    expect(await reservedOf()).toBe(1);
  });
});

describe('2.1 notify', () => {
  test.each([
    ['create', null, true],
    ['create', true, true],
    ['create', false, false],
    ['update', null, false],
    ['update', true, true],
    ['update', false, false],
  ])('%s with %s: nudged is %s', async (what, notify, nudged) => {
    if (what === 'update') await shop.pushed({ kind: 'updateable' });
    const pushed = await shop.pushed({ kind: 'updateable', notify, ...SMS, send_at: inMinutes(5) });
    expect(pushed).toMatchObject({ created: what === 'create', nudged, sms_units: nudged ? 1 : 0 });
    const outcomes = [pushed.email, pushed.sms, pushed.scheduled_for];
    if (nudged) expect(outcomes).not.toContain(null);
    else expect([...outcomes, pushed.whatsapp]).toEqual([null, null, null, null]);
  });

  test('a forced nudge takes the place of the one that still waits: nobody is told twice, nothing is set aside twice', async () => {
    const first = await shop.pushed({ kind: 'updateable', ...SMS, send_at: inMinutes(60) });
    const second = await shop.pushed({ kind: 'updateable', ...SMS, notify: true });
    expect(second).toMatchObject({ id: first.id, scheduled_for: null, sms: { queued: true } });
    expect(await reservedOf()).toBe(1);
    expect(await view(first.id)).toMatchObject({ scheduled_for: null });
    const { rows } = await service.pool.query(
      `select channel from sends where business_id = $1 and state = 'queued' order by channel`,
      [shop.businessId],
    );
    expect(rows).toEqual([{ channel: 'email' }, { channel: 'sms' }]);
  });

  test('the fallback text of a WhatsApp message is cancelled with it', async () => {
    const whatsapp = {
      kind: 'updateable',
      recipient_phone: '+37255550134',
      whatsapp_opt_in: { source: 'checkout' },
      channels: ['whatsapp'],
      reference: '#1',
      order_status: 'shipped',
      notify: true,
    };
    const first = await shop.pushed({ ...whatsapp, sms_if_whatsapp_fails: true });
    expect(first.whatsapp).toMatchObject({ queued: true, sms_fallback: true });
    const second = await shop.pushed(whatsapp);
    expect(second.whatsapp).toMatchObject({ queued: true, sms_fallback: false });
    expect((await shop.post(`/api/v1/messages/${first.id}/retract`)).body).toMatchObject({
      sends_cancelled: 2,
    });
  });
});

describe('2.1 obsoletes', () => {
  test('marks the caller’s earlier messages obsolete, for any recipient', async () => {
    const [first, second] = [await shop.pushed(), await shop.pushed({ recipient_email: 'bob@example.com' })];
    const third = await shop.pushed({ obsoletes: [first.id, second.id, first.id] });
    expect(third.status).toBe('active');
    expect((await list()).items.map(({ id, status }) => [id, status])).toEqual([
      [third.id, 'active'],
      [second.id, 'obsolete'],
      [first.id, 'obsolete'],
    ]);
  });

  test('cancels the nudges that still wait, and releases their reserved credits', async () => {
    const first = await shop.pushed({ ...SMS, send_at: inMinutes(60) });
    expect(await reservedOf()).toBe(1);
    await shop.pushed({ subject: 'Next', obsoletes: [first.id] });
    expect(await reservedOf()).toBe(0);
    expect(await view(first.id)).toMatchObject({
      status: 'obsolete',
      delivery: {
        not_sent: { reason: 'message_obsolete' },
        sms: { status: 'skipped', skipped_reason: 'message_obsolete', credits_charged: 0 },
      },
    });
  });

  test('ignores what is unknown, another business’s, already obsolete or retracted', async () => {
    const other = await service.business();
    const theirs = await other.pushed();
    const [old, gone] = [await shop.pushed(), await shop.pushed()];
    await shop.pushed({ obsoletes: [old.id] });
    await shop.post(`/api/v1/messages/${gone.id}/retract`);
    const answer = await shop.push({ obsoletes: ['unknown', '', theirs.id, old.id, gone.id] });
    expect(answer.status).toBe(201);
    expect((await other.get(`/api/v1/messages/${theirs.id}`)).body).toMatchObject({ status: 'active' });
    expect(await view(gone.id)).toMatchObject({ status: 'retracted' });
  });

  test('an update in place that names itself stays active', async () => {
    const { id } = await shop.pushed({ kind: 'updateable' });
    expect(await shop.pushed({ kind: 'updateable', obsoletes: [id] })).toMatchObject({
      id,
      status: 'active',
      created: false,
    });
  });

  test('frees the subject for a new updateable message within the same batch', async () => {
    const { id } = await shop.pushed({ kind: 'updateable' });
    const answer = await shop.batch([
      { subject: 'Other', obsoletes: [id] },
      { kind: 'updateable' },
      { kind: 'updateable', body: 'Later' },
    ]);
    expect(answer.body).toMatchObject({
      succeeded: 3,
      items: [{ ok: true }, { result: { created: true } }, { result: { created: false } }],
    });
  });
});

describe('4. push', () => {
  test('201 with a public id that nobody can guess', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await shop.pushed()).id));
    for (const id of ids) expect(id).toMatch(/^[0-9a-z]{12,64}$/);
    expect(new Set(ids.map((id) => id.slice(10))).size).toBe(20);
  });

  test('nothing is stored on a 422', async () => {
    expect((await shop.push({ subject: '' })).status).toBe(422);
    expect((await shop.push({ whatsapp_opt_in: { source: 'checkout' } })).status).toBe(422);
    expect(await list()).toMatchObject({ items: [] });
    expect(statusAndCode(await shop.get('/api/v1/recipients/ann@example.com/sms'))).toBe(
      '404 recipient.not_found',
    );
  });
});

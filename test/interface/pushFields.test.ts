import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { type Shop, statusAndCode } from '../support/shop.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business({ credits: 100 });
});

const view = async (id: string) => (await shop.get(`/api/v1/messages/${id}`)).body;
const list = async () => (await shop.get('/api/v1/messages')).body;
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
const SMS = { channels: ['sms'], recipient_phone: '+37255550134' };

describe('2.1 recipient_email', () => {
  test('is trimmed and lower-cased when stored', async () => {
    const first = await shop.pushed({ recipient_email: "  Ann.O'Hara@Example.COM\n" });
    expect(first.recipient_email).toBe("ann.o'hara@example.com");
    expect(await view(first.id)).toMatchObject({ recipient_email: "ann.o'hara@example.com" });
  });

  test('in another spelling is the same recipient', async () => {
    await shop.pushed({ recipient_email: 'ANN@example.com', recipient_phone: '+37255550134' });
    const { sms } = await shop.pushed({ recipient_email: ' ann@EXAMPLE.com', channels: ['sms'] });
    expect(sms).toMatchObject({ queued: true });
  });

  test('with an international domain is stored in its ASCII form', async () => {
    expect((await shop.pushed({ recipient_email: 'ann@Bücher.example' })).recipient_email).toBe(
      'ann@xn--bcher-kva.example',
    );
  });

  test.each([
    'ann',
    'ann@',
    '@example.com',
    'ann@example',
    'ann@example..com',
    'an n@example.com',
    'ann@exam_ple.com',
    'ann@127.0.0.1',
    'Ann <ann@example.com>',
    'ann@example.com, bob@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ann@${'a'.repeat(250)}.com`,
    'ann@example.com\r\nBcc: bob@example.com',
  ])('%j is no address', async (recipient_email) => {
    expect(statusAndCode(await shop.push({ recipient_email }))).toBe('422 common.validation_failed');
  });
});

describe('2.1 subject and body', () => {
  test('are stored as sent, markup and white space included', async () => {
    const [subject, body] = [
      '  <b>Order</b> & "more" ',
      ' Line one\r\n\n<script>alert(1)</script> https://x.example/?a=1&b=2 \t',
    ];
    const { id, subject: echoed } = await shop.pushed({ subject, body });
    expect(echoed).toBe(subject);
    expect(await view(id)).toMatchObject({ subject, body });
  });
});

describe('2.1 recipient_phone', () => {
  test('is stored against this recipient and reused on later pushes', async () => {
    await shop.pushed({ recipient_phone: '+372 5555 0134' });
    expect((await shop.pushed({ channels: ['sms'] })).sms).toMatchObject({ queued: true });
    expect((await shop.get('/api/v1/recipients/ann@example.com/sms')).body).toMatchObject({
      phone: '+372 •••• 0134',
    });
  });

  test('is this recipient’s alone: another one has none', async () => {
    await shop.pushed({ recipient_phone: '+37255550134' });
    const { sms } = await shop.pushed({ recipient_email: 'bob@example.com', channels: ['sms'] });
    expect(sms).toMatchObject({ queued: false, skipped_reason: 'no_phone' });
  });

  test('is stored for this business alone', async () => {
    await shop.pushed({ recipient_phone: '+37255550134' });
    const other = await service.business({ credits: 5 });
    expect((await other.pushed({ channels: ['sms'] })).sms).toMatchObject({ skipped_reason: 'no_phone' });
    expect((await other.pushed({ recipient_email: 'bob@example.com', ...SMS })).sms).toMatchObject({
      queued: true,
    });
  });

  test.each(['+37255550134', '0037255550134', '+372 5555-0134', '(+372) 5555.0134', '+372/5555 0134'])(
    'is understood as %s',
    async (recipient_phone) => {
      expect((await shop.pushed({ ...SMS, recipient_phone })).sms).toMatchObject({ queued: true });
    },
  );

  test.each([
    ['no country', '55550134'],
    ['a word', 'call me'],
    ['nothing', ''],
    ['too short', '+3725'],
    ['too long', '+372555501345555013455550134'],
    ['an extension', '+37255550134 ext. 5'],
    ['premium rate', '+449098790000'],
    ['toll free', '+448001111111'],
    ['shared cost', '+448443357000'],
    ['personal number', '+447012345678'],
    ['+800', '+80012345678'],
    ['+808', '+80812345678'],
    ['+870', '+870773111632'],
    ['+878', '+878101234567890'],
    ['+881', '+881612345678'],
    ['+882', '+88213300655'],
    ['+883', '+883510012345'],
    ['+888', '+888123456789'],
    ['+979', '+979123456789'],
  ])('that cannot be a person’s is refused before anything is written: %s', async (_, recipient_phone) => {
    expect(statusAndCode(await shop.push({ recipient_phone }, 'phone'))).toBe('422 sms.phone_invalid');
    expect(await list()).toMatchObject({ items: [] });
    expect(statusAndCode(await shop.push({}, 'phone'))).toBe('201');
  });

  test('that belongs to another recipient is not stored, and the push goes on', async () => {
    await shop.pushed({ recipient_email: 'bob@example.com', recipient_phone: '+37255550134' });
    const pushed = await shop.pushed(SMS);
    expect(pushed).toMatchObject({
      created: true,
      email: { sending: true },
      sms: { queued: false, skipped_reason: 'phone_conflict' },
    });
    expect((await shop.get('/api/v1/recipients/ann@example.com/sms')).body).toMatchObject({
      phone: null,
      sms_status: 'none',
    });
    expect((await shop.get('/api/v1/recipients/bob@example.com/sms')).body).toMatchObject({
      phone: '+372 •••• 0134',
    });
  });

  test('is recorded by a push that does not nudge, too', async () => {
    await shop.pushed({ recipient_phone: '+37255550134', notify: false });
    expect((await shop.get('/api/v1/recipients/ann@example.com/sms')).body).toMatchObject({
      sms_status: 'active',
      sms_consent_source: 'push',
    });
  });
});

describe('2.1 reference', () => {
  test.each(['#1001', 'A-1', 'a_b/c.d', '.', '-', '/..', '0', '###', 'www.example.com'])(
    '%s is stored and echoed',
    async (reference) => {
      const { id, reference: echoed } = await shop.pushed({ reference });
      expect(echoed).toBe(reference);
      expect(await view(id)).toMatchObject({ reference });
    },
  );

  test.each(['A 1', 'Ä1', '1,000', 'a:b', 'a&b', '🎁', '1\n', '№1'])('%j is refused', async (reference) => {
    expect(statusAndCode(await shop.push({ reference }))).toBe('422 common.validation_failed');
  });
});

describe('2.1 order_status', () => {
  test.each([
    'confirmed',
    'shipped',
    'in_transit',
    'out_for_delivery',
    'delivery_attempted',
    'ready_for_pickup',
    'delivered',
    'cancelled',
    'refunded',
    'delayed',
    'teleported',
    '',
    'Shipped',
  ])('%j is echoed', async (order_status) => {
    const { id, order_status: echoed } = await shop.pushed({ order_status });
    expect(echoed).toBe(order_status);
    expect(await view(id)).toMatchObject({ order_status });
  });
});

describe('2.1 send_at', () => {
  test('holds the nudge; the message is stored and readable at once', async () => {
    const at = inMinutes(30);
    const pushed = await shop.pushed({ send_at: at });
    expect(pushed).toMatchObject({ scheduled_for: at, nudged: true, email: { sending: true } });
    expect(await view(pushed.id)).toMatchObject({ status: 'active', scheduled_for: at });
    const { rows } = await service.pool.query('select due_at from sends where message_id = $1', [pushed.id]);
    expect(rows).toEqual([{ due_at: new Date(at) }]);
  });

  test('is ignored when the push sends no nudge', async () => {
    const pushed = await shop.pushed({ send_at: inMinutes(30), notify: false });
    expect(pushed).toMatchObject({ scheduled_for: null, nudged: false });
    expect(await view(pushed.id)).toMatchObject({ scheduled_for: null });
  });

  test('takes any offset, and a fraction', async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    expect((await shop.pushed({ send_at: soon.replace('Z', '+00:00') })).scheduled_for).toBe(soon);
    expect((await shop.pushed({ send_at: soon.replace('T', ' ').replace('Z', 'z') })).scheduled_for).toBe(
      soon,
    );
  });
});

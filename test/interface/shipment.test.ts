import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { type Shop, statusAndCode, validationErrorsOf } from '../support/shop.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
});
afterAll(() => service.close());
beforeEach(async () => {
  shop = await service.business({ credits: 5 });
});

const SHIPMENT = {
  tracking_number: 'EE 123-456',
  carrier: 'Omniva',
  tracking_url: 'https://track.example.com/EE123456?lang=en#events',
  expected_on: '2026-08-24',
  expected_until: '2026-08-26',
};
const UNKNOWN = { carrier: null, tracking_url: null, expected_on: null, expected_until: null };
const NO_EVENTS = { status: null, status_at: null, events: [] };

const orderOf = async (reference: string) =>
  (await shop.get(`/api/v1/orders/${encodeURIComponent(reference)}`)).body;
const shipmentsOf = async (reference: string) => {
  const order = await orderOf(reference);
  return typeof order === 'object' && order !== null && 'shipments' in order ? order.shipments : order;
};

describe('a shipment on a push', () => {
  test('is stored with its order, all that was said', async () => {
    await shop.pushed({ reference: '#1001', shipment: SHIPMENT });
    expect(await shipmentsOf('#1001')).toEqual([{ ...SHIPMENT, ...NO_EVENTS }]);
  });

  test('leaves the answer of the push as it was', async () => {
    const [plain, named] = [await shop.pushed(), await shop.pushed({ reference: 'A-1', shipment: SHIPMENT })];
    expect(Object.keys(named)).toEqual(Object.keys(plain));
  });

  test('with the same number replaces the other four fields, those left out too; another number is another shipment', async () => {
    await shop.pushed({ reference: 'A-1', shipment: SHIPMENT });
    await shop.pushed({ reference: 'A-1', shipment: { tracking_number: 'SECOND' } });
    await shop.pushed({ reference: 'A-1', shipment: { tracking_number: ' EE 123-456 ', carrier: 'DPD' } });
    expect(await shipmentsOf('A-1')).toEqual([
      { tracking_number: 'EE 123-456', ...UNKNOWN, carrier: 'DPD', ...NO_EVENTS },
      { tracking_number: 'SECOND', ...UNKNOWN, ...NO_EVENTS },
    ]);
  });

  test('of another order with the same number is another shipment', async () => {
    await shop.pushed({ reference: 'A-1', shipment: SHIPMENT });
    await shop.pushed({ reference: 'A-2', shipment: { tracking_number: SHIPMENT.tracking_number } });
    expect(await shipmentsOf('A-1')).toMatchObject([SHIPMENT]);
    expect(await shipmentsOf('A-2')).toMatchObject([UNKNOWN]);
  });

  test('null, or absent, changes nothing', async () => {
    await shop.pushed({ reference: 'A-1', shipment: SHIPMENT });
    await shop.pushed({ reference: 'A-1', shipment: null });
    await shop.pushed({ reference: 'A-1' });
    expect(await shipmentsOf('A-1')).toMatchObject([SHIPMENT]);
  });

  test('in a batch: each item sees what those before it said, and a faulty one fails alone', async () => {
    const batch = await shop.batch([
      { reference: 'A-1', shipment: { tracking_number: 'X', carrier: 'First' } },
      { reference: 'A-1', shipment: { tracking_number: 'X', carrier: 'Second' } },
      { reference: 'A-1', shipment: { tracking_number: '--' } },
      { reference: null, shipment: SHIPMENT },
    ]);
    expect(batch.body).toMatchObject({
      succeeded: 2,
      failed: 2,
      items: [
        { ok: true },
        { ok: true },
        {
          ok: false,
          error_code: 'common.validation_failed',
          detail: expect.stringContaining('shipment.tracking_number'),
        },
        { ok: false, error_code: 'common.validation_failed', detail: expect.stringContaining('shipment: ') },
      ],
    });
    expect(await shipmentsOf('A-1')).toMatchObject([{ tracking_number: 'X', carrier: 'Second' }]);
  });

  test('is stored once: the replay of a push does not bring old facts back', async () => {
    await shop.pushed({ reference: 'A-1', shipment: SHIPMENT }, 'first');
    await shop.pushed({ reference: 'A-1', shipment: { ...SHIPMENT, carrier: 'DPD' } });
    await shop.pushed({ reference: 'A-1', shipment: SHIPMENT }, 'first');
    expect(await shipmentsOf('A-1')).toMatchObject([{ carrier: 'DPD' }]);
  });

  test('is part of what an idempotency key stands for', async () => {
    await shop.pushed({ reference: 'A-1', shipment: SHIPMENT }, 'same');
    expect(
      statusAndCode(await shop.push({ reference: 'A-1', shipment: { ...SHIPMENT, carrier: 'DPD' } }, 'same')),
    ).toBe('409 idempotency.key_reused');
  });

  test('is taken by a preview, which stores nothing', async () => {
    const preview = await shop.call('POST', '/api/v1/messages/preview', {
      body: {
        recipient_email: 'ann@example.com',
        subject: 'S',
        body: 'B',
        reference: 'A-1',
        shipment: SHIPMENT,
      },
    });
    expect(preview.status).toBe(200);
    expect(statusAndCode(await shop.get('/api/v1/orders/A-1'))).toBe('404 order.not_found');
  });

  test('of twenty pushes at once leaves one row, with the facts of one of them', async () => {
    const carriers = Array.from({ length: 20 }, (_, number) => `Carrier ${number}`);
    await Promise.all(
      carriers.map((carrier, number) =>
        shop.pushed({
          recipient_email: `person${number}@example.com`,
          reference: 'A-1',
          shipment: { ...SHIPMENT, carrier },
        }),
      ),
    );
    expect(await shipmentsOf('A-1')).toEqual([
      { ...SHIPMENT, carrier: expect.stringMatching(/^Carrier \d+$/), ...NO_EVENTS },
    ]);
  });
});

describe('a shipment that is refused', () => {
  const shipmentFault = async (change: Record<string, unknown>) =>
    validationErrorsOf(await shop.push({ reference: 'A-1', shipment: { ...SHIPMENT, ...change } }));

  test.each([
    ['tracking_number', undefined, 'missing'],
    ['tracking_number', null, 'string_type'],
    ['tracking_number', 123456, 'string_type'],
    ['tracking_number', '', 'string_too_short'],
    ['tracking_number', ' \t ', 'string_too_short'],
    ['tracking_number', 'X'.repeat(65), 'string_too_long'],
    ['tracking_number', ' - -', 'string_pattern_mismatch'],
    ['tracking_number', 'EE/123', 'string_pattern_mismatch'],
    ['tracking_number', 'ÕÄ123', 'string_pattern_mismatch'],
    ['tracking_number', 'A\nB', 'string_pattern_mismatch'],
    ['carrier', '', 'string_too_short'],
    ['carrier', '\u2003', 'string_too_short'],
    ['carrier', 'C'.repeat(61), 'string_too_long'],
    ['carrier', 'Om\u202eniva', 'string_pattern_mismatch'],
    ['carrier', 'Om\u2028niva', 'string_pattern_mismatch'],
    ['carrier', 'Om\u0007niva', 'string_pattern_mismatch'],
    ['carrier', 7, 'string_type'],
    ['tracking_url', `https://example.com/${'x'.repeat(2_030)}`, 'string_too_long'],
    ['tracking_url', 'http://example.com/1', 'value_error'],
    ['tracking_url', 'https://ann@example.com/1', 'value_error'],
    ['tracking_url', 'https://:secret@example.com/1', 'value_error'],
    ['tracking_url', 'javascript:alert(1)', 'value_error'],
    ['tracking_url', 'https://exa mple.com', 'value_error'],
    ['tracking_url', 'https://', 'value_error'],
    ['tracking_url', 1, 'string_type'],
    ['expected_on', '2026-02-30', 'value_error'],
    ['expected_on', '2026-8-4', 'value_error'],
    ['expected_on', '2026-08-24T00:00:00Z', 'value_error'],
    ['expected_on', 20260824, 'string_type'],
    ['expected_until', '2026-08-23', 'value_error'],
    ['expected_until', 'soon', 'value_error'],
  ])('%s %j: %s', async (field, value, type) => {
    expect(await shipmentFault({ [field]: value })).toMatchObject([
      { type, loc: ['body', 'shipment', field] },
    ]);
    expect(statusAndCode(await shop.get('/api/v1/orders/A-1'))).toBe('404 order.not_found');
  });

  test.each(['EE123', '1', `A ${'1'.repeat(60)} Z`, '-1-'])(
    'the number %j is taken',
    async (tracking_number) => {
      await shop.pushed({ reference: 'A-1', shipment: { tracking_number } });
      expect(await shipmentsOf('A-1')).toMatchObject([{ tracking_number }]);
    },
  );

  test('expected_until without expected_on is a fault of expected_until', async () => {
    expect(await shipmentFault({ expected_on: null })).toMatchObject([
      { type: 'value_error', loc: ['body', 'shipment', 'expected_until'], input: SHIPMENT.expected_until },
    ]);
  });

  test('a malformed first day is the only fault', async () => {
    expect(await shipmentFault({ expected_on: '2026-99-99' })).toMatchObject([
      { type: 'value_error', loc: ['body', 'shipment', 'expected_on'] },
    ]);
  });

  test('without a reference: missing_reference at the shipment, which is its input', async () => {
    for (const reference of [null, undefined])
      expect(validationErrorsOf(await shop.push({ reference, shipment: SHIPMENT }))).toEqual([
        { type: 'missing_reference', loc: ['body', 'shipment'], msg: expect.any(String), input: SHIPMENT },
      ]);
  });

  test('with a malformed reference gives only that fault', async () => {
    expect(validationErrorsOf(await shop.push({ reference: 'A 1', shipment: SHIPMENT }))).toMatchObject([
      { type: 'string_pattern_mismatch', loc: ['body', 'reference'] },
    ]);
  });

  test('a shipment that is no object is its own only fault, and says nothing of a reference', async () => {
    expect(validationErrorsOf(await shop.push({ reference: null, shipment: 'EE123' }))).toMatchObject([
      { type: 'dict_type', loc: ['body', 'shipment'] },
    ]);
  });

  test('all faults of a push come together, its own and the shipment’s', async () => {
    const faults = validationErrorsOf(
      await shop.push({
        subject: '',
        reference: 'A-1',
        shipment: { ...SHIPMENT, carrier: '', expected_until: '2020-01-01' },
      }),
    );
    expect(faults.map(({ loc }) => loc.join('.'))).toEqual([
      'body.subject',
      'body.shipment.carrier',
      'body.shipment.expected_until',
    ]);
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';

/** A text that was tried without reaching the carrier has been paid for, and waits to be tried again. */
const NOT_REACHABLE_TWICE = '+37255559006';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const balanceOf = async (shop: Shop): Promise<number> =>
  Object((await shop.get('/api/v1/credits')).body).balance;

const ledgerOf = async ({ businessId }: Shop): Promise<{ kind: string; amount: number }[]> => {
  const { rows } = await service.pool.query(
    'select kind, amount from credit_ledger where business_id = $1 order by id, kind',
    [businessId],
  );
  return rows;
};

async function textThatWaitsForItsSecondTry(shop: Shop): Promise<string> {
  const { body } = await shop.push({
    kind: 'updateable',
    recipient_phone: NOT_REACHABLE_TWICE,
    channels: ['sms'],
  });
  await eventually(async () => expect(await balanceOf(shop)).toBe(4));
  await eventually(async () => {
    const { rows } = await service.pool.query(
      `select 1 from sends where business_id = $1 and channel = 'sms' and state = 'queued' and charged`,
      [shop.businessId],
    );
    expect(rows).toHaveLength(1);
  });
  return Object(body).id;
}

test('a text cancelled by an update between two attempts is refunded', async () => {
  const shop = await service.business({ credits: 5 });
  await textThatWaitsForItsSecondTry(shop);
  const { body } = await shop.push({ kind: 'updateable', notify: true });
  expect(body).toMatchObject({ created: false, nudged: true, sms: null });
  // The update names no text, so the one that waits goes on; an update that does takes its place.
  await shop.push({ kind: 'updateable', notify: true, channels: ['sms'], send_at: inAnHour() });
  expect(await balanceOf(shop)).toBe(5);
  expect(await ledgerOf(shop)).toEqual([
    { kind: 'grant', amount: 5 },
    { kind: 'charge', amount: -1 },
    { kind: 'refund', amount: 1 },
  ]);
});

test('a text cancelled by obsoletes between two attempts is refunded', async () => {
  const shop = await service.business({ credits: 5 });
  const id = await textThatWaitsForItsSecondTry(shop);
  await shop.push({ subject: 'Another', obsoletes: [id] });
  expect(await balanceOf(shop)).toBe(5);
  const { body } = await shop.get(`/api/v1/messages/${id}`);
  expect(body).toMatchObject({
    status: 'obsolete',
    delivery: { sms: { status: 'skipped', skipped_reason: 'message_obsolete', credits_charged: 0 } },
  });
});

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

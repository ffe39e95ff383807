import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PushResult } from '../../src/contract/push.ts';
import { openConsole } from '../cli/console.ts';
import { recordBounceElsewhere } from '../interface/recipientEvents.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const ADDRESS = 'failed.elsewhere@example.com';
const SKIPPED = { sending: false, skipped_reason: 'platform_suppressed' };
const SENDING = { sending: true, skipped_reason: null };

/** What each way to push says of the email: alone, with a number and in place of an earlier message, and in a batch. */
async function emailBlocks(shop: Shop): Promise<PushResult['email'][]> {
  const to = { recipient_email: ADDRESS };
  const plain = await shop.pushed(to);
  const full = await shop.pushed({ ...to, recipient_phone: '+37255550134', obsoletes: [plain.id] });
  const { items } = expectStatus<{ items: { result: PushResult }[] }>(200, await shop.batch([to]));
  return [plain.email, full.email, ...items.map(({ result }) => result.email)];
}

test('an address that failed on the shared domain is open to a business that sends from its own', async () => {
  await recordBounceElsewhere(service, ADDRESS);
  const operator = openConsole(service.database.url);
  const own = await service.business({ name: 'Own' });
  await operator.json('sender', 'set', own.businessId, 'email', 'orders@own.example');
  const sharing = await service.business({ name: 'Sharing' });
  await operator.json('sender', 'set', sharing.businessId, 'sms', 'Sharing');

  expect(await emailBlocks(own)).toEqual([SENDING, SENDING, SENDING]);
  expect(await emailBlocks(sharing)).toEqual([SKIPPED, SKIPPED, SKIPPED]);
  // The first mail of `own` may have been cancelled as obsolete before it left.
  await eventually(async () => {
    const captured = await capturedMessages(service.url, { channel: 'email', to: ADDRESS });
    expect(captured.length).toBeGreaterThanOrEqual(2);
    expect(captured.map(({ business_id }) => business_id)).not.toContain(sharing.businessId);
  });

  await operator.json('sender', 'remove', own.businessId, 'email');
  expect(await emailBlocks(own)).toEqual([SKIPPED, SKIPPED, SKIPPED]);
});

test('the sender that counts is the one at the moment of sending', async () => {
  const operator = openConsole(service.database.url);
  const shop = await service.business({ name: 'Moving' });
  await operator.json('sender', 'set', shop.businessId, 'email', 'orders@moving.example');
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const { id, email } = await shop.pushed({ recipient_email: ADDRESS, send_at: sendAt });
  expect(email).toEqual(SENDING);
  await operator.json('sender', 'remove', shop.businessId, 'email');
  await service.advance({ hours: 2 });
  await eventually(async () =>
    expect((await shop.get(`/api/v1/messages/${id}`)).body).toMatchObject({
      delivery: { not_sent: { reason: 'platform_suppressed' } },
    }),
  );
});

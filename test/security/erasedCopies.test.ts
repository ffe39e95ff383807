import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestFingerprint } from '../../src/api/fingerprint.ts';
import { type Canary, tracesIn, tracesInDatabase } from '../erasure/traces.ts';
import { startService, type TestService } from '../support/service.ts';
import { type ApiResponse, expectStatus, ORDER_UPDATE, type Shop } from '../support/shop.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
  shop = await service.business();
});
afterAll(() => service.close());

const EMAIL = 'canary.zebrafish@example.com';
const PHONE = '+447700900817';
const NOTE = 'Left behind the Walrus statue';
const CANARIES: Canary[] = [
  { name: 'address', text: EMAIL },
  { name: 'number', text: PHONE.slice(1) },
  { name: 'note', text: NOTE },
];
const BYSTANDER = { ...ORDER_UPDATE, recipient_email: 'bystander@example.com' };

const erase = (email: string) => shop.post(`/api/v1/recipients/${encodeURIComponent(email)}/erase`);
const itemsOf = (answer: ApiResponse) =>
  expectStatus<{ items: { ok: boolean; detail: string | null }[] }>(200, answer).items;
const traces = () => tracesInDatabase(service.pool, CANARIES);

/** Each way for a caller's own text to get into the detail of an item that failed. */
const failing: Record<string, unknown>[] = [
  { [`${EMAIL}\u0000`]: 1 },
  { [NOTE]: { deep: [{ [PHONE]: 'x\u0000' }] } },
  { whatsapp_opt_in: { source: 'checkout', [`${NOTE}\ud800`]: true } },
  { subject: '', [EMAIL]: '\udc00' },
];

test('an erasure takes the caller’s own text out of the details of failed items', async () => {
  const batches = [
    [BYSTANDER, { recipient_email: EMAIL }, ...failing, { subject: '' }],
    // Nothing leads from this one to a person.
    failing,
  ];
  const first = [];
  for (const [n, items] of batches.entries()) first.push(await shop.batch(items, `details ${n}`));
  expect(await traces()).toContain('idempotency_records.response: note');
  expect(itemsOf(first[1] ?? fail()).map(({ detail }) => detail?.split(':')[0])).toEqual([
    `${EMAIL}\\u0000`,
    `${NOTE}.deep[0].${PHONE}`,
    `whatsapp_opt_in.${NOTE}\\ud800`,
    `${EMAIL}`,
  ]);

  expect((await erase(EMAIL)).status).toBe(200);
  expect(await traces()).toEqual([]);

  for (const [n, items] of batches.entries()) {
    const replay = await shop.batch(items, `details ${n}`);
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(tracesIn(replay.text, CANARIES)).toEqual([]);
    const failed = itemsOf(replay).slice(n === 0 ? 2 : 0, n === 0 ? 6 : 4);
    expect(failed.map(({ detail }) => detail?.split(':')[0])).toEqual([
      '(unknown field)',
      '(unknown field).(unknown field)[0].(unknown field)',
      'whatsapp_opt_in.(unknown field)',
      '(unknown field)',
    ]);
  }
  // The other items stay to the byte.
  const [before, after] = [first[0] ?? fail(), await shop.batch(batches[0] ?? [], 'details 0')].map(itemsOf);
  expect(after?.[0]).toEqual(before?.[0]);
  expect(after?.[6]).toEqual(before?.[6]);
});

test('the same where the address is nobody’s', async () => {
  await shop.batch(failing, 'nobody');
  expect(await traces()).not.toEqual([]);
  expectStatus(200, await erase('nobody@example.com'));
  expect(await traces()).toEqual([]);
});

test('another business’s answers are left alone', async () => {
  const other = await service.business({ name: 'Other' });
  const first = await other.batch(failing, 'theirs');
  expectStatus(200, await erase(EMAIL));
  expect((await other.batch(failing, 'theirs')).text).toBe(first.text);
  await service.pool.query('delete from idempotency_records where business_id = $1', [other.businessId]);
});

test('no stored fingerprint lets anybody try out what an erased request said', async () => {
  const item = { ...ORDER_UPDATE, recipient_email: EMAIL, body: NOTE };
  const failed = { ...item, [`${NOTE}\u0000`]: 1 };
  await shop.batch([item, failed], 'guess');
  await shop.push(item, 'guess');
  await shop.post(`/api/v1/messages/${EMAIL}/retract`, 'guess');
  await shop.post(`/api/v1/messages/${EMAIL}/sms`, 'guess');
  await shop.post(`/api/v1/messages/${EMAIL}/whatsapp`, 'guess');
  expectStatus(200, await erase(EMAIL));
  const stored = await service.pool.query<{ scope: string; fingerprint: string }>(
    `select scope, encode(fingerprint, 'hex') as fingerprint from idempotency_records where key like 'guess%'`,
  );
  // The batch's own, its parts without the person, and what was asked of a message that does not exist, outlive the person.
  expect(stored.rows.map(({ scope }) => scope).sort()).toEqual([
    'batch',
    'batch_item',
    'batch_item',
    'resend_sms',
    'resend_whatsapp',
    'retract',
  ]);
  const guesses = [
    requestFingerprint({ items: [requestFingerprint(item), requestFingerprint(failed)] }),
    requestFingerprint({ items: [item, failed] }),
    requestFingerprint(item),
    requestFingerprint(failed),
    requestFingerprint(null, { public_id: EMAIL }),
  ];
  expect(stored.rows.filter((row) => guesses.includes(row.fingerprint))).toEqual([]);
});

function fail(): never {
  throw new Error('there was no answer');
}

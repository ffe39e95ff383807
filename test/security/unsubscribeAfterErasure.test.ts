import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';
import { linksOfMailTo } from './inboxVisitor.ts';

let service: TestService;
let shop: Shop;
beforeAll(async () => {
  service = await startService();
  shop = await service.business({ credits: 10, smsMode: 'on' });
});
afterAll(() => service.close());

const PHONE = '+37255500134';

const erase = async (email: string): Promise<void> => {
  expect((await shop.post(`/api/v1/recipients/${email}/erase`)).status).toBe(200);
};

/** As a mail program unsubscribes, or as the button of the page does. */
const unsubscribe = async (path: string, fields: Record<string, string>) => {
  const answer = await fetch(service.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
  return { status: answer.status, text: await answer.text() };
};

test.each([
  ['one click', { 'List-Unsubscribe': 'One-Click' }],
  ['the page’s button', { confirm: 'yes' }],
])('a mail from before an erasure unsubscribes its address by %s', async (name, fields) => {
  const email = `${name.replace(/\W/g, '')}@example.com`;
  const { unsubscribe: path } = await linksOfMailTo(service, shop, email);
  await erase(email);

  const page = await fetch(service.url + path);
  expect([page.status, (await page.text()).includes('This is permanent.')]).toEqual([200, true]);
  const answer = await unsubscribe(path, fields);
  expect(answer.status).toBe(200);
  expect(answer.text).toContain('You are unsubscribed');

  const later = await shop.pushed({ recipient_email: email, recipient_phone: PHONE, channels: ['sms'] });
  expect(later).toMatchObject({
    email: { skipped_reason: 'unsubscribed' },
    sms: { queued: false, skipped_reason: 'unsubscribed' },
  });
  const { rows } = await service.pool.query('select email from suppressions where email_hash = $1', [
    service.hash('email', email),
  ]);
  expect(rows).toEqual([{ email: null }]);
});

test('it also ends what is on its way to someone who came back after the erasure', async () => {
  const email = 'back@example.com';
  const { unsubscribe: path } = await linksOfMailTo(service, shop, email);
  await erase(email);
  const soon = new Date((await service.advance({ seconds: 1 })).getTime() + 60 * 60_000).toISOString();
  const { id } = await shop.pushed({ recipient_email: email, send_at: soon });
  expect((await unsubscribe(path, { confirm: 'yes' })).status).toBe(200);
  await service.advance({ hours: 2 });
  const message = await eventually(async () => {
    const { body } = await shop.get(`/api/v1/messages/${id}`);
    expect(JSON.stringify(body)).toContain('unsubscribed');
    return body;
  });
  expect(message).toMatchObject({ delivery: { not_sent: { reason: 'unsubscribed' } } });
  expect(
    (await capturedMessages(service.url, { to: email })).some(({ message_id }) => message_id === id),
  ).toBe(false);
});

test('other shops are not concerned', async () => {
  const other = await service.business();
  const email = 'two@example.com';
  const { unsubscribe: path } = await linksOfMailTo(service, shop, email);
  await erase(email);
  await unsubscribe(path, { confirm: 'yes' });
  expect(await other.pushed({ recipient_email: email })).toMatchObject({ email: { skipped_reason: null } });
});

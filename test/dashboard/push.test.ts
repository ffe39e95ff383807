import { afterAll, beforeAll, expect, test } from 'vitest';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { csrfIn, joinShop, type MemberBrowser, signedIn } from './memberBrowser.ts';

let service: TestService;
let shop: Shop;
let browser: MemberBrowser;
let memberId: string;
beforeAll(async () => {
  service = await startService();
  shop = await service.business({ name: 'Acme Books', credits: 10 });
  memberId = (await joinShop(service, shop.businessId, 'support@shop.example', 'member')).id;
  browser = await signedIn(service, memberId);
});
afterAll(() => service.close());

const path = (): string => `/dashboard/${shop.businessId}/push`;
const FORM = {
  recipient_email: 'Mari@Example.com',
  subject: 'Your order #7 is late',
  body: 'We are sorry.\r\nIt comes tomorrow.',
  reference: '#7',
  order_status: 'delayed',
  channels: 'email sms',
  recipient_phone: PHONE_NUMBER,
};
/** The hidden fields of a fresh form. */
async function freshForm(): Promise<{ csrf: string; key: string }> {
  const { text } = await browser.get(path());
  return { csrf: csrfIn(text), key: /name="key" value="([^"]+)"/.exec(text)?.[1] ?? '' };
}
const messagesOf = async (email: string): Promise<{ id: string }[]> =>
  JSON.parse((await shop.get(`/api/v1/messages?recipient_email=${encodeURIComponent(email)}`)).text).items;

test('a preview says what would be sent and charged, in the API’s words, and writes nothing', async () => {
  const hidden = await freshForm();
  const page = await browser.post(`${path()}/preview`, { ...FORM, ...hidden });
  expect(page.status).toBe(200);
  const { key: _, ...body } = { ...FORM, key: '' };
  const answer = await shop.call('POST', '/api/v1/messages/preview', {
    body: { ...body, body: FORM.body.replaceAll('\r\n', '\n'), channels: ['email', 'sms'] },
  });
  const preview = JSON.parse(answer.text);
  expect(preview.nudges.map(({ channel }: { channel: string }) => channel)).toEqual(['email', 'sms']);
  for (const { text } of preview.nudges)
    expect(page.text).toContain(
      text.replaceAll('&', '&amp;').replaceAll("'", '&#39;').replaceAll('"', '&#34;'),
    );
  expect(page.text).toContain('1 credit');
  expect(page.text).toContain(`Credits left afterwards: ${preview.balance_after}`);
  // Nothing typed is lost, and the form keeps its key.
  expect(page.text).toContain('value="Mari@Example.com"');
  expect(page.text).toContain('It comes tomorrow.</textarea>');
  expect(page.text).toContain(`name="key" value="${hidden.key}"`);
  expect(await messagesOf('mari@example.com')).toEqual([]);
});

test('a preview says why a channel is left out', async () => {
  const page = await browser.post(`${path()}/preview`, {
    ...FORM,
    ...(await freshForm()),
    recipient_phone: '',
  });
  expect(page.text).toMatch(/No SMS: [^<]*number/);
});

test('a push by hand is the API’s push, once for each form, and the audit names the member', async () => {
  const hidden = await freshForm();
  const [first, again] = [
    await browser.post(path(), { ...FORM, ...hidden }),
    await browser.post(path(), { ...FORM, ...hidden }),
  ];
  const [message, ...others] = await messagesOf('mari@example.com');
  expect(others).toEqual([]);
  for (const { status, location } of [first, again])
    expect([status, location]).toEqual([
      303,
      `/dashboard/${shop.businessId}/messages/${message?.id}?flash=pushed`,
    ]);
  const viewed = JSON.parse((await shop.get(`/api/v1/messages/${message?.id}`)).text);
  expect(viewed).toMatchObject({
    subject: FORM.subject,
    body: 'We are sorry.\nIt comes tomorrow.',
    reference: '#7',
    order_status: 'delayed',
    status: 'active',
  });
  const { rows } = await service.pool.query(
    `select actor, action, detail, recipient_id from audit_entries where business_id = $1 and action = 'message.pushed'`,
    [shop.businessId],
  );
  expect(rows).toEqual([
    {
      actor: `member:${memberId}`,
      action: 'message.pushed',
      detail: { message_id: message?.id, created: true },
      recipient_id: null,
    },
  ]);
  const changed = await browser.post(path(), { ...FORM, ...hidden, subject: 'Something else' });
  expect([changed.status, changed.text]).toEqual([
    409,
    expect.stringContaining('This form was pushed already'),
  ]);
});

test('two clicks at the same moment push once', async () => {
  const form = { ...FORM, ...(await freshForm()), recipient_email: 'twice@example.com', recipient_phone: '' };
  const pages = await Promise.all(Array.from({ length: 4 }, () => browser.post(path(), form)));
  expect(pages.every(({ status }) => status === 303 || status === 409)).toBe(true);
  expect(await messagesOf('twice@example.com')).toHaveLength(1);
});

test('what is wrong stands beside its field, and nothing typed is lost', async () => {
  const page = await browser.post(path(), {
    ...(await freshForm()),
    recipient_email: 'not an address',
    subject: '',
    body: '<script>alert("kept")</script>',
    recipient_phone: '123',
    escalate_if_unread_after_minutes: '1',
    send_at: '2001-01-01T10:00',
  });
  expect(page.status).toBe(422);
  const fault = (field: string): string =>
    new RegExp(`id="${field}-fault">([^<]*)<`).exec(page.text)?.[1] ?? '';
  expect(fault('recipient_email')).toBe('This is not an email address.');
  expect(fault('subject')).toBe('Please fill this in.');
  expect(fault('escalate_if_unread_after_minutes')).toMatch(/greater than or equal to 5/);
  expect(fault('send_at')).not.toBe('');
  expect(page.text).toContain('value="not an address"');
  expect(page.text).toContain('&lt;script>alert(&#34;kept&#34;)&lt;/script></textarea>');
  const phone = await browser.post(path(), { ...FORM, ...(await freshForm()), recipient_phone: '123' });
  expect(/id="recipient_phone-fault">([^<]*)</.exec(phone.text)?.[1]).toMatch(/mobile number/);
});

test('the longest text that the API takes can be typed', async () => {
  const body = '😀'.repeat(10_000);
  const form = { ...FORM, ...(await freshForm()), recipient_email: 'long@example.com', body };
  const page = await browser.post(path(), form);
  expect(page.status).toBe(303);
  const [message] = await messagesOf('long@example.com');
  expect(JSON.parse((await shop.get(`/api/v1/messages/${message?.id}`)).text).body).toBe(body);
  expect((await browser.post(path(), { ...form, body: 'x'.repeat(300_000) })).status).toBe(413);
});

test('a viewer is not offered to push', async () => {
  const { id } = await joinShop(service, shop.businessId, 'viewer@shop.example', 'viewer');
  const viewer = await signedIn(service, id);
  expect((await viewer.get(`/dashboard/${shop.businessId}/messages`)).text).not.toContain('/push');
  expect((await viewer.get(path())).status).toBe(403);
});

test('a shop that is switched off does not push by hand either', async () => {
  const closed = await service.business();
  await joinShop(service, closed.businessId, 'support@shop.example', 'owner');
  await service.pool.query('update businesses set active = false where id = $1', [closed.businessId]);
  const page = await browser.post(`/dashboard/${closed.businessId}/push`, {
    ...FORM,
    ...(await freshForm()),
  });
  expect([page.status, page.text]).toEqual([403, expect.stringContaining('This business is deactivated.')]);
});

test('a push by hand can say the customer’s language, which their page then shows', async () => {
  const form = { ...FORM, recipient_email: 'keel@example.com', recipient_phone: '', language: 'et' };
  const preview = await browser.post(`${path()}/preview`, { ...form, ...(await freshForm()) });
  expect(preview.text).toContain('Language: Estonian');
  expect(preview.text).toContain('Teie tellimus #7 hilineb.');
  await browser.post(path(), { ...form, ...(await freshForm()) });
  expect(await shop.get('/api/v1/recipients/keel@example.com')).toMatchObject({ body: { language: 'et' } });
  const { rows } = await service.pool.query<{ id: string }>(
    `select id from recipients where email = 'keel@example.com'`,
  );
  const person = await browser.get(`/dashboard/${shop.businessId}/recipients/${rows[0]?.id}`);
  expect(person.text).toContain('Language: Estonian (et)');
});

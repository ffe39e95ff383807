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
/** The address of a frame of a preview. */
const frameIn = (page: string, part: 'mail' | 'inbox'): string =>
  new RegExp(`src="([^"]+/push/preview/${part}[^"]*)"`).exec(page)?.[1] ?? '';
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
  const [mail, sms] = preview.nudges;
  expect(page.text).toContain(sms.text.replaceAll('&', '&amp;').replaceAll("'", '&#39;'));
  expect(page.text).toContain('1 segment, 1 credit');
  const frame = await browser.get(frameIn(page.text, 'mail'));
  expect(frame.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
  expect(mail.subject).toBe(FORM.subject);
  expect(frame.text).toContain(FORM.subject);
  expect(frame.text).toMatch(/<base target="_blank">[\s\S]*order #7/);
  const inbox = await browser.get(frameIn(page.text, 'inbox'));
  expect(inbox.text).toMatch(/Your order #7 is late[\s\S]*We are sorry.\nIt comes tomorrow./);
  expect(page.text).toContain(`Credits left afterwards: ${preview.balance_after}`);
  // Nothing typed is lost, and the form keeps its key.
  expect(page.text).toContain('value="Mari@Example.com"');
  expect(page.text).toContain('It comes tomorrow.</textarea>');
  expect(page.text).toContain(`name="key" value="${hidden.key}"`);
  expect(await messagesOf('mari@example.com')).toEqual([]);
});

test('the frames of a preview tell nothing by their addresses, and show nothing but what we rendered for this shop', async () => {
  const body = `<script>alert(1)</script> ${'W'.repeat(9_000)}`;
  const hidden = await freshForm();
  const page = await browser.post(`${path()}/preview`, {
    ...FORM,
    ...hidden,
    body,
    subject: '😀'.repeat(300),
  });
  const [mail, inbox] = [frameIn(page.text, 'mail'), frameIn(page.text, 'inbox')];
  // Proxies take 8 KiB.
  for (const frame of [mail, inbox]) expect(frame.length).toBeLessThan(7_500);
  const shown = await browser.get(inbox);
  expect(shown.text).toContain('&lt;script>alert(1)&lt;/script> WWW');
  expect(shown.text).toMatch(/W{500,600}…/);
  expect(shown.headers.get('content-security-policy')).toMatch(/default-src 'none'.*form-action 'none'/);
  for (const address of [
    mail.replace('of=', 'of=A'),
    mail.replace('/mail?', '/inbox?'),
    `${mail.replace(/of=.*/, '')}of=%22%3E%3Cscript%3E`,
  ])
    expect((await browser.get(address)).status).toBe(404);
  const other = await service.business();
  await joinShop(service, other.businessId, 'support@shop.example', 'member');
  expect((await browser.get(mail.replace(shop.businessId, other.businessId))).status).toBe(404);
});

test('a mail in a preview has the shop’s colour', async () => {
  await service.pool.query(`update businesses set colour = '#8a2be2' where id = $1`, [shop.businessId]);
  const page = await browser.post(`${path()}/preview`, { ...FORM, ...(await freshForm()) });
  expect((await browser.get(frameIn(page.text, 'mail'))).text).toContain('#8a2be2');
});

test('a form that is opened for a customer or an order is filled in, by ids', async () => {
  const quiet = await service.business();
  await joinShop(service, quiet.businessId, 'support@shop.example', 'member');
  const base = `/dashboard/${quiet.businessId}`;
  await quiet.pushed({
    recipient_email: 'known@example.com',
    reference: 'A/1#2',
    recipient_phone: PHONE_NUMBER,
  });
  const { rows } = await service.pool.query<{ id: string }>(
    'select id from recipients where business_id = $1',
    [quiet.businessId],
  );
  const buttonOn = async (page: string): Promise<string> => {
    const { text } = await browser.get(base + page);
    return /href="([^"]+)"[^>]*>Push a message/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  };
  const value = (text: string, name: string) =>
    new RegExp(`name="${name}"[^>]*value="([^"]*)"`).exec(text)?.[1];

  const ofCustomer = await buttonOn(`/recipients/${rows[0]?.id}`);
  expect(ofCustomer).toBe(`${base}/push?recipient=${rows[0]?.id}`);
  const form = (await browser.get(ofCustomer)).text;
  expect(value(form, 'recipient_email')).toBe('known@example.com');
  expect(form).toMatch(/Their number, \+372 [^<]*, is known\./);
  expect(form).not.toContain(PHONE_NUMBER);

  const reference = encodeURIComponent('A/1#2');
  const ofOrder = await buttonOn(`/orders?reference=${reference}`);
  expect(ofOrder).not.toContain('known');
  const orders = (await browser.get(ofOrder)).text;
  expect(value(orders, 'recipient_email')).toBe('known@example.com');
  expect(value(orders, 'reference')).toBe('A/1#2');

  // Of an order of two customers nobody knows which one is meant.
  await quiet.pushed({ recipient_email: 'second@example.com', reference: 'A/1#2' });
  await browser.get(`${base}/orders?reference=${reference}`);
  expect(value((await browser.get(ofOrder)).text, 'recipient_email')).toBe('');
});

test('a form is filled in with text alone, and with nobody of another shop', async () => {
  const hostile = `"><script>alert(1)</script>`;
  const page = await browser.get(
    `${path()}?reference=${encodeURIComponent(hostile)}&recipient_email=a@b.example`,
  );
  expect(page.text).not.toContain('<script>alert(1)');
  expect(page.text).toContain('value="&#34;>&lt;script>alert(1)&lt;/script>"');
  expect(page.text).not.toContain('a@b.example');
  const other = await service.business();
  await other.pushed();
  const { rows } = await service.pool.query<{ id: string }>(
    'select id from recipients where business_id = $1',
    [other.businessId],
  );
  for (const id of [rows[0]?.id, 'nobody', '..%2F..', hostile])
    expect((await browser.get(`${path()}?recipient=${encodeURIComponent(id ?? '')}`)).status).toBe(404);
  const long = await browser.get(`${path()}?reference=${'R'.repeat(5_000)}`);
  expect(long.status).toBe(200);
});

test('customers are suggested by the beginning of their address, to those who may push', async () => {
  await shop.pushed({ recipient_email: 'suggested.one@example.com' });
  await shop.pushed({ recipient_email: 'suggested.two@example.com' });
  const suggest = async (by: MemberBrowser, text: string) =>
    by.submit(`/dashboard/${shop.businessId}/search`, `${path()}/customers`, { recipient_email: text });
  const { text } = await suggest(browser, 'Suggested.');
  expect(text).toBe(
    '<option value="suggested.one@example.com"></option><option value="suggested.two@example.com"></option>',
  );
  for (const nobody of ['', 'nobody', '%', '"><script>', '\u0000'])
    expect((await suggest(browser, nobody)).text).not.toContain('suggested');
  const { id } = await joinShop(service, shop.businessId, 'looks@shop.example', 'viewer');
  expect((await suggest(await signedIn(service, id), 'suggested')).status).toBe(403);
  const plain = await browser.get(path());
  expect(plain.text).toMatch(
    /<input id="recipient_email"[^>]*type="email"[^>]*list="recipient_email-suggestions"/,
  );
});

test('suggestions that are asked for too often come later', async () => {
  const { id } = await joinShop(service, shop.businessId, 'fast@shop.example', 'member');
  const fast = await signedIn(service, id);
  const csrf = csrfIn((await fast.get(path())).text);
  const statuses = new Set<number>();
  for (let asked = 0; asked < 125; asked += 1)
    statuses.add((await fast.post(`${path()}/customers`, { csrf, recipient_email: 'x' })).status);
  expect([...statuses]).toEqual([200, 429]);
});

test('a time is typed in the viewer’s zone, and in UTC where no script told the zone', async () => {
  const day = new Date(service.clock.now().getTime() + 48 * 3_600_000).toISOString().slice(0, 10);
  const previewed = async (zone: string) => {
    const form = { ...FORM, ...(await freshForm()), channels: 'email sms', send_at: `${day}T12:30`, zone };
    return (await browser.post(`${path()}/preview`, form)).text;
  };
  const goesOut = (page: string) => /Goes out <time datetime="([^"]+)"/.exec(page)?.[1];
  const inTokyo = await previewed('Asia/Tokyo');
  expect(goesOut(inTokyo)).toBe(`${day}T03:30:00.000Z`);
  expect(inTokyo).toContain('Hold the nudge until (Asia/Tokyo)');
  expect(inTokyo).toContain(`value="${day}T12:30"`);
  const inUtc = await previewed('');
  expect(goesOut(inUtc)).toBe(`${day}T12:30:00.000Z`);
  expect(inUtc).toContain('Hold the nudge until (UTC)');
  const nowhere = await previewed('Mars/"><script>alert(1)</script>');
  expect(nowhere).toContain('id="send_at-fault"');
  expect(nowhere).not.toContain('<script>alert(1)');
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
  expect((await browser.get(frameIn(preview.text, 'mail'))).text).toContain('Teie tellimus #7 hilineb.');
  expect((await browser.get(frameIn(preview.text, 'inbox'))).text).toContain('<html lang="et">');
  await browser.post(path(), { ...form, ...(await freshForm()) });
  expect(await shop.get('/api/v1/recipients/keel@example.com')).toMatchObject({ body: { language: 'et' } });
  const { rows } = await service.pool.query<{ id: string }>(
    `select id from recipients where email = 'keel@example.com'`,
  );
  const person = await browser.get(`/dashboard/${shop.businessId}/recipients/${rows[0]?.id}`);
  expect(person.text).toContain('Language: Estonian (et)');
});

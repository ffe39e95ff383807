import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RecipientView, SmsView } from '../../src/contract/recipients.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import {
  joinAsOperator,
  joinShop,
  type MemberBrowser,
  type ReadPage,
  searchIn,
  signedIn,
} from './memberBrowser.ts';

let service: TestService;
let shop: Shop;
let ownerId: string;
let owner: MemberBrowser;
let member: MemberBrowser;
let viewer: MemberBrowser;
beforeAll(async () => {
  service = await startService();
  shop = await service.business({ name: 'Acme Books', credits: 100 });
  ownerId = (await joinShop(service, shop.businessId, 'owner@shop.example', 'owner')).id;
  owner = await signedIn(service, ownerId);
  const as = async (role: 'member' | 'viewer') =>
    signedIn(service, (await joinShop(service, shop.businessId, `${role}@shop.example`, role)).id);
  [member, viewer] = [await as('member'), await as('viewer')];
});
afterAll(() => service.close());

const list = (): string => `/dashboard/${shop.businessId}/recipients`;
const search = (text: string): Promise<ReadPage> => searchIn(owner, shop, text);
let people = 0;

/** Someone with a message, and the path of their page. */
async function someone(push: Record<string, unknown> = {}): Promise<{ email: string; page: string }> {
  people += 1;
  const email = `person${people}@example.com`;
  await shop.pushed({ recipient_email: email, ...push });
  return { email, page: (await search(email)).location ?? '' };
}

const newNumber = (): string => `+3725550${2_000 + people}`;
const api = async <T>(path: string): Promise<T> => expectStatus<T>(200, await shop.get(`/api/v1${path}`));
const smsOf = (email: string) => api<SmsView>(`/recipients/${email}/sms`);
const viewOf = (email: string) => api<RecipientView>(`/recipients/${email}`);
const auditsOf = async (page: string, action: string) => {
  const { rows } = await service.pool.query<{ actor: string; action: string }>(
    'select actor, action, detail from audit_entries where business_id = $1 and recipient_id = $2 and action = $3 order by id',
    [shop.businessId, page.split('/').at(-1), action],
  );
  return rows;
};

test('customers are listed, newest first, page by page', async () => {
  const other = await service.business();
  await other.pushed({ recipient_email: 'foreign@example.com' });
  const emails: string[] = [];
  for (let n = 0; n < 27; n += 1) {
    people += 1;
    emails.unshift(`person${people}@example.com`);
    await shop.pushed({ recipient_email: emails[0] });
  }
  const listed = ({ text }: ReadPage) =>
    [...text.matchAll(/person\d+@example\.com/g)].map(([email]) => email);
  const first = await owner.get(list());
  expect(listed(first)).toEqual(emails.slice(0, 25));
  const [, more = ''] = /href="([^"]*cursor=[^"]*)"/.exec(first.text) ?? [];
  const second = await owner.get(more);
  expect(listed(second).slice(0, 2)).toEqual(emails.slice(25));
  expect(first.text + second.text).not.toContain('foreign@');
  expect(second.text).toContain('>Newest</a>');
  // A cursor that is none begins with the newest.
  expect(listed(await owner.get(`${list()}?cursor=nothing`))).toEqual(emails.slice(0, 25));
});

test('a customer is found by the address and by the whole number, and neither gets into a URL', async () => {
  const { email, page } = await someone({ recipient_phone: '+37255501999' });
  expect(page).toMatch(new RegExp(`^${list()}/[0-9a-z]+$`));
  expect((await search(` ${email.toUpperCase()} `)).location).toBe(page);
  expect((await search('+372 5550 1999')).location).toBe(page);
  const { text } = await owner.get(page);
  expect(text).toContain('+372 •••• 1999');
  expect(text).not.toContain('55501999');
  for (const unknown of ['nobody@example.com', '+37255501000', '1999', '\0', '<script>alert(1)</script>']) {
    const found = await search(unknown);
    if (unknown !== '\0') expect(found.text).toContain('Nothing was found');
    expect(found.text).not.toContain('<script>alert');
  }
});

test('a number is entered by an admin, as the API then says, and once', async () => {
  const { email, page } = await someone();
  const phone = newNumber();
  const done = await owner.submit(page, `${page}/number`, { phone });
  expect(done.location).toBe(`${page}?flash=number_set`);
  expect((await owner.get(done.location ?? '')).text).toContain('The number was saved.');
  expect(await smsOf(email)).toMatchObject({
    phone: `+372 •••• ${phone.slice(-4)}`,
    sms_status: 'active',
    sms_consent_source: 'admin',
  });
  expect((await viewOf(email)).consents).toMatchObject([
    { channel: 'sms', action: 'granted', source: 'admin' },
  ]);
  expect((await owner.submit(page, `${page}/number`, { phone })).location).toBe(`${page}?flash=number_same`);
  expect(await auditsOf(page, 'phone_set')).toMatchObject([{ actor: `member:${ownerId}` }]);
});

test('a number that is none, or another customer’s, is refused with the reason beside the field', async () => {
  const phone = newNumber();
  await someone({ recipient_phone: phone });
  const { email, page } = await someone();
  for (const [typed, status, says] of [
    ['5550', 422, 'This is not a mobile number that can get SMS.'],
    ['"><script>alert(1)</script>', 422, 'This is not a mobile number that can get SMS.'],
    ['', 422, 'This is not a mobile number that can get SMS.'],
    [phone, 409, 'Another of your customers has this number.'],
  ] as const) {
    const refused = await owner.submit(page, `${page}/number`, { phone: typed });
    expect(refused.status).toBe(status);
    expect(refused.text).toMatch(new RegExp(`<p class="fault" id="phone-fault">${says}`));
    expect(refused.text).toContain('aria-invalid="true"');
    expect(refused.text).not.toContain('<script>alert');
  }
  expect((await smsOf(email)).phone).toBeNull();
  expect(await auditsOf(page, 'phone_set')).toEqual([]);
});

test('a number is cleared, once, and the consent log says who did it', async () => {
  const { email, page } = await someone({ recipient_phone: newNumber() });
  expect((await member.submit(page, `${page}/number/clear`)).location).toBe(`${page}?flash=number_cleared`);
  expect(await smsOf(email)).toMatchObject({ phone: null, sms_status: 'none' });
  expect((await viewOf(email)).consents.at(-1)).toMatchObject({ action: 'cleared', source: 'admin' });
  expect((await member.submit(page, `${page}/number/clear`)).location).toBe(`${page}?flash=no_number`);
  expect(await auditsOf(page, 'phone_cleared')).toHaveLength(1);
});

test.each(['sms', 'whatsapp'] as const)(
  'a stop of %s is recorded per channel and cancels what waits',
  async (channel) => {
    const { email, page } = await someone({ recipient_phone: newNumber() });
    const { id } = await shop.pushed({
      recipient_email: email,
      reference: '#7',
      order_status: 'shipped',
      channels: [channel],
      escalate_if_unread_after_minutes: 60,
      ...(channel === 'whatsapp' && { whatsapp_opt_in: { source: 'checkout' } }),
    });
    expect((await owner.submit(page, `${page}/stop/${channel}`)).location).toBe(
      `${page}?flash=${channel}_stopped`,
    );
    const seen = await viewOf(email);
    expect(seen[channel]).toMatchObject({ status: 'stopped', source: 'dashboard' });
    expect(seen[channel === 'sms' ? 'whatsapp' : 'sms'].status).not.toBe('stopped');
    await eventually(async () => {
      const { delivery } = await api<{ delivery: Record<string, { status: string } | null> }>(
        `/messages/${id}`,
      );
      expect(delivery[channel]?.status).toBe('skipped');
    });
    expect((await owner.submit(page, `${page}/stop/${channel}`)).location).toBe(
      `${page}?flash=${channel}_stopped_before`,
    );
    expect(await auditsOf(page, 'recipient.stopped')).toEqual([
      { actor: `member:${ownerId}`, action: 'recipient.stopped', detail: { channel } },
    ]);
    expect((await owner.get(page)).text).not.toContain(`${page}/stop/${channel}`);
  },
);

test('a stop that the customer texted can be made firm', async () => {
  const phone = newNumber();
  const { email, page } = await someone({ recipient_phone: phone, channels: ['sms'] });
  await fetch(`${service.url}/sandbox/sms/inbound`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ from: phone, body: 'STOP', business_id: shop.businessId }),
  });
  expect((await viewOf(email)).sms).toMatchObject({ status: 'stopped', source: 'text' });
  expect((await owner.submit(page, `${page}/stop/sms`)).location).toBe(`${page}?flash=sms_stopped`);
  expect((await viewOf(email)).sms).toMatchObject({ status: 'stopped', source: 'dashboard' });
});

const suppress = (email: string, reason: string) =>
  service.pool.query(
    'insert into suppressions (business_id, email_hash, reason, email, at) values ($1, $2, $3, $4, now())',
    [shop.businessId, service.hash('email', email), reason, email],
  );

test('a bounce is lifted, once, and the next mail goes out', async () => {
  const { email, page } = await someone();
  await suppress(email, 'bounce');
  expect((await owner.get(page)).text).toContain('A mail bounced for good');
  expect((await member.submit(page, `${page}/lift`)).location).toBe(`${page}?flash=lifted`);
  expect((await viewOf(email)).email).toMatchObject({ suppressed: false, reason: null });
  expect((await member.submit(page, `${page}/lift`)).location).toBe(`${page}?flash=nothing_lifted`);
  expect(await auditsOf(page, 'suppression.removed')).toHaveLength(1);
  const { id } = await shop.pushed({ recipient_email: email });
  await eventually(async () =>
    expect((await api<{ delivery: { delivered: boolean } }>(`/messages/${id}`)).delivery.delivered).toBe(
      true,
    ),
  );
});

test.each([
  ['complaint', 'another complaint would harm the mail of every shop'],
  ['unsubscribe', 'it is their own decision'],
  ['operator', 'An operator stopped email to this address'],
])('a shop cannot lift a suppression for %s, and is told why', async (reason, why) => {
  const { email, page } = await someone();
  await suppress(email, reason);
  const { text } = await owner.get(page);
  expect(text).toContain(why);
  expect(text).not.toContain(`${page}/lift`);
  expect((await owner.submit(page, `${page}/lift`)).location).toBe(`${page}?flash=nothing_lifted`);
  expect((await viewOf(email)).email.reason).not.toBeNull();
  expect(await auditsOf(page, 'suppression.removed')).toEqual([]);
});

test('a bounce for all shops is the operator’s to lift', async () => {
  const { email, page } = await someone();
  await suppress(email, 'bounce');
  await service.pool.query('insert into platform_suppressions (email_hash, at) values ($1, now())', [
    service.hash('email', email),
  ]);
  expect((await owner.submit(page, `${page}/lift`)).location).toBe(`${page}?flash=lifted_partly`);
  const { text } = await owner.get(page);
  expect(text).toContain('bounced from the shared sending domain');
  expect(text).not.toContain(`${page}/lift`);
  const operator = await signedIn(service, (await joinAsOperator(service, 'op@waypost.example')).id);
  expect((await operator.submit(page, `${page}/lift`)).location).toBe(`${page}?flash=lifted`);
  expect((await operator.get(page)).text).not.toContain('Why they get no email');
});

test('the download is the export of the API, and leaves an entry', async () => {
  const { email, page } = await someone({ recipient_phone: newNumber() });
  // Both hold the nudge, which must not go out between them.
  await service.advance({ seconds: 2 });
  const file = await member.submit(page, `${page}/export`);
  expect(file.status).toBe(200);
  expect(file.headers.get('content-disposition')).toBe(
    `attachment; filename="customer-${page.split('/').at(-1)}.json"`,
  );
  expect(file.headers.get('cache-control')).toBe('no-store');
  const { exported_at, ...held } = JSON.parse(file.text);
  const { exported_at: then, ...same } = await api<Record<string, unknown>>(`/recipients/${email}/export`);
  expect([typeof exported_at, typeof then]).toEqual(['string', 'string']);
  expect(held).toEqual(same);
  expect(await auditsOf(page, 'recipient.exported')).toHaveLength(1);
});

test('erasing needs the customer’s address, happens once, and leaves nothing here', async () => {
  const { email, page } = await someone({ recipient_phone: newNumber() });
  expect((await owner.get(page)).text).toContain(`${page}/erase`);
  expect((await owner.get(`${page}/erase`)).text).toContain('It cannot be undone.');
  for (const address of ['', 'other@example.com', '"><script>alert(1)</script>']) {
    const refused = await owner.submit(`${page}/erase`, `${page}/erase`, { address });
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('Nothing was erased.')]);
    expect(refused.text).not.toContain('<script>alert');
  }
  expect((await viewOf(email)).messages).toBe(1);
  const done = await owner.submit(`${page}/erase`, `${page}/erase`, { address: ` ${email.toUpperCase()} ` });
  expect(done.location).toBe(`${list()}?flash=erased`);
  expect((await owner.get(done.location ?? '')).text).toContain('The customer was erased');
  expect((await shop.get(`/api/v1/recipients/${email}`)).status).toBe(404);
  expect((await owner.get(page)).status).toBe(404);
  expect((await search(email)).text).toContain('Nothing was found');
  expect((await owner.get(list())).text).not.toContain(email);
  for (const act of ['erase', 'number', 'number/clear', 'stop/sms', 'lift', 'export']) {
    const again = await owner.submit('/dashboard/account', `${page}/${act}`, { address: email });
    expect([again.status, again.text]).toEqual([404, expect.stringContaining('This customer is not here')]);
  }
  const { rows } = await service.pool.query(
    `select actor from audit_entries where business_id = $1 and action = 'recipient.erased' and recipient_id = $2`,
    [shop.businessId, page.split('/').at(-1)],
  );
  expect(rows).toEqual([{ actor: `member:${ownerId}` }]);
});

test('viewers are offered nothing, and a member everything but the erasure', async () => {
  const { email, page } = await someone({ recipient_phone: newNumber() });
  await suppress(email, 'bounce');
  const acts = new RegExp(`action="${page}/|What you can do`);
  const seen = (await viewer.get(page)).text;
  expect(seen).not.toMatch(acts);
  expect(seen).not.toContain(`${page}/erase`);
  const offered = (await member.get(page)).text;
  for (const act of ['number', 'number/clear', 'stop/sms', 'stop/whatsapp', 'lift', 'export'])
    expect(offered).toContain(`action="${page}/${act}"`);
  expect(offered).not.toContain(`${page}/erase`);
});

test('nothing of a customer is in the log', () => {
  expect(JSON.stringify(service.logged)).not.toMatch(/person\d+@|\+3725550/);
});

/* Last, because it moves the clock of the service. */

test('erasing asks to sign in again when the last sign-in is older than ten minutes', async () => {
  const { email, page } = await someone();
  const csrfPage = await owner.get(page);
  await service.advance({ minutes: 11 });
  const asked = await owner.get(`${page}/erase`);
  expect(asked.location).toBe(`/dashboard/sign-in-again?to=${page}/erase`);
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(csrfPage.text) ?? [];
  const sent = await owner.post(`${page}/erase`, { csrf, address: email });
  expect(sent.location).toBe(`/dashboard/sign-in-again?to=${page}/erase`);
  expect((await viewOf(email)).messages).toBe(1);
});

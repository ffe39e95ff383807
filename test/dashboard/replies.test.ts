import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';
import { joinShop, MemberBrowser, mailedLink, type ReadPage, signedIn } from './memberBrowser.ts';

let service: TestService;
let shop: Shop;
let memberId: string;
let member: MemberBrowser;
beforeAll(async () => {
  service = await startService();
  shop = await service.business({ name: 'Acme Books', credits: 100, contactEmail: 'support@shop.example' });
  await service.change(shop, { replyForward: 'link_only' });
  memberId = (await joinShop(service, shop.businessId, 'support@shop.example', 'member')).id;
  member = await signedIn(service, memberId);
});
afterAll(() => service.close());

const at = (other: Shop = shop): string => `/dashboard/${other.businessId}/replies`;
const HOSTILE = '"><script>alert(1)</script> طلبي؟';

/** A customer gets a WhatsApp message and answers it. */
async function someoneReplies(phone: string, body: string): Promise<{ messageId: string; email: string }> {
  const email = `p${phone.slice(-4)}@example.com`;
  const { id } = await shop.pushed({
    recipient_email: email,
    recipient_phone: phone,
    subject: HOSTILE,
    reference: '#1001',
    order_status: 'shipped',
    channels: ['whatsapp'],
    whatsapp_opt_in: { source: 'checkout' },
  });
  await eventually(async () =>
    expect(await capturedMessages(service.url, { channel: 'whatsapp', to: phone })).not.toEqual([]),
  );
  await fetch(`${service.url}/sandbox/whatsapp/inbound`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ from: phone, body, business_id: shop.businessId }),
  });
  return { messageId: id, email };
}

/** Replies of one customer, the first one the oldest. */
async function seed(to: Shop, count: number): Promise<string[]> {
  const { recipient_email } = { recipient_email: 'seeded@example.com' };
  await to.pushed({ recipient_email });
  const { rows } = await service.pool.query<{ id: string }>(
    `insert into whatsapp_replies (business_id, id, recipient_id, body, received_at)
     select $1, 'seeded' || lpad(n::text, 18, '0'), (select id from recipients where business_id = $1 and email = $2), 'Reply ' || n, now()
     from generate_series(1, $3::int) n returning id`,
    [to.businessId, recipient_email, count],
  );
  return rows.map(({ id }) => id).sort();
}

const bodies = ({ text }: ReadPage): string[] =>
  [...text.matchAll(/>(Reply \d+)</g)].map(([, body = '']) => body);
const unread = ({ text }: ReadPage): string | null =>
  /class="tab-count"><span>([^<]*)</.exec(text)?.[1] ?? null;
const audits = async (business: Shop) =>
  (
    await service.pool.query(
      `select actor, action, detail from audit_entries where business_id = $1 and action like 'repl%' order by id`,
      [business.businessId],
    )
  ).rows;

test('a reply is listed with its customer and the message it answers, as text', async () => {
  const { messageId, email } = await someoneReplies('+37255502001', HOSTILE);
  const page = await member.get(at());
  expect(page.text).toContain(`href="/dashboard/${shop.businessId}/messages/${messageId}"`);
  expect(page.text).toContain(`>${email}</a>`);
  expect(page.text).toContain('#1001');
  expect(page.text.match(/&lt;script>alert\(1\)&lt;\/script> طلبي؟/g)).toHaveLength(2);
  expect(page.text).not.toContain('<script>alert');
  expect(unread(page)).toBe('1');
  expect(unread(await member.get(`/dashboard/${shop.businessId}`))).toBe('1');
});

test('the mail of a link_only forward leads through the sign-in to the reply', async () => {
  const [mail] = await eventually(async () => {
    const found = await capturedMessages(service.url, { to: 'support@shop.example', channel: 'email' });
    expect(found).toHaveLength(1);
    return found;
  });
  expect(mail?.text).not.toContain('alert(1)');
  const link = new URL(/https?:\/\/\S+\/replies\/\S+/.exec(mail?.text ?? '')?.[0] ?? '').pathname;
  const browser = new MemberBrowser(service.url);
  const asked = await browser.get(link);
  expect(asked.location).toBe(`/dashboard/sign-in?to=${link}`);
  const form = await browser.get(asked.location ?? '');
  expect(form.text).toContain(`name="to" value="${link}"`);
  await browser.post('/dashboard/sign-in', { email: 'support@shop.example', to: link });
  expect((await browser.post(await mailedLink(service, 'support@shop.example', 2))).location).toBe(link);
  const reply = await browser.get(link);
  expect(reply.text).toContain('A reply on WhatsApp');
  expect(reply.text).toContain('&lt;script>alert(1)');
});

test('signing in leads to no other site, and no stale page', async () => {
  const browser = new MemberBrowser(service.url);
  for (const to of [
    'https://evil.example/dashboard/x',
    '//evil.example',
    '/sandbox',
    '/dashboard/../sandbox',
  ]) {
    expect((await browser.get(`/dashboard/sign-in?to=${encodeURIComponent(to)}`)).text).not.toContain(
      'name="to"',
    );
    await browser.post('/dashboard/sign-in', { email: 'nobody@shop.example', to });
    expect(browser.cookies.has('waypost_return')).toBe(false);
  }
});

test('a reply is marked as read, once, and the count goes down', async () => {
  const before = await member.get(at());
  const [, action = ''] = /action="([^"]*\/replies\/[0-9a-z]+\/read)"/.exec(before.text) ?? [];
  const done = await member.submit(at(), action);
  expect(done.location).toBe(`${at()}?flash=read`);
  const after = await member.get(done.location ?? '');
  expect(after.text).toContain('Marked as read.');
  expect(unread(after)).toBeNull();
  expect((await member.submit('/dashboard/account', action)).location).toBe(`${at()}?flash=read_before`);
  expect(await audits(shop)).toEqual([
    {
      actor: `member:${memberId}`,
      action: 'reply.read',
      detail: { reply_id: action.split('/').at(-2), message_id: expect.any(String) },
    },
  ]);
});

test('unread replies come first, each newest first, page by page', async () => {
  const other = await service.business({ name: 'Many' });
  await joinShop(service, other.businessId, 'support@shop.example', 'member');
  const ids = await seed(other, 60);
  await service.pool.query(`update whatsapp_replies set read_at = now() where business_id = $1 and id > $2`, [
    other.businessId,
    ids[29],
  ]);
  const seen: string[] = [];
  let page = await member.get(at(other));
  expect(unread(page)).toBe('30');
  for (;;) {
    seen.push(...bodies(page));
    const [, next] = /href="([^"]*cursor=[^"]*)"/.exec(page.text) ?? [];
    if (next === undefined) break;
    page = await member.get(next);
  }
  const numbered = (from: number, to: number) =>
    Array.from({ length: from - to + 1 }, (_, index) => `Reply ${from - index}`);
  expect(seen).toEqual([...numbered(30, 1), ...numbered(60, 31)]);
});

test('all are marked as read at once, but not what came after the page was made', async () => {
  const other = await service.business({ name: 'All' });
  await joinShop(service, other.businessId, 'support@shop.example', 'member');
  await seed(other, 1_205);
  const page = await member.get(at(other));
  expect(unread(page)).toBe('99+');
  const [, upTo = ''] = /name="up_to" value="([^"]+)"/.exec(page.text) ?? [];
  await service.pool.query(
    `insert into whatsapp_replies (business_id, id, recipient_id, body, received_at)
     select business_id, 'seeded9', recipient_id, 'Late', now() from whatsapp_replies where business_id = $1 limit 1`,
    [other.businessId],
  );
  const send = () => member.submit(at(other), `${at(other)}/read`, { up_to: upTo });
  expect((await send()).location).toBe(`${at(other)}?flash=all_read`);
  const after = await member.get(at(other));
  expect(unread(after)).toBe('1');
  expect(after.text).toMatch(/Unread<\/span>[\s\S]*Late/);
  expect((await send()).location).toBe(`${at(other)}?flash=all_read_before`);
  expect(await audits(other)).toEqual([
    { actor: `member:${memberId}`, action: 'replies.read', detail: { replies: 1_205 } },
  ]);
});

test('a viewer reads and marks nothing', async () => {
  const quiet = await service.business({ name: 'Quiet' });
  const { id } = await joinShop(service, quiet.businessId, 'viewer@shop.example', 'viewer');
  const viewer = await signedIn(service, id);
  expect((await viewer.get(at(quiet))).text).toContain('No replies yet');
  const [reply = ''] = await seed(quiet, 1);
  for (const path of [at(quiet), `${at(quiet)}/${reply}`]) {
    const { text } = await viewer.get(path);
    expect(text).toContain('Reply 1');
    expect(text).not.toContain('Mark');
  }
  expect((await viewer.submit('/dashboard/account', `${at(quiet)}/${reply}/read`)).status).toBe(403);
  // Another shop's reply is not found under one's own.
  expect((await member.get(`${at()}/${reply}`)).status).toBe(404);
  expect((await member.submit('/dashboard/account', `${at()}/${reply}/read`)).status).toBe(404);
});

test('what is erased is gone from here', async () => {
  const { email } = await someoneReplies('+37255502002', 'Where is it?');
  const page = await member.get(at());
  expect(page.text).toContain('Where is it?');
  const [, link = ''] = /href="([^"]*\/replies\/[0-9a-z]+)"/.exec(page.text) ?? [];
  expectStatus(200, await shop.post(`/api/v1/recipients/${email}/erase`));
  expect((await member.get(at())).text).not.toContain('Where is it?');
  const gone = await member.get(link);
  expect([gone.status, gone.text]).toEqual([404, expect.stringContaining('This reply is not here')]);
});

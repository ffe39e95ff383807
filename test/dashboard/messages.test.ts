import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Timeline } from '../../src/contract/messages.ts';
import type { RecipientView } from '../../src/contract/recipients.ts';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { joinShop, type MemberBrowser, type ReadPage, searchIn, signedIn } from './memberBrowser.ts';

let service: TestService;
let shop: Shop;
let memberId: string;
let browser: MemberBrowser;
beforeAll(async () => {
  service = await startService();
  shop = await service.business({ name: 'Acme Books', credits: 100 });
  memberId = (await joinShop(service, shop.businessId, 'support@shop.example', 'member')).id;
  browser = await signedIn(service, memberId);
});
afterAll(() => service.close());

const list = (): string => `/dashboard/${shop.businessId}/messages`;
const search = (text: string): Promise<ReadPage> => searchIn(browser, shop, text);
/** The ids of the messages that a page lists, in order. */
const listed = ({ text }: ReadPage): string[] =>
  [...text.matchAll(/id="m-[^"]*" href="[^"]*\/messages\/([a-z0-9]+)"/g)].map(([, id = '']) => id);
const audits = async () => {
  const { rows } = await service.pool.query(
    'select actor, action, detail from audit_entries where business_id = $1 and actor like $2 order by id',
    [shop.businessId, 'member:%'],
  );
  return rows;
};

test('from an address to why the customer got no text in two clicks', async () => {
  const { id } = await shop.pushed({ recipient_email: 'why@example.com', channels: ['sms'] });
  const found = await search('why@example.com');
  expect(found.location).toMatch(/\/recipients\/[a-z0-9]+$/);
  const results = await browser.get(found.location ?? '');
  expect(listed(results)).toEqual([id]);
  const page = await browser.get(`${list()}/${id}`);
  const timeline = expectStatus<Timeline>(200, await shop.get(`/api/v1/messages/${id}/timeline`));
  const why = timeline.items.find(({ kind, channel }) => kind === 'skipped' && channel === 'sms')?.says;
  expect(why).toMatch(/^No SMS: /);
  expect(page.text).toContain(`<dt>SMS</dt><dd>${why?.replaceAll("'", '&#39;')}</dd>`);
});

test('a message’s page tells the API’s timeline, in its order, each way to the provider in one line with three moments', async () => {
  const { id } = await shop.pushed({
    recipient_email: 'story@example.com',
    recipient_phone: PHONE_NUMBER,
    channels: ['sms'],
  });
  await eventually(async () => {
    const timeline = expectStatus<Timeline>(200, await shop.get(`/api/v1/messages/${id}/timeline`));
    expect(timeline.items.filter(({ kind }) => kind === 'delivered')).toHaveLength(2);
  });
  const timeline = expectStatus<Timeline>(200, await shop.get(`/api/v1/messages/${id}/timeline`));
  const { text } = await browser.get(`${list()}/${id}`);
  const story = /<ol class="story">([\s\S]*?)<\/ol>/.exec(text)?.[1] ?? '';
  const told = [...story.matchAll(/<li class="\w+"><span>([^<]*)<\/span>/g)].map(([, says]) => says);
  expect(told).toEqual([
    'The message was pushed.',
    'An email to the customer was planned. The email was handed to the provider.',
    'An SMS to the customer was planned. 1 credit charged for the SMS. The SMS was handed to the provider.',
    'The email was delivered.',
    'The SMS was delivered.',
  ]);
  const moments = [...story.matchAll(/(planned|handed over|accepted) <time datetime="([^"]*)"/g)];
  expect(moments.map(([, word, at]) => `${word} ${at}`)).toEqual(
    ['email', 'sms'].flatMap((channel) =>
      timeline.items.flatMap(({ kind, channel: of, at }) => {
        const word = { planned: 'planned', submitted: 'handed over', accepted: 'accepted' }[String(kind)];
        return of === channel && word !== undefined ? [`${word} ${at}`] : [];
      }),
    ),
  );
  expect(story).toMatch(/\d{2}:\d{2}:\d{2} UTC/);
  expect(text.match(/Attempt 1: accepted/g)).toHaveLength(2);
  expect(text).toContain('No endpoint listens');
});

test('an order is found by its number, with or without its sign', async () => {
  const first = await shop.pushed({ reference: '#7001' });
  const second = await shop.pushed({ reference: '#7001', recipient_email: 'other@example.com' });
  for (const text of ['#7001', '7001', '  7001 ']) {
    const { location } = await search(text);
    expect(location).toBe(`/dashboard/${shop.businessId}/orders?reference=%237001`);
    expect(listed(await browser.get(location ?? ''))).toEqual([first.id, second.id]);
  }
  const { text } = await browser.get(`${list()}/${first.id}`);
  expect(text).toMatch(new RegExp(`Other messages of this order[\\s\\S]*${second.id}`));
});

test('a message is found by its id', async () => {
  const { id } = await shop.pushed();
  expect((await search(id)).location).toBe(`${list()}/${id}`);
});

test('another shop’s customers, orders and messages are not found', async () => {
  const elsewhere = await service.business();
  const { id } = await elsewhere.pushed({ recipient_email: 'theirs@example.com', reference: '#theirs' });
  for (const text of ['theirs@example.com', '#theirs', id])
    expect((await search(text)).text).toContain('Nothing was found');
  const { rows } = await service.pool.query('select id from recipients where business_id = $1', [
    elsewhere.businessId,
  ]);
  expect((await browser.get(`${list()}?recipient=${rows[0].id}`)).status).toBe(404);
});

test('a customer’s page says what the API says about them, and shows no whole number', async () => {
  await shop.pushed({
    recipient_email: 'person@example.com',
    recipient_phone: '+37255500888',
    channels: ['sms'],
  });
  const { location } = await search('person@example.com');
  const { status, text } = await browser.get(location ?? '');
  const view = expectStatus<RecipientView>(200, await shop.get('/api/v1/recipients/person%40example.com'));
  expect(status).toBe(200);
  expect(text).toContain(`Number: ${view.phone}`);
  expect(text).not.toContain('37255500888');
  for (const { at } of view.consents) expect(text).toContain(`datetime="${at}"`);
  const id = location?.split('/').at(-1);
  const messages = await browser.get(`${list()}?recipient=${id}`);
  expect(messages.text).toContain(`/recipients/${id}">About this customer`);
});

test('messages are filtered by status', async () => {
  const kept = await shop.pushed({ reference: '#8001' });
  const gone = await shop.pushed({ reference: '#8001' });
  await shop.post(`/api/v1/messages/${gone.id}/retract`);
  expect(listed(await browser.get(`${list()}?reference=%238001&status=retracted`))).toEqual([gone.id]);
  expect(listed(await browser.get(`${list()}?reference=%238001&status=active`))).toEqual([kept.id]);
  expect(listed(await browser.get(`${list()}?reference=%238001&status=nonsense`))).toHaveLength(2);
});

test('pages of the list neither repeat nor hide a message while others arrive', async () => {
  const small = await service.business({ name: 'Paged' });
  await joinShop(service, small.businessId, 'support@shop.example', 'viewer');
  const ids: string[] = [];
  for (let index = 0; index < 60; index += 1) ids.push((await small.pushed()).id);
  const seen: string[] = [];
  let path: string | null = `/dashboard/${small.businessId}/messages`;
  while (path !== null) {
    const page: ReadPage = await browser.get(path);
    seen.push(...listed(page));
    await small.pushed({ subject: 'Arrived meanwhile' });
    const [, next] = /href="([^"]*cursor=[^"]*)"[^>]*>Older messages/.exec(page.text) ?? [];
    path = next?.replaceAll('&amp;', '&') ?? null;
  }
  expect(seen).toEqual(ids.toReversed());
});

test('a member takes a message back, as the API would, and the audit names the member', async () => {
  const { id } = await shop.pushed({ send_at: new Date(Date.now() + 3_600_000).toISOString() });
  const page = `${list()}/${id}`;
  const done = await browser.submit(page, `${page}/retract`);
  expect(done.location).toBe(`${page}?flash=retracted`);
  expect((await browser.get(done.location ?? '')).text).toContain('The message was retracted.');
  const { status, delivery } = expectStatus<{ status: string; delivery: { not_sent: { reason: string } } }>(
    200,
    await shop.get(`/api/v1/messages/${id}`),
  );
  expect([status, delivery.not_sent.reason]).toEqual(['retracted', 'message_retracted']);
  expect(await audits()).toContainEqual({
    actor: `member:${memberId}`,
    action: 'message.retracted',
    detail: { message_id: id },
  });
  const before = (await audits()).length;
  const again = await browser.submit(list(), `${page}/retract`);
  expect(again.location).toBe(`${page}?flash=not_retracted`);
  expect(await audits()).toHaveLength(before);
});

test('a resend says beforehand what it would do, changes nothing by saying it, and then does it', async () => {
  const { id } = await shop.pushed({ recipient_email: 'again@example.com', recipient_phone: '+37255500777' });
  const page = `${list()}/${id}`;
  const history = async () =>
    (await service.pool.query('select count(*)::int as n from message_events where message_id = $1', [id]))
      .rows[0].n;
  await service.advance({ seconds: 2 });
  const before = await history();
  const asked = await browser.get(`${page}/resend/sms`);
  expect(asked.text).toContain('It goes out at once and costs 1 credit.');
  expect(await history()).toBe(before);
  const done = await browser.submit(`${page}/resend/sms`, `${page}/resend/sms`);
  expect(done.location).toBe(`${page}?flash=resent`);
  await eventually(async () => {
    const { delivery } = expectStatus<{ delivery: { sms: { status: string } | null } }>(
      200,
      await shop.get(`/api/v1/messages/${id}`),
    );
    expect(delivery.sms?.status).toBe('delivered');
  });
  expect(await audits()).toContainEqual({
    actor: `member:${memberId}`,
    action: 'message.sms_resent',
    detail: { message_id: id, queued: true, credits: 1, skipped_reason: null },
  });
  const twice = await browser.submit(list(), `${page}/resend/sms`);
  expect([twice.status, twice.text]).toEqual([
    409,
    expect.stringContaining('The SMS is queued or has already gone out.'),
  ]);
});

test('a resend that a rule stops says which, and offers nothing', async () => {
  const { id } = await shop.pushed({ recipient_email: 'nophone@example.com' });
  const { text } = await browser.get(`${list()}/${id}/resend/sms`);
  expect(text).toMatch(/No SMS: [^<]*number/);
  expect(text).not.toContain('Send it now');
  expect((await browser.get(`${list()}/${id}/resend/email`)).status).toBe(404);
});

test('hostile names and subjects are shown as text, and bodies make only real links', async () => {
  const hostile = '"><img src=x onerror=alert(1)><script>alert(1)</script>';
  const evil = await service.business({ name: hostile });
  await joinShop(service, evil.businessId, 'support@shop.example', 'viewer');
  const { id } = await evil.pushed({
    subject: hostile,
    body: `${hostile} https://track.example/1 javascript:alert(1)`,
  });
  const path = `/dashboard/${evil.businessId}/messages`;
  const ofMessage = ['', '?shown=email', '?shown=sms', '?shown=json', '/inbox', '/mail'];
  for (const page of [path, ...ofMessage.map((one) => `${path}/${id}${one}`), '/dashboard/shops']) {
    const { status, text } = await browser.get(page);
    expect(status).toBe(200);
    expect(text).not.toMatch(/<img src=x|<script>|href="javascript/);
    expect(text).toMatch(/&lt;script(&gt;|>)alert\(1\)/);
  }
  expect((await browser.get(`${path}/${id}/inbox`)).text).toContain('href="https://track.example/1"');
});

test('what is erased is gone from here, too', async () => {
  const { id } = await shop.pushed({ recipient_email: 'gone@example.com', reference: '#gone' });
  const { location } = await search('gone@example.com');
  expectStatus(200, await shop.post('/api/v1/recipients/gone%40example.com/erase'));
  expect((await browser.get(location ?? '')).status).toBe(404);
  const person = location?.split('/').at(-1);
  expect((await browser.get(`${list()}?recipient=${person}`)).status).toBe(404);
  expect((await browser.get(`${list()}/${id}`)).status).toBe(404);
  expect((await search('gone@example.com')).text).toContain('Nothing was found');
  expect((await search('#gone')).text).toContain('Nothing was found');
});

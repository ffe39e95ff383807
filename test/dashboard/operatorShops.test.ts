import { afterAll, beforeAll, expect, test } from 'vitest';
import { openConsole, type TestConsole } from '../cli/console.ts';
import { startService, type TestService } from '../support/service.ts';
import { Shop } from '../support/shop.ts';
import { joinAsOperator, joinShop, MemberBrowser, mailedLink, signedIn } from './memberBrowser.ts';

let service: TestService;
let operator: MemberBrowser;
let operatorId: string;
let cli: TestConsole;
const HOSTILE = `<script>alert(1)</script> "Quotes" & 'Ünï' مكتبة`;

beforeAll(async () => {
  service = await startService();
  operatorId = (await joinAsOperator(service, 'op@waypost.example')).id;
  operator = await signedIn(service, operatorId);
  cli = openConsole(service.database.url, { SECRET_KEY: service.secretKey });
});
afterAll(() => service.close());

const NEW = '/dashboard/operator/shops/new';
const FORM = { name: 'Acme Books', owner: 'owner@acme.example', sms: 'on_request', whatsapp: 'on_request' };

async function create(fields: Record<string, string> = {}): Promise<string> {
  const created = await operator.submit(NEW, NEW, { ...FORM, ...fields });
  const [, id = ''] = /shops\/([0-9a-z]+)\?flash=created$/.exec(created.location ?? '') ?? [];
  expect([created.status, id], created.text.slice(0, 300)).toEqual([303, expect.stringMatching(/^\w{24}$/)]);
  return id;
}
const at = (id: string): string => `/dashboard/operator/shops/${id}`;
const find = async (text: string): Promise<string[]> =>
  [
    ...(await operator.get(`/dashboard/operator?${new URLSearchParams({ find: text })}`)).text.matchAll(
      /operator\/shops\/([0-9a-z]{24})"/g,
    ),
  ].map(([, id = '']) => id);

async function auditOf(id: string): Promise<{ actor: string; action: string; detail: unknown }[]> {
  const { rows } = await service.pool.query<{ actor: string; action: string; detail: unknown }>(
    'select actor, action, detail from audit_entries where business_id = $1 order by id',
    [id],
  );
  return rows;
}

test('the list says of each shop whether something is wrong, the most urgent first', async () => {
  await create({ name: 'Wellbeing' });
  const spent = await create({ name: 'Penniless', sms: 'on' });
  const ill = await create({ name: 'Illness', sms: 'on' });
  await cli.json('business', 'set', ill, '--paused', 'true');
  const healthOf = async (word: string) => {
    const { text } = await operator.get(`/dashboard/operator?find=${word}`);
    const [, cell = ''] = /<td class="mark">([\s\S]*?)<\/td>/.exec(text) ?? [];
    return [...cell.matchAll(/<span class="badge (\w+)"(?: title="([^"]*)")?>([^<]*)</g)].map(
      ([, ...badge]) => badge,
    );
  };
  // It never had credits, so it has not run out of them.
  expect(await healthOf('Wellbeing')).toEqual([['plain', undefined, 'Nothing to do']]);
  await service.pool.query(
    'update credit_accounts set low_balance_notified = true where business_id = any ($1)',
    [[spent, ill]],
  );
  const noCredits = ['bad', 'No credits are left: no SMS or WhatsApp message goes out.', 'No credits left'];
  expect(await healthOf('Penniless')).toEqual([noCredits]);
  const { text: counted } = await operator.get('/dashboard/operator?needs=no_credits');
  expect([...counted.matchAll(/shops\/([0-9a-z]{24})"/g)].map(([, id]) => id)).toEqual([ill, spent]);
  // Without a paid channel it needs none.
  await cli.json('business', 'set', spent, '--sms', 'off', '--whatsapp', 'off');
  expect(await healthOf('Penniless')).toEqual([['plain', undefined, 'Nothing to do']]);
  expect(await healthOf('Illness')).toEqual([
    ['bad', 'Sending is paused: messages are kept, but nobody is nudged.', 'Paused'],
    noCredits,
  ]);
});

test('each sheet of a shop has the way back to the shop and the list', async () => {
  const id = await create({ name: 'Crumbs & Co' });
  for (const sheet of ['credits', 'plan', 'limits', 'deactivate', 'usage', 'suppressions']) {
    const { text } = await operator.get(`${at(id)}/${sheet}`);
    const [, crumbs = ''] = /<ol class="crumbs">([\s\S]*?)<\/ol>/.exec(text) ?? [];
    const ways = [...crumbs.matchAll(/href="[^"]*(\/dashboard[^"]*)"[^>]*>([^<]*)</g)].map(
      ([, href, label = '']) => [href, label.trim()],
    );
    expect(ways, sheet).toEqual([
      ['/dashboard/operator', 'Shops'],
      [at(id), 'Crumbs &amp; Co'],
    ]);
  }
});

test('an operator creates a shop, and its owner signs in by the mailed link and makes a key that works', async () => {
  const id = await create({
    name: 'First Shop',
    credits: '25',
    sms: 'on',
    countries: 'ee, fi',
    contact: 'hi@acme.example',
  });
  expect(await cli.json('business', 'show', id)).toMatchObject({
    name: 'First Shop',
    balance: 25,
    sms: 'on',
    whatsapp: 'on_request',
    countries: ['EE', 'FI'],
    contact_email: 'hi@acme.example',
    keys: [],
  });
  expect(await cli.json('member', 'list', id)).toMatchObject({
    items: [{ email: 'owner@acme.example', role: 'owner' }],
  });
  const owner = new MemberBrowser(service.url);
  await owner.post('/dashboard/sign-in', { email: 'owner@acme.example' });
  const link = await mailedLink(service, 'owner@acme.example');
  expect((await owner.post(link)).status).toBe(303);
  const keys = `/dashboard/${id}/keys`;
  const [key = ''] = /way_live_[0-9a-z]{40}/.exec((await owner.submit(keys, keys, {})).text) ?? [];
  expect((await new Shop(service.url, id, key).get('/api/v1/credits')).body).toMatchObject({ balance: 25 });
  expect((await auditOf(id)).filter(({ action }) => action !== 'key.created')).toEqual(
    expect.arrayContaining([
      { actor: `member:${operatorId}`, action: 'business.created', detail: { credits: 25 } },
      {
        actor: `member:${operatorId}`,
        action: 'member.added',
        detail: expect.objectContaining({ role: 'owner' }),
      },
    ]),
  );
});

test('a form with mistakes says what is wrong, keeps what was typed, and creates nothing', async () => {
  const before = Object(await cli.json('business', 'list')).items.length;
  const wrong = { name: ' ', owner: 'nobody', credits: '-1', countries: 'Estonia', contact: '@' };
  const page = await operator.submit(NEW, NEW, { ...FORM, ...wrong });
  expect(page.status).toBe(422);
  for (const says of [
    'The name must be one line of 1 to 100 characters',
    'The address of the owner must be an email address',
    'The number of credits must be a whole number',
    'Countries must be two-letter country codes',
    'The contact address must be an email address',
    'value="Estonia"',
  ])
    expect(page.text).toContain(says);
  expect((await operator.submit(NEW, NEW, { ...FORM, sms: 'maybe' })).status).toBe(422);
  expect(Object(await cli.json('business', 'list')).items).toHaveLength(before);
});

test('a shop is found by the beginnings of words of its name in any case, and by its whole id', async () => {
  const id = await create({ name: 'Kuusk & Mänd: käsitöö.example OÜ' });
  const other = await create({ name: 'КНИГИ Мира' });
  for (const text of ['kuusk', 'MÄND', 'mänd', 'example', 'kuu oü', 'käsi exam'])
    expect(await find(text), text).toContain(id);
  for (const text of ['книги', 'мир', 'Мира книги']) expect(await find(text), text).toContain(other);
  for (const text of ['uusk', 'kuusk nobody', '!!!', "'", ':* & |', '\\'])
    expect(await find(text), text).not.toContain(id);
  expect((await operator.get(`/dashboard/operator?find=${id}`)).location).toBe(at(id));
  expect((await operator.get(`/dashboard/operator?find=${id.slice(1)}`)).text).toContain('No shop was found');
});

test('the list goes on page by page, each shop once', async () => {
  for (let made = 0; made < 60; made += 1) await service.business({ name: `Paged ${made}` });
  const seen: string[] = [];
  for (let path: string | undefined = '/dashboard/operator?find=paged'; path !== undefined; ) {
    const { text } = await operator.get(path);
    seen.push(...[...text.matchAll(/operator\/shops\/([0-9a-z]{24})"/g)].map(([, id = '']) => id));
    path = /href="([^"]*cursor=[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  }
  expect(seen).toHaveLength(60);
  expect(new Set(seen)).toHaveLength(60);
});

test('hostile names stay text on every page', async () => {
  const id = await create({ name: HOSTILE });
  const pages = [
    '/dashboard/operator',
    `/dashboard/operator?find=${encodeURIComponent(HOSTILE)}`,
    at(id),
    ...['credits', 'plan', 'limits', 'deactivate', 'usage', 'suppressions'].map(
      (below) => `${at(id)}/${below}`,
    ),
  ];
  for (const path of pages) {
    const { status, text } = await operator.get(path);
    expect([status, text.includes('<script>alert')], path).toEqual([200, false]);
    expect(text, path).toContain('&lt;script>alert(1)');
  }
});

test('credits are added with a note that the shop sees in its ledger, and only after a fresh sign-in', async () => {
  const id = await create();
  await joinShop(service, id, 'viewer@acme.example', 'viewer');
  const path = `${at(id)}/credits`;
  expect((await operator.submit(path, path, { credits: '50', note: 'Invoice 7' })).location).toBe(
    `${at(id)}?flash=credited`,
  );
  expect(await cli.json('business', 'show', id)).toMatchObject({ balance: 50 });
  const viewer = await signedIn(service, (await joinShop(service, id, 'v2@acme.example', 'viewer')).id);
  expect((await viewer.get(`/dashboard/${id}/credits`)).text).toContain('Invoice 7');
  expect((await auditOf(id)).filter(({ action }) => action === 'credits.granted')).toEqual([
    { actor: `member:${operatorId}`, action: 'credits.granted', detail: { credits: 50 } },
  ]);
  for (const credits of ['0', '-5', '1.5', 'many', '']) {
    const page = await operator.submit(path, path, { credits });
    expect([page.status, page.text], credits).toEqual([
      422,
      expect.stringContaining('The number of credits must be'),
    ]);
  }
  expect(await cli.json('business', 'show', id)).toMatchObject({ balance: 50 });
});

test('the plan, its period and its allowance are changed, and a shop hears that it is past due', async () => {
  const id = await create();
  const path = `${at(id)}/plan`;
  const change = (fields: Record<string, string>) =>
    operator.submit(path, path, { reply_ack_credits: '0', ...fields });
  const periodEnd = new Date(service.clock.now().getTime() + 5 * 86_400_000).toISOString().slice(0, 10);
  await change({ plan: 'past_due', period_end: periodEnd, email_allowance: '1000' });
  expect(await cli.json('business', 'show', id)).toMatchObject({
    plan: 'past_due',
    period_end: `${periodEnd}T00:00:00.000Z`,
    email_allowance: 1000,
  });
  const { rows } = await service.pool.query('select type from events where business_id = $1', [id]);
  expect(rows).toEqual([{ type: 'plan.past_due' }]);
  const same = await change({ plan: 'past_due', period_end: periodEnd, email_allowance: '1000' });
  expect(same.location).toBe(`${at(id)}?flash=nothing_changed`);
  await change({ plan: 'active', period_end: '', email_allowance: '' });
  expect(await cli.json('business', 'show', id)).toMatchObject({
    plan: 'active',
    period_end: null,
    email_allowance: null,
  });
  expect((await change({ plan: 'gold', period_end: '2026-02-30', email_allowance: 'x' })).status).toBe(422);
  expect(
    (await auditOf(id)).filter(({ action }) => action === 'settings.changed').map(({ actor }) => actor),
  ).toEqual(Array(2).fill(`member:${operatorId}`));
});

test('a period that ends at another hour stays as it is when only the plan is changed', async () => {
  const id = await create();
  await cli.json('business', 'set', id, '--period-end', '2099-05-01T12:34:56Z');
  const path = `${at(id)}/plan`;
  const same = { period_end: '2099-05-01', email_allowance: '', reply_ack_credits: '0' };
  await operator.submit(path, path, { plan: 'past_due', ...same });
  expect(await cli.json('business', 'show', id)).toMatchObject({
    plan: 'past_due',
    period_end: '2099-05-01T12:34:56.000Z',
  });
});

test('the price of an acknowledgement is set, shown and in the audit log', async () => {
  const id = await create();
  const path = `${at(id)}/plan`;
  expect((await operator.get(at(id))).text).toMatch(/Acknowledgement of a WhatsApp reply[^.]*Free/);
  const change = (credits: string) =>
    operator.submit(path, path, { plan: 'active', reply_ack_credits: credits });
  expect((await change('2')).location).toBe(`${at(id)}?flash=plan_changed`);
  expect(await cli.json('business', 'show', id)).toMatchObject({ reply_ack: 'on', reply_ack_credits: 2 });
  expect((await operator.get(at(id))).text).toMatch(/Acknowledgement of a WhatsApp reply[^.]*2 credits/);
  expect(await auditOf(id)).toContainEqual({
    actor: `member:${operatorId}`,
    action: 'settings.changed',
    detail: { replyAckCredits: { from: 0, to: 2 } },
  });
  for (const credits of ['-1', '1001', 'some', '']) expect((await change(credits)).status, credits).toBe(422);
});

test('caps and warm-up are changed', async () => {
  const id = await create();
  const path = `${at(id)}/limits`;
  await operator.submit(path, path, { daily_email_cap: '500', paid_per_recipient_hour: '3', warmup: 'true' });
  expect(await cli.json('business', 'show', id)).toMatchObject({
    daily_email_cap: 500,
    paid_per_recipient_hour: 3,
    warmup: true,
  });
  expect((await operator.get(at(id))).text).toMatch(
    /0 of 500[\s\S]*warm-up limits them[\s\S]*At most 3 per hour/,
  );
  await operator.submit(path, path, { daily_email_cap: '', paid_per_recipient_hour: '', warmup: 'false' });
  expect(await cli.json('business', 'show', id)).toMatchObject({
    daily_email_cap: null,
    paid_per_recipient_hour: null,
    warmup: false,
  });
  expect((await operator.submit(path, path, { paid_per_recipient_hour: '0', warmup: 'false' })).status).toBe(
    422,
  );
});

test('a shop is paused and resumed, deactivated after a question and activated again', async () => {
  const shop = await service.business({ name: 'Paused' });
  const { businessId: id } = shop;
  await operator.submit(at(id), `${at(id)}/pause`);
  expect((await shop.pushed()).email).toMatchObject({ skipped_reason: 'sending_paused' });
  expect((await operator.submit(at(id), `${at(id)}/pause`)).location).toBe(`${at(id)}?flash=nothing_changed`);
  await operator.submit(at(id), `${at(id)}/resume`);
  expect((await shop.pushed({ subject: 'Again' })).email).toMatchObject({ sending: true });
  expect((await operator.get(`${at(id)}/deactivate`)).text).toContain('Deactivate this shop?');
  await operator.submit(`${at(id)}/deactivate`, `${at(id)}/deactivate`);
  expect((await shop.push()).status).toBe(403);
  await operator.submit(at(id), `${at(id)}/activate`);
  expect((await shop.push()).status).toBe(201);
  const changes = (await auditOf(id)).filter(({ action }) => action === 'settings.changed');
  expect(changes).toHaveLength(4);
  expect(new Set(changes.map(({ actor }) => actor))).toEqual(new Set([`member:${operatorId}`]));
});

test('senders are set by the rules of the command line, listed and removed', async () => {
  const id = await create();
  const set = (channel: string, address: string) =>
    operator.submit(at(id), `${at(id)}/senders`, { channel, address });
  await set('email', ' Orders@Acme.example ');
  await set('sms', 'Acme Books');
  expect(await cli.json('sender', 'list', id)).toEqual({
    items: [
      { channel: 'email', address: 'orders@acme.example' },
      { channel: 'sms', address: 'Acme Books' },
    ],
  });
  const wrong = await set('sms', 'A name that is much too long');
  expect([wrong.status, wrong.text]).toEqual([
    422,
    expect.stringContaining('The sender must be a number such as'),
  ]);
  expect((await set('pigeon', 'x')).status).toBe(422);
  expect((await operator.submit(at(id), `${at(id)}/senders/sms/remove`)).location).toContain(
    'flash=sender_removed',
  );
  expect((await operator.submit(at(id), `${at(id)}/senders/sms/remove`)).location).toContain(
    'flash=no_sender',
  );
  expect((await operator.submit(at(id), `${at(id)}/senders/pigeon/remove`)).location).toContain(
    'flash=no_sender',
  );
  expect(Object(await cli.json('sender', 'list', id)).items).toHaveLength(1);
});

test('an address is stopped for a shop, looked up and let go again, and never gets into a URL', async () => {
  const shop = await service.business({ name: 'Suppressing' });
  const path = `${at(shop.businessId)}/suppressions`;
  const act = (what: string, email = 'Ann@example.com') => operator.submit(path, path, { email, act: what });
  expect((await act('find')).text).toContain('The shop may email this address.');
  expect((await act('add')).location).toBe(`${path}?flash=added`);
  expect((await act('add')).location).toBe(`${path}?flash=added_before`);
  expect((await act('find')).text).toContain('An operator stopped it');
  expect(await cli.json('suppression', 'list', shop.businessId)).toMatchObject({
    items: [{ email: 'ann@example.com', reason: 'operator' }],
  });
  expect((await shop.pushed()).email).toMatchObject({ skipped_reason: 'suppressed' });
  expect((await act('lift')).location).toBe(`${path}?flash=lifted`);
  expect((await act('lift')).location).toBe(`${path}?flash=nothing_lifted`);
  expect((await shop.pushed()).email).toMatchObject({ sending: true });
  expect((await act('find', 'nobody')).status).toBe(422);
});

test('the usage is counted anew', async () => {
  const shop = await service.business({ name: 'Counted' });
  await shop.pushed();
  await service.pool.query('update usage_counters set messages = 7 where business_id = $1', [
    shop.businessId,
  ]);
  const path = `${at(shop.businessId)}/usage`;
  expect((await operator.submit(path, path)).location).toContain('flash=usage_changed');
  expect((await shop.get('/api/v1/usage')).body).toMatchObject({ total: { messages: 1 } });
  expect((await operator.submit(path, path)).location).toContain('flash=usage_same');
});

test('the page shows endpoints that fail, what waits, and who may sign in', async () => {
  const shop = await service.business({ name: 'Ailing' });
  await joinShop(service, shop.businessId, 'boss@ailing.example', 'owner');
  await shop.call('POST', '/api/v1/webhook-endpoints', {
    body: { url: 'https://hooks.ailing.example/secret-path' },
  });
  await service.pool.query(
    `update webhook_endpoints set consecutive_failures = 3, last_error = 'answered 500' where business_id = $1`,
    [shop.businessId],
  );
  await shop.pushed({ send_at: new Date(service.clock.now().getTime() + 3_600_000).toISOString() });
  const { text } = await operator.get(at(shop.businessId));
  for (const says of [
    'hooks.ailing.example',
    '<span class="badge bad">Failing</span>',
    'The server answered 500',
    'Email: 1, of which 0 due',
    'boss@ailing.example',
  ])
    expect(text).toContain(says);
  expect(text).not.toContain('secret-path');
});

test('grants ask an operator to sign in again after ten minutes; the rest does not', async () => {
  const id = await create();
  await service.advance({ minutes: 11 });
  for (const path of [NEW, `${at(id)}/credits`, `${at(id)}/plan`])
    expect((await operator.get(path)).location, path).toBe(`/dashboard/sign-in-again?to=${path}`);
  expect((await operator.get(`${at(id)}/limits`)).status).toBe(200);
  expect((await operator.get('/dashboard/operator/shops/nothing')).status).toBe(404);
});

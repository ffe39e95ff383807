import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openConsole, type TestConsole } from '../cli/console.ts';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { startService, type TestService } from '../support/service.ts';
import { eventually } from '../support/waiting.ts';
import { joinAsOperator, joinShop, type MemberBrowser, signedIn } from './memberBrowser.ts';

let service: TestService;
let operator: MemberBrowser;
let operatorId: string;
let cli: TestConsole;
beforeAll(async () => {
  service = await startService();
  operatorId = (await joinAsOperator(service, 'op@waypost.example')).id;
  operator = await signedIn(service, operatorId);
  cli = openConsole(service.database.url, { SECRET_KEY: service.secretKey });
});
afterAll(() => service.close());

const at = (below: string): string => `/dashboard/operator/${below}`;
const HOSTILE = `<script>alert(1)</script> "Quotes" مكتبة`;

async function platformAudit(action: string): Promise<{ actor: string; detail: unknown }[]> {
  const { rows } = await service.pool.query<{ actor: string; detail: unknown }>(
    'select actor, detail from platform_audit_entries where action = $1 order by id',
    [action],
  );
  return rows;
}

test('a price is set by country, holds for the next push, and is in the log', async () => {
  const path = at('prices');
  expect((await operator.get(path)).text).toContain('Every other country costs 1 credit.');
  expect((await operator.submit(path, path, { country: 'EE', credits: '3' })).location).toBe(
    `${path}?flash=price_set`,
  );
  expect((await operator.submit(path, path, { country: 'EE', credits: '3' })).location).toBe(
    `${path}?flash=price_same`,
  );
  expect(await cli.json('price', 'list')).toEqual({ items: [{ country: 'EE', credits: 3 }] });
  expect((await operator.get(path)).text).toContain('Estonia (EE)');
  const shop = await service.business({ credits: 10 });
  expect((await shop.pushed({ recipient_phone: PHONE_NUMBER, channels: ['sms'] })).sms).toMatchObject({
    credits: 3,
  });
  expect(await platformAudit('price.set')).toEqual([
    { actor: `member:${operatorId}`, detail: { country: 'EE', credits: { from: null, to: 3 } } },
  ]);
  for (const fields of [
    { country: 'XX', credits: '2' },
    { country: 'FI', credits: '0' },
    { country: 'FI', credits: '1001' },
  ])
    expect((await operator.submit(path, path, fields)).status).toBe(422);
  expect(Object(await cli.json('price', 'list')).items).toHaveLength(1);
});

test('a template is held and sent again; the sandbox has no reviews', async () => {
  const path = at('templates');
  const shop = await service.business({ credits: 10 });
  const push = (subject: string) =>
    shop.pushed({
      subject,
      recipient_phone: PHONE_NUMBER,
      reference: '#1001',
      order_status: 'shipped',
      whatsapp_opt_in: { at: service.clock.now().toISOString(), source: 'checkout' },
      channels: ['whatsapp'],
    });
  expect((await operator.submit(path, `${path}/shipped`, { state: 'in_review' })).location).toBe(
    `${path}?flash=in_review`,
  );
  expect((await push('One')).whatsapp).toMatchObject({ skipped_reason: 'template_not_sendable' });
  expect((await operator.submit(path, `${path}/shipped`, { state: 'approved' })).location).toBe(
    `${path}?flash=approved`,
  );
  expect((await push('Two')).whatsapp).toMatchObject({ queued: true });
  expect((await operator.submit(path, `${path}/shipped`, { state: 'approved' })).location).toBe(
    `${path}?flash=template_same`,
  );
  expect((await operator.submit(path, `${path}/shipped`, { state: 'lost' })).status).toBe(422);
  expect((await operator.submit(path, `${path}/lost`, { state: 'approved' })).status).toBe(404);
  expect(await platformAudit('template.set')).toHaveLength(2);
  const page = (await operator.get(path)).text;
  expect(page).toContain('What sends WhatsApp messages here has no reviews');
  expect(page).toContain('waypost_order_shipped_v1');
  const sync = await operator.submit(path, `${path}/sync`);
  expect([sync.status, sync.text]).toEqual([422, expect.stringContaining('has no reviews')]);
});

test('the providers’ page counts calls and says that nothing is wrong', async () => {
  const shop = await service.business();
  await shop.pushed();
  await eventually(async () => expect((await operator.get(at('providers'))).text).toContain('Accepted'));
  const { text } = await operator.get(at('providers'));
  expect(text).toContain('The sandbox, which sends nothing');
  expect(text).toMatch(/Yours to put right<\/h2><p>Nothing\.<\/p>/);
});

test('without a worker everything waits: the outbox page counts like the command line, by state and age, and providers are not known', async () => {
  const alone = await startService({ ROLES: 'api' });
  onTestFinished(() => alone.close());
  const console = openConsole(alone.database.url, { SECRET_KEY: alone.secretKey });
  const browser = await signedIn(alone, (await joinAsOperator(alone, 'op@waypost.example')).id);
  expect((await browser.get(at('outbox'))).text).toContain('The outbox is empty.');
  const shop = await alone.business({ credits: 10 });
  await shop.call('POST', '/api/v1/webhook-endpoints', { body: { url: 'https://hooks.shop.example/x' } });
  await shop.pushed({ recipient_phone: PHONE_NUMBER, channels: ['sms'] });
  const late = await shop.pushed({ recipient_email: 'late@example.com' });
  await shop.pushed({ send_at: new Date(alone.clock.now().getTime() + 3_600_000).toISOString() });
  await shop.post(`/api/v1/messages/${late.id}/retract`);
  await alone.pool.query(`update sends set due_at = due_at - interval '10 minutes' where channel = 'sms'`);
  const { text } = await browser.get(at('outbox'));
  const counted = await console.json('outbox', 'stats');
  const figures = [...text.matchAll(/<strong>([^<]*)<\/strong>/g)].map(([, figure]) => figure);
  expect(figures.slice(0, 3)).toEqual([String(counted.sends_waiting), String(counted.sends_due), '10 min']);
  expect(figures.slice(3, 5)).toEqual([
    String(counted.webhook_deliveries_waiting),
    String(counted.webhook_deliveries_due),
  ]);
  expect(Number(counted.sends_due)).toBeLessThan(Number(counted.sends_waiting));
  expect(Number(counted.webhook_deliveries_waiting)).toBeGreaterThan(0);
  expect(text).toMatch(/Up to half an hour<\/a><\/th><td [^>]*>1<\/td>/);
  expect(text).toContain('data-title="State">Queued<');
  const providers = (await browser.get(at('providers'))).text;
  expect(providers).toContain('The workers are other programs');
  expect(providers).toContain('Not known here');
  expect(providers).not.toContain('Closed');
});

test('an address that bounced for all shops is looked up and lifted, and stays out of URLs, logs and the audit', async () => {
  const path = at('suppressions');
  const shop = await service.business();
  const other = await service.business();
  const address = 'bounce@example.com';
  await shop.pushed({ recipient_email: address });
  const act = (what: string) => operator.submit(path, path, { email: ' Bounce@Example.com ', act: what });
  await eventually(async () => expect((await act('find')).text).toContain('Let all shops email it again'));
  expect((await other.pushed({ recipient_email: address })).email).toMatchObject({
    skipped_reason: 'platform_suppressed',
  });
  expect((await act('lift')).location).toBe(`${path}?flash=lifted`);
  expect((await act('lift')).location).toBe(`${path}?flash=nothing_lifted`);
  expect((await act('find')).text).toContain('Not suppressed');
  expect((await other.pushed({ recipient_email: address, subject: 'Again' })).email).toMatchObject({
    sending: true,
  });
  expect(await cli.json('suppression', 'list', shop.businessId)).toMatchObject({
    items: [{ reason: 'bounce' }],
  });
  expect(await platformAudit('suppression.lifted_for_all')).toEqual([
    { actor: `member:${operatorId}`, detail: {} },
  ]);
  expect(JSON.stringify(service.logged)).not.toContain(address);
  expect((await operator.submit(path, path, { email: 'x', act: 'find' })).status).toBe(422);
});

test('people are listed with their shops, found by address, and made operators', async () => {
  const path = at('people');
  const shop = await service.business({ name: HOSTILE });
  await joinShop(service, shop.businessId, 'ann@shop.example', 'viewer');
  for (let made = 0; made < 6; made += 1)
    await joinShop(
      service,
      (await service.business({ name: `Shop ${made}` })).businessId,
      'ann@shop.example',
      'owner',
    );
  const { text } = await operator.get(path);
  expect(text).toContain('ann@shop.example');
  expect(text).toContain('and 2 more');
  expect(text).not.toContain('<script>alert');
  expect((await operator.submit(path, path, { email: ' ANN@shop.example' })).text).toContain(
    '&lt;script>alert(1)',
  );
  expect((await operator.submit(path, path, { email: 'nobody@shop.example' })).text).toContain(
    'Nobody has this address',
  );
  expect((await operator.submit(path, path, { email: 'no' })).status).toBe(422);
  const add = at('operators/new');
  expect((await operator.submit(add, add, { email: 'ann@shop.example' })).location).toBe(
    `${path}?flash=operator_added`,
  );
  expect((await operator.submit(add, add, { email: 'ann@shop.example' })).location).toBe(
    `${path}?flash=operator_before`,
  );
  expect((await operator.submit(add, add, { email: 'ann' })).status).toBe(422);
  const { member_id: id } = await cli.json('operator', 'add', 'ann@shop.example');
  const ann = await signedIn(service, String(id));
  expect((await ann.get('/dashboard/operator')).status).toBe(200);
  expect(await platformAudit('operator.added')).toContainEqual({
    actor: `member:${operatorId}`,
    detail: { member_id: id },
  });
});

test('the list of people goes on page by page, each once', async () => {
  const shop = await service.business();
  for (let made = 0; made < 30; made += 1)
    await joinShop(service, shop.businessId, `many${made}@shop.example`, 'viewer');
  const seen: string[] = [];
  for (let path: string | undefined = at('people'); path !== undefined; ) {
    const { text } = await operator.get(path);
    seen.push(
      ...[...text.matchAll(/<th scope="row">(many\d+@shop\.example)</g)].map(([, email = '']) => email),
    );
    path = /href="([^"]*people\?cursor=[^"]*)"/.exec(text)?.[1];
  }
  expect(seen).toHaveLength(30);
  expect(new Set(seen)).toHaveLength(30);
});

test('an operator is added only after a fresh sign-in', async () => {
  await service.advance({ minutes: 11 });
  expect((await operator.get(at('operators/new'))).location).toBe(
    `/dashboard/sign-in-again?to=${at('operators/new')}`,
  );
  operator = await signedIn(service, operatorId);
});

test('a template is held in one language alone, and a shop is created with its language', async () => {
  const path = at('templates');
  expect((await operator.get(`${path}?language=et`)).text).toContain('Uudis saatjalt {{1}}');
  const hold = { state: 'in_review', language: 'et' };
  expect((await operator.submit(path, `${path}/shipped`, hold)).location).toBe(
    `${path}?flash=in_review&language=et`,
  );
  const { rows } = await service.pool.query(
    `select language, state from template_translations where order_status = 'shipped' and language in ('et', 'fi')
     union all select 'en', state from whatsapp_templates where order_status = 'shipped' order by 1`,
  );
  expect(rows).toEqual([
    { language: 'en', state: 'approved' },
    { language: 'et', state: 'in_review' },
    { language: 'fi', state: 'sandbox' },
  ]);
  expect((await platformAudit('template.set')).at(-1)?.detail).toEqual({
    order_status: 'shipped',
    state: 'in_review',
    language: 'et',
  });
  await operator.submit(path, `${path}/shipped`, { ...hold, state: 'approved' });

  const made = await operator.submit(at('shops/new'), at('shops/new'), {
    name: 'Keelepood',
    owner: 'owner@keel.example',
    sms: 'off',
    whatsapp: 'off',
    language: 'et',
  });
  const shop = await operator.get(made.location ?? '');
  expect(shop.text).toMatch(/<dt>Language<\/dt>\s*<dd>Estonian/);
});

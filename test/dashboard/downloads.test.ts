import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { joinShop, type MemberBrowser, searchIn, signedIn } from './memberBrowser.ts';

let service: TestService;
let shop: Shop;
let member: MemberBrowser;
let viewer: MemberBrowser;
let memberId: string;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
  shop = await service.business();
  await shop.pushed({ recipient_email: 'ann@example.com', subject: 'Parcel for Ann', reference: 'ANN-1' });
  memberId = (await joinShop(service, shop.businessId, 'member@shop.example', 'member')).id;
  member = await signedIn(service, memberId);
  viewer = await signedIn(service, (await joinShop(service, shop.businessId, 'v@shop.example', 'viewer')).id);
});
afterAll(() => service.close());

const list = (): string => `/dashboard/${shop.businessId}/messages`;
const downloads = async () =>
  (
    await service.pool.query<{ actor: string; subject: string | null; detail: unknown }>(
      `select actor, subject, detail from audit_entries where business_id = $1 and action = 'message.exported' order by id`,
      [shop.businessId],
    )
  ).rows;

test('a viewer reads the messages, but neither gets them as a file nor is offered it', async () => {
  const page = await viewer.get(list());
  expect(page.text).toContain('Parcel for Ann');
  expect(page.text).not.toContain('.csv');
  expect((await viewer.get(`${list()}.csv`)).status).toBe(403);
  expect(await downloads()).toEqual([]);
  expect((await member.get(list())).text).toContain(`${list()}.csv`);
});

test('a download is in the audit log, with who took it and by which filters', async () => {
  const file = await member.get(`${list()}.csv?status=active&sms=none&from=2026-01-01&reference=ANN-1`);
  expect(file.text).toContain('ann@example.com');
  expect(await downloads()).toEqual([
    {
      actor: `member:${memberId}`,
      subject: null,
      detail: { filter: { status: 'active', sms: 'none', from: '2026-01-01', reference: true } },
    },
  ]);
  const { text } = await viewer.get(`/dashboard/${shop.businessId}/settings/audit?action=message.exported`);
  expect(text).toMatch(
    /member@shop\.example[\s\S]*Downloaded messages[\s\S]*From: 2026-01-01[\s\S]*One order/,
  );
});

test('the audit log does not say what was searched for', async () => {
  const found = await searchIn(member, shop, 'parcel');
  await member.get((found.location ?? '').replace('/search?', '/messages.csv?'));
  expect((await downloads()).at(-1)?.detail).toEqual({ filter: { find: true } });
});

test('a download of one customer’s messages names them, until they are erased', async () => {
  const found = await searchIn(member, shop, 'ann@example.com');
  await member.get(`${list()}.csv?recipient=${found.location?.split('/').at(-1)}`);
  expect((await downloads()).at(-1)).toMatchObject({ subject: 'ann@example.com', detail: { filter: {} } });
  await shop.post('/api/v1/recipients/ann%40example.com/erase');
  expect(JSON.stringify(await downloads())).not.toContain('ann@example.com');
});

test('a file that is not there, or not asked for, leaves no entry', async () => {
  const before = await downloads();
  expect((await member.get(`${list()}.csv?recipient=nobody`)).status).toBe(404);
  const cookie = [...member.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  await fetch(new URL(`${list()}.csv`, service.url), { method: 'HEAD', headers: { cookie } });
  expect(await downloads()).toEqual(before);
});

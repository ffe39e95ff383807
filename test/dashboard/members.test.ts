import { afterAll, beforeAll, expect, test } from 'vitest';
import { transaction } from '../../src/db/transaction.ts';
import { removeMember } from '../../src/members/members.ts';
import { openConsole, type TestConsole } from '../cli/console.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';
import {
  csrfIn,
  joinAsOperator,
  joinShop,
  MemberBrowser,
  mailedLink,
  mainOf,
  signedIn,
} from './memberBrowser.ts';

let service: TestService;
let console: TestConsole;
beforeAll(async () => {
  service = await startService();
  console = openConsole(service.database.url, { SECRET_KEY: service.secretKey });
});
afterAll(() => service.close());

let shops = 0;

/** A shop of its own, with an owner who is signed in. */
async function newShop(): Promise<{ shop: Shop; owner: MemberBrowser; ownerId: string; email: string }> {
  shops += 1;
  const shop = await service.business({ name: `Shop ${shops}` });
  const email = `owner${shops}@shop.example`;
  const { id } = await joinShop(service, shop.businessId, email, 'owner');
  return { shop, owner: await signedIn(service, id), ownerId: id, email };
}
const at = ({ businessId }: Shop, path = ''): string => `/dashboard/${businessId}/settings/members${path}`;
const listed = async ({ businessId }: Shop): Promise<Record<string, unknown>[]> => {
  const { items } = await console.json('member', 'list', businessId);
  return Array.isArray(items) ? items : [];
};
const roleOf = async (shop: Shop, email: string): Promise<unknown> =>
  (await listed(shop)).find((item) => item.email === email)?.role;
const actsIn = async ({ businessId }: Shop, actor: string): Promise<unknown[]> => {
  const { rows } = await service.pool.query(
    `select action, detail from audit_entries where business_id = $1 and actor = $2 order by id`,
    [businessId, actor],
  );
  return rows;
};

test('the list has each member with their role and when they were last seen', async () => {
  const { shop, owner } = await newShop();
  await joinShop(service, shop.businessId, 'quiet@shop.example', 'viewer');
  const { text } = await owner.get(at(shop));
  expect(text).toMatch(/owner1@shop\.example<\/strong> \(you\)[\s\S]*Owner[\s\S]*Last seen <time/);
  expect(text).toMatch(/quiet@shop\.example[\s\S]*Viewer[\s\S]*Not seen here yet/);
  expect(text).toContain(`They sign in at ${service.url}/dashboard`);
});

test('“last seen” is about this shop: a visit to another one changes nothing here', async () => {
  const [{ shop }, other] = [await newShop(), await newShop()];
  const { id } = await joinShop(service, shop.businessId, other.email, 'viewer');
  const lastSeen = async (): Promise<unknown> =>
    (await listed(shop)).find(({ email }) => email === other.email)?.last_seen_at;
  const browser = await signedIn(service, id);
  await browser.get(`/dashboard/${other.shop.businessId}`);
  expect(await lastSeen()).toBeNull();
  await browser.get(`/dashboard/${shop.businessId}`);
  const seen = await lastSeen();
  expect(seen).not.toBeNull();
  await service.advance({ minutes: 2 });
  await browser.get(`/dashboard/${other.shop.businessId}`);
  expect(await lastSeen()).toEqual(seen);
  await browser.get(`/dashboard/${shop.businessId}`);
  expect(await lastSeen()).not.toEqual(seen);
});

test('an owner adds a member, who signs in with their address alone', async () => {
  const { shop, owner, ownerId } = await newShop();
  const added = await owner.submit(at(shop), at(shop), { email: ' New@Shop.Example ', role: 'member' });
  expect(added.location).toBe(`${at(shop)}?flash=added`);
  expect(await roleOf(shop, 'new@shop.example')).toBe('member');
  const browser = new MemberBrowser(service.url);
  await browser.post('/dashboard/sign-in', { email: 'new@shop.example' });
  await browser.post(await mailedLink(service, 'new@shop.example'));
  expect((await browser.get(`/dashboard/${shop.businessId}`)).status).toBe(200);
  expect(await actsIn(shop, `member:${ownerId}`)).toEqual([
    { action: 'member.added', detail: { member_id: expect.any(String), role: 'member' } },
  ]);
});

const invitations = (email: string) => capturedMessages(service.url, { to: email, channel: 'email' });
const invited = async (email: string, count: number) => {
  const mails = await eventually(async () => {
    const found = await invitations(email);
    expect(found).toHaveLength(count);
    return found;
  });
  return mails[0];
};

test('a new member is invited by a mail that names the shop and signs nobody in', async () => {
  const { shop, owner } = await newShop();
  const email = 'welcome@shop.example';
  expect((await owner.get(at(shop))).text).toMatch(/name="invite" value="email" checked/);
  const added = await owner.submit(at(shop), at(shop), { email, role: 'viewer', invite: 'email' });
  expect(added.location).toBe(`${at(shop)}?flash=invited`);
  const mail = await invited(email, 1);
  expect(mail?.subject).toMatch(/^Shop \d+ invites you to its dashboard$/);
  const links = [...`${mail?.text} ${mail?.html}`.matchAll(/https?:\/\/[^\s"<]+/g)].map(([link]) => link);
  expect(new Set(links)).toEqual(new Set([`${service.url}/dashboard/sign-in`]));
  expect(JSON.stringify(service.logged)).not.toContain(email);
});

test('an address is invited once a day, however often and by whatever shop it is added', async () => {
  const [one, two] = [await newShop(), await newShop()];
  const email = 'flooded@shop.example';
  const add = async ({ shop, owner }: typeof one) =>
    (await owner.submit(at(shop), at(shop), { email, role: 'viewer', invite: 'email' })).location;
  const remove = async ({ shop, owner }: typeof one) => {
    const member = (await owner.get(at(shop))).text.match(/members\/(\w+)\/remove"[^>]*flooded/)?.[1];
    const page = at(shop, `/${member}/remove`);
    expect((await owner.submit(page, page)).location).toBe(`${at(shop)}?flash=removed`);
  };
  expect(await add(one)).toContain('flash=invited');
  await remove(one);
  expect(await add(one)).toContain('flash=not_invited');
  expect(await add(two)).toContain('flash=not_invited');
  await invited(email, 1);
  await remove(one);
  await service.advance({ hours: 24, seconds: 1 });
  const owner = await signedIn(service, one.ownerId);
  expect(await add({ ...one, owner })).toContain('flash=invited');
  await invited(email, 2);
});

test('an owner who unticks the invitation sends none, also after a mistake in the form', async () => {
  const { shop, owner } = await newShop();
  const refused = await owner.submit(at(shop), at(shop), { email: 'not an address', role: 'viewer' });
  expect(refused.text).toContain('name="invite" value="email"/>');
  const email = 'uninvited@shop.example';
  const added = await owner.submit(at(shop), at(shop), { email, role: 'viewer' });
  expect(added.location).toBe(`${at(shop)}?flash=added`);
  expect(await invitations(email)).toEqual([]);
});

test('a wrong address, role or a member of the shop is refused beside the field, and nothing is lost', async () => {
  const { shop, owner, email } = await newShop();
  for (const [typed, role, says] of [
    ['"><script>alert(1)</script>', 'viewer', 'This is not an email address.'],
    ['king@shop.example', 'king', 'Choose one of the roles.'],
    [email, 'viewer', 'This address is a member’s already.'],
  ] as const) {
    const refused = await owner.submit(at(shop), at(shop), { email: typed, role });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain(says);
    expect(refused.text).not.toContain('<script>alert');
  }
  expect(await listed(shop)).toHaveLength(1);
  expect(await roleOf(shop, email)).toBe('owner');
});

test('a role is changed, holds at once, and the log has both', async () => {
  const { shop, owner, ownerId } = await newShop();
  const { id } = await joinShop(service, shop.businessId, 'changing@shop.example', 'viewer');
  const browser = await signedIn(service, id);
  expect((await browser.get(`/dashboard/${shop.businessId}/push`)).status).toBe(403);
  const page = at(shop, `/${id}`);
  expect((await owner.submit(page, page, { role: 'member' })).location).toBe(
    `${at(shop)}?flash=role_changed`,
  );
  expect(await roleOf(shop, 'changing@shop.example')).toBe('member');
  expect((await browser.get(`/dashboard/${shop.businessId}/push`)).status).toBe(200);
  expect((await owner.submit(page, page, { role: 'member' })).location).toBe(`${at(shop)}?flash=same`);
  expect(await actsIn(shop, `member:${ownerId}`)).toEqual([
    { action: 'member.role_changed', detail: { member_id: id, role: 'member', role_before: 'viewer' } },
  ]);
});

test('who belongs to no other shop is signed out at once when removed, in every browser', async () => {
  const { shop, owner, ownerId } = await newShop();
  const { id } = await joinShop(service, shop.businessId, 'leaving@shop.example', 'member');
  const browsers = [await signedIn(service, id), await signedIn(service, id)];
  const page = at(shop, `/${id}/remove`);
  expect((await owner.get(page)).text).toContain('This shop is closed to them at once');
  expect((await owner.submit(page, page)).location).toBe(`${at(shop)}?flash=removed`);
  for (const browser of browsers)
    expect((await browser.get('/dashboard/account')).location).toBe('/dashboard/sign-in');
  expect(await roleOf(shop, 'leaving@shop.example')).toBeUndefined();
  expect(await actsIn(shop, `member:${ownerId}`)).toEqual([
    { action: 'member.removed', detail: { member_id: id, role: 'member' } },
  ]);
  // Another tab still has the page open.
  expect((await owner.submit(at(shop), page)).status).toBe(404);
});

test('who is added to a shop and removed again stays signed in everywhere else, and their mailed link works', async () => {
  const [attacked, { shop, owner }] = [await newShop(), await newShop()];
  const operatorEmail = 'attacked@waypost.example';
  const operator = await signedIn(service, (await joinAsOperator(service, operatorEmail)).id);
  const elsewhere = new MemberBrowser(service.url);
  await elsewhere.post('/dashboard/sign-in', { email: attacked.email });
  const link = await mailedLink(service, attacked.email);
  for (const email of [attacked.email, operatorEmail]) {
    const { id } = await joinShop(service, shop.businessId, email, 'viewer');
    const page = at(shop, `/${id}/remove`);
    expect((await owner.submit(page, page)).location).toBe(`${at(shop)}?flash=removed`);
  }
  expect((await attacked.owner.get(`/dashboard/${attacked.shop.businessId}`)).status).toBe(200);
  expect((await attacked.owner.get(`/dashboard/${shop.businessId}`)).status).toBe(404);
  expect((await operator.get('/dashboard/operator')).status).toBe(200);
  expect((await elsewhere.post(link)).status).toBe(303);
});

test('the command line signs out only who has nothing left, be it a shop or being an operator', async () => {
  const { shop } = await newShop();
  const [member, operator] = ['stays@waypost.example', 'ends@waypost.example'];
  const [staying, ending] = [
    await signedIn(service, (await joinAsOperator(service, member)).id),
    await signedIn(service, (await joinAsOperator(service, operator)).id),
  ];
  for (const email of [member, operator]) await joinShop(service, shop.businessId, email, 'viewer');
  await console.json('operator', 'remove', member);
  expect((await staying.get('/dashboard/operator')).status).toBe(404);
  expect((await staying.get(`/dashboard/${shop.businessId}`)).status).toBe(200);
  await console.json('member', 'remove', shop.businessId, operator);
  expect((await ending.get('/dashboard/operator')).status).toBe(200);
  await console.json('operator', 'remove', operator);
  await console.json('member', 'remove', shop.businessId, member);
  for (const browser of [staying, ending])
    expect((await browser.get('/dashboard/account')).location).toBe('/dashboard/sign-in');
});

test('a member who leaves a shop is led to their others', async () => {
  const [{ shop, ownerId, email }, other] = [await newShop(), await newShop()];
  await joinShop(service, shop.businessId, 'rest@shop.example', 'owner');
  await joinShop(service, other.shop.businessId, email, 'owner');
  const browser = await signedIn(service, ownerId);
  const page = at(shop, `/${ownerId}/remove`);
  expect((await browser.submit(page, page)).location).toBe('/dashboard');
  expect((await browser.get('/dashboard')).location).toBe(`/dashboard/${other.shop.businessId}`);
});

test('the last owner can neither go nor be demoted: not here, not on the command line', async () => {
  const { shop, owner, ownerId, email } = await newShop();
  await joinShop(service, shop.businessId, 'other@shop.example', 'member');
  for (const [path, fields] of [
    [at(shop, `/${ownerId}`), { role: 'viewer' }],
    [at(shop, `/${ownerId}/remove`), {}],
  ] as const) {
    const refused = await owner.submit(path, path, fields);
    expect([refused.status, refused.text]).toEqual([
      409,
      expect.stringContaining('this is the last owner of the shop'),
    ]);
  }
  const last = `${email} is the last owner of this business: make somebody else an owner first.`;
  expect(await console.mistake('member', 'remove', shop.businessId, email)).toBe(last);
  expect(await console.mistake('member', 'add', shop.businessId, email, '--role', 'member')).toBe(last);
  expect(await roleOf(shop, email)).toBe('owner');
  expect((await owner.get(at(shop))).status).toBe(200);
});

test('two owners who remove each other at once leave one', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { shop, ownerId, email } = await newShop();
    const second = `second${round}@shop.example`;
    const { id } = await joinShop(service, shop.businessId, second, 'owner');
    const [one, other] = [await signedIn(service, ownerId), await signedIn(service, id)];
    const paths = [at(shop, `/${id}/remove`), at(shop, `/${ownerId}/remove`)] as const;
    // Both have the page open: afterwards the one who was removed sees it no more.
    const tokens = [csrfIn((await one.get(paths[0])).text), csrfIn((await other.get(paths[1])).text)];
    await Promise.all([
      one.post(paths[0], { csrf: tokens[0] ?? '' }),
      other.post(paths[1], { csrf: tokens[1] ?? '' }),
    ]);
    const owners = (await listed(shop)).filter(({ role }) => role === 'owner');
    expect(owners).toHaveLength(1);
    expect([email, second]).toContain(owners[0]?.email);
  }
});

test('owners who leave, all at once, by any way, leave one', async () => {
  const { shop, ownerId } = await newShop();
  const emails = Array.from({ length: 4 }, (_, index) => `many${index}@shop.example`);
  for (const email of emails) await joinShop(service, shop.businessId, email, 'owner');
  const remove = (email: string) =>
    transaction(service.pool, (tx) =>
      removeMember(tx, service.clock.now(), { businessId: shop.businessId, email }),
    );
  const demote = (email: string) => joinShop(service, shop.businessId, email, 'viewer');
  const { rows } = await service.pool.query<{ email: string }>('select email from members where id = $1', [
    ownerId,
  ]);
  const all = [...emails, rows[0]?.email ?? ''];
  const outcomes = await Promise.allSettled(all.map((email, index) => (index % 2 ? demote : remove)(email)));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  expect((await listed(shop)).filter(({ role }) => role === 'owner')).toHaveLength(1);
});

test('removing or demoting an owner asks to sign in again after ten minutes; another member does not', async () => {
  const { shop, owner } = await newShop();
  const second = (await joinShop(service, shop.businessId, 'co@shop.example', 'owner')).id;
  const viewer = (await joinShop(service, shop.businessId, 'vi@shop.example', 'viewer')).id;
  await service.advance({ minutes: 11 });
  for (const path of [at(shop, `/${second}`), at(shop, `/${second}/remove`)]) {
    expect((await owner.get(path)).location).toContain('/dashboard/sign-in-again');
    expect((await owner.submit(at(shop), path, { role: 'viewer' })).location).toContain('/sign-in-again');
  }
  expect(await roleOf(shop, 'co@shop.example')).toBe('owner');
  const page = at(shop, `/${viewer}/remove`);
  expect((await owner.submit(page, page)).location).toBe(`${at(shop)}?flash=removed`);
});

test('others see the list and are offered nothing', async () => {
  const { shop, ownerId } = await newShop();
  const { id } = await joinShop(service, shop.businessId, 'looks@shop.example', 'member');
  const { text } = await (await signedIn(service, id)).get(at(shop));
  expect(text).toContain('looks@shop.example');
  expect(mainOf(text)).not.toMatch(/<form|Remove …|Role …/);
  expect((await (await signedIn(service, id)).get(at(shop, `/${ownerId}/remove`))).status).toBe(403);
});

test('an operator can put an owner in place of one who is gone', async () => {
  const { shop, ownerId, email } = await newShop();
  const operator = await signedIn(service, (await joinAsOperator(service, 'op@waypost.example')).id);
  await operator.submit(at(shop), at(shop), { email: 'next@shop.example', role: 'owner' });
  const page = at(shop, `/${ownerId}/remove`);
  expect((await operator.submit(page, page)).location).toBe(`${at(shop)}?flash=removed`);
  expect(await roleOf(shop, email)).toBeUndefined();
  expect(await roleOf(shop, 'next@shop.example')).toBe('owner');
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { openConsole, type TestConsole } from './console.ts';

let database: TestDatabase;
let console: TestConsole;
let shop: string;
beforeAll(async () => {
  database = await testDatabase();
  console = openConsole(database.url);
  shop = (await console.business()).id;
});
afterAll(() => database.drop());

test('adds a member, changes the role by adding again, lists and removes', async () => {
  const added = await console.json('member', 'add', shop, 'Ann@Shop.Example');
  expect(added).toEqual({
    business_id: shop,
    member_id: expect.any(String),
    email: 'ann@shop.example',
    role: 'member',
    invitation: 'sent',
  });
  const again = await console.json('member', 'add', shop, 'ann@shop.example', '--role', 'owner');
  expect(again).toEqual({ ...added, role: 'owner', invitation: 'none' });
  expect(await console.json('member', 'list', shop)).toEqual({
    items: [{ email: 'ann@shop.example', role: 'owner', since: expect.any(String), last_seen_at: null }],
  });
  expect(await console.text('member', 'list', shop)).toContain('ann@shop.example');
  const last = 'ann@shop.example is the last owner of this business: make somebody else an owner first.';
  expect(await console.mistake('member', 'remove', shop, 'ann@shop.example')).toBe(last);
  expect(await console.mistake('member', 'add', shop, 'ann@shop.example', '--role', 'viewer')).toBe(last);
  await console.json('member', 'add', shop, 'bo@shop.example', '--role', 'owner');
  expect(await console.json('member', 'remove', shop, 'ann@shop.example')).toMatchObject({ removed: true });
  expect(await console.text('member', 'list', shop)).not.toContain('ann@shop.example');
  const { rows } = await database.pool.query('select email from members');
  expect(rows).toEqual([{ email: 'bo@shop.example' }]);
  const other = (await console.business()).id;
  expect(await console.text('member', 'list', other)).toContain('Nobody may sign in yet');
});

test('a new member is invited by email, once a day, unless --no-invite says otherwise', async () => {
  const other = (await console.business()).id;
  const invitations = async (): Promise<unknown[]> => {
    const { rows } = await database.pool.query(
      `select subject, text from sandbox_messages where business_id = $1 and recipient = 'invited@shop.example'`,
      [other],
    );
    return rows;
  };
  const quiet = await console.json('member', 'add', other, 'invited@shop.example', '--no-invite');
  expect([quiet.invitation, await invitations()]).toEqual(['none', []]);
  await console.json('member', 'remove', other, 'invited@shop.example');
  expect(await console.json('member', 'add', other, 'invited@shop.example')).toMatchObject({
    invitation: 'sent',
  });
  expect(await invitations()).toEqual([
    {
      subject: 'Shop invites you to its dashboard',
      text: expect.stringContaining('http://localhost:8080/dashboard/sign-in\n'),
    },
  ]);
  await console.json('member', 'remove', other, 'invited@shop.example');
  const again = await console.json('member', 'add', other, 'invited@shop.example');
  expect(again.invitation).toBe(
    'none, since they had one within a day: tell them to sign in at http://localhost:8080/dashboard',
  );
  expect(await invitations()).toHaveLength(1);
});

test('one person belongs to several businesses and stays in the others', async () => {
  const other = (await console.business()).id;
  const [first, second] = [
    await console.json('member', 'add', shop, 'two@shop.example'),
    await console.json('member', 'add', other, 'two@shop.example', '--role', 'viewer'),
  ];
  expect(first.member_id).toBe(second.member_id);
  await console.json('member', 'remove', shop, 'two@shop.example');
  expect(await console.json('member', 'list', other)).toMatchObject({
    items: [{ email: 'two@shop.example', role: 'viewer' }],
  });
});

test('adds an operator, who stays one when removed from a business', async () => {
  const added = await console.json('operator', 'add', 'op@waypost.example');
  expect(added).toEqual({ member_id: expect.any(String), email: 'op@waypost.example', operator: true });
  await console.json('member', 'add', shop, 'op@waypost.example');
  await console.json('member', 'remove', shop, 'op@waypost.example');
  expect(await console.json('operator', 'add', 'op@waypost.example')).toEqual(added);
});

test('every change leaves an audit entry that names the member by id', async () => {
  const { member_id } = await console.json('member', 'add', shop, 'audited@shop.example', '--role', 'viewer');
  await console.json('member', 'remove', shop, 'audited@shop.example');
  const { rows } = await database.pool.query(
    `select actor, action, detail from audit_entries where detail->>'member_id' = $1 order by id`,
    [member_id],
  );
  expect(rows).toEqual([
    { actor: 'operator', action: 'member.added', detail: { member_id, role: 'viewer' } },
    { actor: 'operator', action: 'member.removed', detail: { member_id, role: 'viewer' } },
  ]);
});

test('making an operator leaves an audit entry, once', async () => {
  const { member_id } = await console.json('operator', 'add', 'audited@waypost.example');
  await console.json('operator', 'add', 'audited@waypost.example');
  const { rows } = await database.pool.query(
    `select actor, action, detail from platform_audit_entries where detail->>'member_id' = $1`,
    [member_id],
  );
  expect(rows).toEqual([{ actor: 'operator', action: 'operator.added', detail: { member_id } }]);
});

test('operators are listed and removed; one who belongs to a business stays its member', async () => {
  const { member_id } = await console.json('operator', 'add', 'leaver@waypost.example');
  await console.json('operator', 'add', 'both@waypost.example');
  await console.json('member', 'add', shop, 'both@waypost.example');
  const listed = async (): Promise<string> => console.text('operator', 'list');
  expect(await listed()).toMatch(/both@waypost\.example[\s\S]*leaver@waypost\.example/);
  for (const email of ['leaver@waypost.example', 'both@waypost.example'])
    expect(await console.json('operator', 'remove', email)).toEqual({ email, removed: true });
  expect(await listed()).not.toMatch(/leaver|both/);
  expect(await console.text('member', 'list', shop)).toContain('both@waypost.example');
  expect(await console.mistake('operator', 'remove', 'both@waypost.example')).toBe(
    'both@waypost.example is not an operator.',
  );
  const { rows } = await database.pool.query(
    `select action from platform_audit_entries where detail->>'member_id' = $1 order by id`,
    [member_id],
  );
  expect(rows).toEqual([{ action: 'operator.added' }, { action: 'operator.removed' }]);
});

test('mistakes are explained', async () => {
  expect(await console.mistake('member', 'add', 'nothing', 'ann@shop.example')).toContain('nothing');
  expect(await console.mistake('member', 'add', shop, 'nobody')).toContain('an email address');
  expect(await console.mistake('member', 'add', shop, 'ann@shop.example', '--role', 'king')).toContain(
    'one of owner, member, viewer',
  );
  expect(await console.mistake('member', 'remove', shop, 'ann@shop.example')).toBe(
    'ann@shop.example is not a member of this business.',
  );
});

import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { transaction } from '../../src/db/transaction.ts';
import { DEMO_OWNER, endDemoSessions } from '../../src/members/demoLink.ts';
import { removeMember } from '../../src/members/members.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { joinShop, MemberBrowser, type ReadPage, signedIn } from './memberBrowser.ts';
import { SoftwareAuthenticator } from './softwareAuthenticator.ts';

let service: TestService;
let shop: Shop;
let origin: string;
beforeAll(async () => {
  service = await startService({}, { publicHost: 'localhost' });
  origin = service.url.replace('127.0.0.1', 'localhost');
  shop = await service.business();
});
afterAll(() => service.close());

const ACCOUNT = '/dashboard/account';
const NEW = '/dashboard/account/passkeys/new';

let count = 0;
async function newMember(): Promise<{ id: string; email: string; browser: MemberBrowser }> {
  count += 1;
  const email = `member${count}@shop.example`;
  const { id } = await joinShop(service, shop.businessId, email, 'owner');
  return { id, email, browser: await signedIn(service, id) };
}

const creationOptions = async (browser: MemberBrowser) =>
  JSON.parse((await browser.submit(ACCOUNT, '/dashboard/account/passkeys/options')).text);
const add = (browser: MemberBrowser, credential: string, name = 'My laptop'): Promise<ReadPage> =>
  browser.submit(ACCOUNT, NEW, { name, credential });
const requestOptions = async (browser: MemberBrowser) =>
  JSON.parse((await browser.post('/dashboard/sign-in/passkey/options')).text);
const signIn = (browser: MemberBrowser, credential: string, to?: string): Promise<ReadPage> =>
  browser.post('/dashboard/sign-in/passkey', { credential, ...(to !== undefined && { to }) });

async function memberWithPasskey() {
  const member = await newMember();
  const authenticator = new SoftwareAuthenticator(origin);
  const added = await add(member.browser, authenticator.create(await creationOptions(member.browser)));
  expect(added.location).toBe(`${ACCOUNT}?flash=passkey_added`);
  return { ...member, authenticator };
}

const passkeyRows = async (memberId: string) =>
  (await service.pool.query('select * from passkeys where member_id = $1', [memberId])).rows;
const auditOf = async (memberId: string) =>
  (
    await service.pool.query(
      'select action, detail from platform_audit_entries where actor = $1 order by at',
      [`member:${memberId}`],
    )
  ).rows;

test('a member adds a passkey, and signs in with it without an address', async () => {
  const { id, email, authenticator } = await memberWithPasskey();
  const browser = new MemberBrowser(service.url);
  const signed = await signIn(browser, authenticator.use(await requestOptions(browser)));
  expect([signed.status, signed.location]).toEqual([303, '/dashboard']);
  const account = (await browser.get(ACCOUNT)).text;
  expect(account).toContain(email);
  expect(account).toMatch(/My laptop<\/strong>[\s\S]*?last used <time/);
  expect(await auditOf(id)).toMatchObject([{ action: 'passkey.added' }]);
});

test('what the browser is asked for: this site, a passkey that it finds by itself, and who holds it verified', async () => {
  const { id, email, browser, authenticator } = await memberWithPasskey();
  const creation = await creationOptions(browser);
  expect(creation).toMatchObject({
    rp: { id: 'localhost' },
    user: { name: email, id: Buffer.from(id).toString('base64url') },
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: [{ id: authenticator.id.toString('base64url') }],
  });
  const request = await requestOptions(new MemberBrowser(service.url));
  expect(request).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
  expect(request.allowCredentials ?? []).toEqual([]);
  for (const { challenge } of [creation, request])
    expect(Buffer.from(challenge, 'base64url')).toHaveLength(32);
});

test('a removed passkey signs nobody in', async () => {
  const { id, browser, authenticator } = await memberWithPasskey();
  const [, remove] = /action="([^"]+\/remove)"/.exec((await browser.get(ACCOUNT)).text) ?? [];
  const stranger = (await newMember()).browser;
  expect((await stranger.submit(ACCOUNT, remove ?? '')).status).toBe(404);
  expect((await browser.submit(ACCOUNT, remove ?? '')).location).toBe(`${ACCOUNT}?flash=passkey_removed`);
  expect((await browser.get(ACCOUNT)).text).not.toContain('My laptop');
  const other = new MemberBrowser(service.url);
  expect((await signIn(other, authenticator.use(await requestOptions(other)))).status).toBe(403);
  expect((await auditOf(id)).map(({ action }) => action)).toEqual(['passkey.added', 'passkey.removed']);
});

test('a challenge is used once, also by an answer that is refused', async () => {
  const { authenticator } = await memberWithPasskey();
  const browser = new MemberBrowser(service.url);
  const options = await requestOptions(browser);
  const cookies = new Map(browser.cookies);
  const again = (): void => {
    for (const [name, value] of cookies) browser.cookies.set(name, value);
  };
  expect((await signIn(browser, authenticator.use(options))).status).toBe(303);
  again();
  expect((await signIn(browser, authenticator.use(options))).status).toBe(403);
  const second = await requestOptions(browser);
  expect((await signIn(browser, authenticator.use(second, { origin: 'https://evil.example' }))).status).toBe(
    403,
  );
  expect((await signIn(browser, authenticator.use(second))).status).toBe(403);
  const third = await requestOptions(browser);
  const answers = [authenticator.use(third), authenticator.use(third)];
  const both = await Promise.all(answers.map((answer) => signIn(browser, answer)));
  expect(both.map(({ status }) => status).sort()).toEqual([303, 403]);
});

test('a challenge works only in the browser that asked for it', async () => {
  const { browser: mine, authenticator } = await memberWithPasskey();
  const [one, two] = [new MemberBrowser(service.url), new MemberBrowser(service.url)];
  const options = await requestOptions(one);
  await requestOptions(two);
  expect((await signIn(two, authenticator.use(options))).status).toBe(403);
  expect((await signIn(new MemberBrowser(service.url), authenticator.use(options))).status).toBe(403);
  expect((await signIn(one, authenticator.use(options))).status).toBe(303);
  // Nor another member's, nor one that was made for the other purpose.
  const stranger = (await newMember()).browser;
  const theirs = new SoftwareAuthenticator(origin);
  const creation = await creationOptions(mine);
  expect((await add(stranger, theirs.create(creation))).status).toBe(422);
  const request = await requestOptions(mine);
  expect((await add(mine, theirs.create({ ...creation, challenge: request.challenge }))).status).toBe(422);
  expect((await signIn(mine, authenticator.use(await creationOptions(mine)))).status).toBe(403);
});

test('an answer for another site, without verification, or of another key is refused', async () => {
  const { authenticator } = await memberWithPasskey();
  const browser = new MemberBrowser(service.url);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  for (const wrong of [
    { origin: 'https://evil.example' },
    { origin: `${origin}0` },
    { origin: service.url },
    { host: 'evil.example' },
    { isUnverified: true },
    { key: privateKey },
    { userHandle: Buffer.from('somebody else').toString('base64url') },
  ]) {
    const answer = authenticator.use(await requestOptions(browser), wrong);
    expect((await signIn(browser, answer)).status, JSON.stringify(wrong)).toBe(403);
  }
  expect(browser.cookies.has('waypost_dashboard')).toBe(false);
  expect((await signIn(browser, authenticator.use(await requestOptions(browser)))).status).toBe(303);
});

test('a new passkey for another site, or without verification, is not kept', async () => {
  const { id, browser } = await newMember();
  for (const wrong of [
    { origin: 'https://evil.example' },
    { host: 'evil.example' },
    { isUnverified: true },
  ]) {
    const made = new SoftwareAuthenticator(origin).create(await creationOptions(browser), wrong);
    expect((await add(browser, made)).status, JSON.stringify(wrong)).toBe(422);
  }
  expect(await passkeyRows(id)).toEqual([]);
});

test('a count that does not grow is refused: the passkey was copied', async () => {
  const { authenticator } = await memberWithPasskey();
  const browser = new MemberBrowser(service.url);
  const attempt = async (counter: number): Promise<number> =>
    (await signIn(browser, authenticator.use(await requestOptions(browser), { counter }))).status;
  expect(await attempt(7)).toBe(303);
  expect(await attempt(7)).toBe(403);
  expect(await attempt(3)).toBe(403);
  expect(await attempt(0)).toBe(403);
  expect(await attempt(8)).toBe(303);
});

test('a passkey that does not count works as often as its member likes', async () => {
  const { authenticator } = await memberWithPasskey();
  const browser = new MemberBrowser(service.url);
  for (let times = 0; times < 3; times += 1) {
    const answer = authenticator.use(await requestOptions(browser), { counter: 0 });
    expect((await signIn(browser, answer)).status).toBe(303);
  }
});

test('one passkey is one member’s, and is not added twice', async () => {
  const { browser, authenticator } = await memberWithPasskey();
  expect((await add(browser, authenticator.create(await creationOptions(browser)))).status).toBe(422);
  const stranger = await newMember();
  const taken = authenticator.create(await creationOptions(stranger.browser));
  expect((await add(stranger.browser, taken)).status).toBe(422);
  expect(await passkeyRows(stranger.id)).toEqual([]);
});

test('a hostile name stays text, and an unfit one is refused', async () => {
  const { browser } = await newMember();
  const authenticator = new SoftwareAuthenticator(origin);
  for (const name of ['', ' ', 'x'.repeat(61), 'a\nb'])
    expect((await add(browser, authenticator.create(await creationOptions(browser)), name)).status).toBe(422);
  const name = `"><script>alert('x')</script>\u202e`;
  expect((await add(browser, authenticator.create(await creationOptions(browser)), name)).status).toBe(303);
  const page = (await browser.get(ACCOUNT)).text;
  expect(page).toContain('&lt;script>');
  expect(page).not.toContain('<script>');
});

test('what is no passkey at all is refused with a page, not a failure', async () => {
  const browser = new MemberBrowser(service.url);
  await requestOptions(browser);
  for (const credential of ['', '{}', 'null', '{"id":"AA","response":{}}', 'x'.repeat(7_000)])
    expect((await signIn(browser, credential)).status).toBe(403);
  expect((await signIn(browser, 'x'.repeat(9_000))).status).toBe(413);
  expect(service.logged.filter(({ level }) => level === 'error')).toEqual([]);
});

test('a form of another site gets no challenge and signs nobody in', async () => {
  const browser = new MemberBrowser(service.url);
  for (const path of ['/dashboard/sign-in/passkey/options', '/dashboard/sign-in/passkey'])
    expect((await browser.post(path, {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
});

test('one client cannot ask for any number of challenges', async () => {
  const browser = new MemberBrowser(service.url);
  const statuses = [];
  for (let asked = 0; asked < 121; asked += 1)
    statuses.push((await browser.post('/dashboard/sign-in/passkey/options')).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(120);
  expect(statuses.at(-1)).toBe(429);
});

test('a removed member’s passkeys are gone; who stays in another shop keeps theirs', async () => {
  const { id, email, authenticator } = await memberWithPasskey();
  const elsewhere = await service.business();
  await joinShop(service, elsewhere.businessId, email, 'viewer');
  const browser = new MemberBrowser(service.url);
  const attempt = async (): Promise<number> =>
    (await signIn(browser, authenticator.use(await requestOptions(browser)))).status;
  const leave = ({ businessId }: Shop) =>
    transaction(service.pool, (tx) => removeMember(tx, service.clock.now(), { businessId, email }));
  await leave(shop);
  expect(await attempt()).toBe(303);
  expect((await browser.get('/dashboard')).location).toBe(`/dashboard/${elsewhere.businessId}`);
  await leave(elsewhere);
  expect(await attempt()).toBe(403);
  expect(await passkeyRows(id)).toEqual([]);
});

test('where the sandbox is off, nobody comes back to the demo shop by a passkey', async () => {
  const { id } = await joinShop(service, shop.businessId, DEMO_OWNER, 'owner');
  const browser = await signedIn(service, id);
  const authenticator = new SoftwareAuthenticator(origin);
  await add(browser, authenticator.create(await creationOptions(browser)));
  expect(await passkeyRows(id)).toHaveLength(1);
  await endDemoSessions(service.pool);
  expect(await passkeyRows(id)).toEqual([]);
});

test('at an IP address there are no passkeys, and the pages say so', async () => {
  const plain = await startService();
  const { businessId } = await plain.business();
  const { id } = await joinShop(plain, businessId, 'owner@shop.example', 'owner');
  const browser = await signedIn(plain, id);
  expect((await browser.get('/dashboard/sign-in')).text).not.toContain('passkey');
  expect((await browser.get(ACCOUNT)).text).toContain(
    'Passkeys need the dashboard to be at a name with https.',
  );
  expect((await browser.get(NEW)).status).toBe(404);
  await plain.close();
});

test('nothing secret is stored or logged', async () => {
  const { id, browser, authenticator } = await memberWithPasskey();
  const options = await requestOptions(browser);
  const cookie = browser.cookies.get('waypost_sign_in') ?? '';
  const stored = JSON.stringify([
    (await service.pool.query('select * from passkey_challenges')).rows,
    await passkeyRows(id),
    service.logged,
  ]);
  for (const secret of [options.challenge, cookie]) {
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(stored).not.toContain(secret);
  }
  expect(JSON.stringify(service.logged)).not.toContain(authenticator.id.toString('base64url'));
});

/* Last, because they move the clock of the service. */

test('a challenge ends after 5 minutes', async () => {
  const { authenticator } = await memberWithPasskey();
  const browser = new MemberBrowser(service.url);
  const options = await requestOptions(browser);
  await service.advance({ minutes: 5 });
  expect((await signIn(browser, authenticator.use(options))).status).toBe(403);
});

test('a passkey is a way to sign in again, and leads back', async () => {
  const { browser, authenticator } = await memberWithPasskey();
  await service.advance({ minutes: 11 });
  expect((await browser.get(NEW)).location).toBe(`/dashboard/sign-in-again?to=${NEW}`);
  const page = (await browser.get(`/dashboard/sign-in-again?to=${NEW}`)).text;
  expect(page).toContain('Sign in with a passkey');
  const signed = await signIn(browser, authenticator.use(await requestOptions(browser)), NEW);
  expect(signed.location).toBe(NEW);
  expect((await browser.get(NEW)).status).toBe(200);
  const astray = await signIn(browser, authenticator.use(await requestOptions(browser)), '//evil.example');
  expect(astray.location).toBe('/dashboard');
});

test('adding a passkey needs a fresh sign-in', async () => {
  const { id, browser } = await newMember();
  await service.advance({ minutes: 11 });
  const made = new SoftwareAuthenticator(origin).create(await creationOptions(browser));
  expect((await add(browser, made)).location).toBe(`/dashboard/sign-in-again?to=${NEW}`);
  expect(await passkeyRows(id)).toEqual([]);
  const page = (await browser.get(`/dashboard/sign-in-again?to=${NEW}`)).text;
  expect(page).not.toContain('Sign in with a passkey');
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { OIDC_SIGN_IN_MS } from '../../src/config/limits.ts';
import { openConsole } from '../cli/console.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { capturedMessages } from '../support/waiting.ts';
import { type Issuer, IssuerBrowser, startIssuer } from './issuer.ts';
import { joinAsOperator, joinShop, MemberBrowser, mailedLink, type ReadPage } from './memberBrowser.ts';

/** Signing in at a real OpenID Connect provider. */
let issuer: Issuer;
let service: TestService;
let shop: Shop;
beforeAll(async () => {
  issuer = await startIssuer();
  service = await startService({
    ...issuer.environment,
    OIDC_OPERATOR_CLAIM: 'groups:waypost-operators',
  });
  issuer.serve(service.url);
  shop = await service.business({ name: 'Acme Books' });
});
afterAll(async () => {
  await service.close();
  issuer.close();
});

const START = '/dashboard/sign-in/oidc';
let count = 0;

/** A subject at the issuer, with a verified address of its own. */
function newPerson(claims: Record<string, unknown> = {}) {
  count += 1;
  const [subject, email] = [`subject-${count}`, `person${count}@shop.example`];
  issuer.people.set(subject, { email, email_verified: true, ...claims });
  return { subject, email };
}

/** The same, who is a member of the shop. */
async function newMember(claims: Record<string, unknown> = {}) {
  const person = newPerson(claims);
  return { ...person, ...(await joinShop(service, shop.businessId, person.email, 'owner')) };
}

const claimsOf = (subject: string, claims: Record<string, unknown>): void => {
  issuer.people.set(subject, { ...issuer.people.get(subject), ...claims });
};

interface Walk {
  /** Changes the address that leads to the issuer, or the one that leads back. */
  there?: (url: URL) => void;
  back?: (url: URL) => void;
}

/** Begins here, signs in there, and comes back with it. */
async function walk(browser: MemberBrowser, there: IssuerBrowser, { ...change }: Walk = {}, start = START) {
  const out = new URL((await browser.get(start)).location ?? '');
  change.there?.(out);
  const back = new URL(await there.follow(out.href));
  change.back?.(back);
  return { out, back, page: await browser.get(back.pathname + back.search) };
}

const signIn = async (subject: string, browser = new MemberBrowser(service.url)) => {
  const { page } = await walk(browser, new IssuerBrowser(subject));
  return { browser, page };
};
const expectRefused = ({ status, text }: ReadPage, says: string): void =>
  expect([status, text]).toEqual([403, expect.stringContaining(says)]);
const emailOf = async (browser: MemberBrowser): Promise<string | undefined> =>
  /Signed in as <strong>([^<]+)/.exec((await browser.get('/dashboard/account')).text)?.[1];
const isOperator = async (browser: MemberBrowser): Promise<boolean> =>
  (await browser.get('/dashboard/operator')).status === 200;
const rowOf = async (email: string): Promise<unknown> => {
  const { rows } = await service.pool.query(
    'select oidc_issuer, oidc_subject, operator_since is not null as operator, operator_by_claim from members where email = $1',
    [email],
  );
  return rows[0];
};

test('a member signs in at the issuer, and comes to the page that was asked for', async () => {
  const { subject, email } = await newMember();
  const browser = new MemberBrowser(service.url);
  const to = `/dashboard/${shop.businessId}/keys`;
  const asked = (await browser.get(to)).location ?? '';
  const page = (await browser.get(asked)).text;
  const host = new URL(issuer.url).host;
  expect(page).toContain(`href="${START}?to=${encodeURIComponent(to)}">Sign in with ${host}</a>`);
  const { out, page: back } = await walk(browser, new IssuerBrowser(subject), {}, `${START}?to=${to}`);
  expect(Object.fromEntries(out.searchParams)).toMatchObject({
    response_type: 'code',
    client_id: 'waypost',
    scope: 'openid email groups',
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    redirect_uri: `${service.url}${START}/callback`,
  });
  expect(back.location).toBe(to);
  expect((await browser.get(to)).status).toBe(200);
  expect(await emailOf(browser)).toBe(email);
  expect(await rowOf(email)).toEqual({
    oidc_issuer: issuer.url,
    oidc_subject: subject,
    operator: false,
    operator_by_claim: false,
  });
});

test('the cookie of a sign-in that began is this browser’s, sealed, and ends with it', async () => {
  const { subject } = await newMember();
  const browser = new MemberBrowser(service.url);
  const out = (await browser.get(START)).location ?? '';
  expect(browser.lastCookies).toEqual([
    expect.stringMatching(/^waypost_oidc=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/),
  ]);
  const sealed = Buffer.from(browser.cookies.get('waypost_oidc') ?? '', 'base64url').toString('latin1');
  expect(sealed).not.toContain(new URL(out).searchParams.get('state'));
  const back = new URL(await new IssuerBrowser(subject).follow(out));
  await browser.get(back.pathname + back.search);
  expect(browser.cookies.has('waypost_oidc')).toBe(false);
});

test('a wrong state, a wrong nonce, another’s code and a missing cookie sign nobody in', async () => {
  const { subject } = await newMember();
  const other = await newMember();
  const [mine, theirs] = [new IssuerBrowser(subject), new IssuerBrowser(other.subject)];
  const set = (name: string, value: string) => (url: URL) => url.searchParams.set(name, value);
  const stolen = new URL(
    await theirs.follow((await new MemberBrowser(service.url).get(START)).location ?? ''),
  ).searchParams.get('code');
  const changes: Walk[] = [
    { back: set('state', 'a'.repeat(43)) },
    { back: (url) => url.searchParams.delete('state') },
    { there: set('nonce', 'b'.repeat(43)) },
    { back: set('code', stolen ?? '') },
    { back: set('iss', 'https://issuer.example') },
    { there: set('code_challenge', 'c'.repeat(43)) },
  ];
  for (const change of changes) {
    const browser = new MemberBrowser(service.url);
    const { page } = await walk(browser, mine, change);
    expectRefused(page, 'This sign-in does not work any more');
    expect((await browser.get('/dashboard/account')).location).toBe('/dashboard/sign-in');
  }
  // In another browser than the one that began.
  const { back } = await walk(new MemberBrowser(service.url), mine, { back: set('code', 'unused') });
  const other2 = new MemberBrowser(service.url);
  expectRefused(await other2.get(back.pathname + back.search), 'This sign-in does not work any more');
  other2.cookies.set('waypost_oidc', 'AQIDBA');
  expectRefused(await other2.get(back.pathname + back.search), 'This sign-in does not work any more');
});

test('a callback works once, also for a browser that kept its cookie', async () => {
  const { subject } = await newMember();
  const browser = new MemberBrowser(service.url);
  const out = (await browser.get(START)).location ?? '';
  const kept = new Map(browser.cookies);
  const back = new URL(await new IssuerBrowser(subject).follow(out));
  const path = back.pathname + back.search;
  expect((await browser.get(path)).status).toBe(303);
  expectRefused(await browser.get(path), 'This sign-in does not work any more');
  const thief = new MemberBrowser(service.url);
  for (const [name, value] of kept) thief.cookies.set(name, value);
  expectRefused(await thief.get(path), 'This sign-in does not work any more');
});

test('an ID token that the issuer’s keys did not sign signs nobody in', async () => {
  const { subject } = await newMember();
  const other = await startIssuer();
  other.serve(service.url);
  const { keys } = Object(await (await fetch(`${other.url}/jwks`)).json());
  const fresh = await startService(issuer.environment);
  try {
    issuer.serve(fresh.url);
    issuer.tamper(({ url }, response) => {
      if (url !== '/jwks') return false;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys }));
      return true;
    });
    const { page } = await walk(new MemberBrowser(fresh.url), new IssuerBrowser(subject));
    expectRefused(page, 'This sign-in does not work any more');
  } finally {
    issuer.tamper(null);
    issuer.serve(service.url);
    other.close();
    await fresh.close();
  }
});

test('an address that the issuer has not verified, or none, opens nobody’s account', async () => {
  for (const claims of [{ email_verified: false }, { email_verified: undefined }, { email: undefined }]) {
    const { subject, email } = await newMember(claims);
    const { browser, page } = await signIn(subject);
    expectRefused(page, 'it gives no email address of yours that it has verified');
    expect((await browser.get('/dashboard/account')).location).toBe('/dashboard/sign-in');
    expect(await rowOf(email)).toMatchObject({ oidc_subject: null });
  }
  const { subject } = await newMember({ email_verified: 'true' });
  expect((await signIn(subject)).page.status).toBe(303);
});

test('a subject stays who they are, whatever address they have there later', async () => {
  const [member, other] = [await newMember(), await newMember()];
  await signIn(member.subject);
  for (const claims of [{ email: other.email }, { email: 'elsewhere@shop.example', email_verified: false }]) {
    claimsOf(member.subject, claims);
    const { browser, page } = await signIn(member.subject);
    expect(page.status).toBe(303);
    expect(await emailOf(browser)).toBe(member.email);
  }
  expect(await rowOf(other.email)).toMatchObject({ oidc_subject: null });
});

test('another subject with a member’s address does not become that member', async () => {
  const { subject, email } = await newMember();
  await signIn(subject);
  const impostor = newPerson({ email });
  const { browser, page } = await signIn(impostor.subject);
  expectRefused(page, 'another account there signs in with this address');
  expect((await browser.get('/dashboard/account')).location).toBe('/dashboard/sign-in');
  expect(await rowOf(email)).toMatchObject({ oidc_subject: subject });
  expect((await signIn(subject)).page.status).toBe(303);
});

test('two first sign-ins of one subject at once both end well', async () => {
  const { subject } = await newMember();
  const both = await Promise.all([signIn(subject), signIn(subject)]);
  expect(both.map(({ page }) => page.status)).toEqual([303, 303]);
});

test('who is removed and added again may come as another subject', async () => {
  const { subject, email } = await newMember();
  await signIn(subject);
  const console = openConsole(service.database.url, { SECRET_KEY: service.secretKey });
  await console.json('member', 'add', shop.businessId, 'boss@shop.example', '--role', 'owner');
  await console.json('member', 'remove', shop.businessId, email);
  expectRefused((await signIn(subject)).page, 'your address there is no member’s here');
  await joinShop(service, shop.businessId, email, 'viewer');
  expect((await signIn(newPerson({ email }).subject)).page.status).toBe(303);
});

test('a member of an issuer that is in use no more is bound anew', async () => {
  const { subject, email, id } = await newMember();
  await service.pool.query(
    `update members set oidc_issuer = 'https://old.example', oidc_subject = 'old' where id = $1`,
    [id],
  );
  expect((await signIn(subject)).page.status).toBe(303);
  expect(await rowOf(email)).toMatchObject({ oidc_issuer: issuer.url, oidc_subject: subject });
});

test('somebody who is not a member is refused with a sentence, and nothing is stored', async () => {
  const { subject, email } = newPerson({ groups: ['staff', 'waypost-operators-of-old'] });
  const { page } = await signIn(subject);
  expectRefused(page, 'your address there is no member’s here');
  expect(await rowOf(email)).toBeUndefined();
});

test('the claim makes operators, in sessions that began at the issuer and in no other', async () => {
  const { subject, email } = newPerson({ groups: ['staff', 'waypost-operators'] });
  const { browser, page } = await signIn(subject);
  expect(page.location).toBe('/dashboard');
  expect(await isOperator(browser)).toBe(true);
  // They belong to no shop, so that nothing is left to sign in to by mail.
  const byMail = new MemberBrowser(service.url);
  await byMail.post('/dashboard/sign-in', { email });
  await joinShop(service, shop.businessId, email, 'viewer');
  await byMail.post('/dashboard/sign-in', { email });
  expect((await byMail.post(await mailedLink(service, email))).status).toBe(303);
  expect(await capturedMessages(service.url, { to: email, channel: 'email' })).toHaveLength(1);
  expect(await isOperator(byMail)).toBe(false);
  expect((await byMail.get(`/dashboard/${shop.businessId}/settings`)).status).toBe(200);
  expect((await byMail.get('/dashboard/shops')).text).not.toContain('As an operator');
});

test('whom the claim leaves is no operator from the next sign-in on, in any session', async () => {
  const member = await newMember({ groups: 'waypost-operators' });
  const before = (await signIn(member.subject)).browser;
  expect(await isOperator(before)).toBe(true);
  claimsOf(member.subject, { groups: ['staff'] });
  const after = await signIn(member.subject);
  expect(after.page.status).toBe(303);
  expect([await isOperator(before), await isOperator(after.browser)]).toEqual([false, false]);
  const { rows } = await service.pool.query(
    `select action, detail->>'by_claim' as by_claim, actor from platform_audit_entries
     where detail->>'member_id' = $1 order by action`,
    [member.id],
  );
  const actor = `member:${member.id}`;
  expect(rows).toEqual([
    { action: 'member.oidc_bound', by_claim: null, actor },
    { action: 'operator.added', by_claim: 'true', actor },
    { action: 'operator.removed', by_claim: 'true', actor },
  ]);
  const alone = newPerson({ groups: ['waypost-operators'] });
  await signIn(alone.subject);
  claimsOf(alone.subject, { groups: [] });
  expectRefused((await signIn(alone.subject)).page, 'your address there is no member’s here');
  expect(await rowOf(alone.email)).toBeUndefined();
});

test('an operator by hand stays one without the claim, and by mail', async () => {
  const [byHand, first] = [newPerson(), newPerson({ groups: ['waypost-operators'] })];
  await joinAsOperator(service, byHand.email);
  expect(await isOperator((await signIn(byHand.subject)).browser)).toBe(true);
  await signIn(first.subject);
  await joinAsOperator(service, first.email);
  claimsOf(first.subject, { groups: [] });
  expect(await isOperator((await signIn(first.subject)).browser)).toBe(true);
  const console = openConsole(service.database.url, { SECRET_KEY: service.secretKey });
  await console.json('operator', 'remove', first.email);
  expectRefused((await signIn(first.subject)).page, 'your address there is no member’s here');
});

test('signing out ends our session and leads to where the issuer’s ends', async () => {
  const { subject } = await newMember();
  const browser = new MemberBrowser(service.url);
  await walk(browser, new IssuerBrowser(subject));
  const kept = new Map(browser.cookies);
  const page = await browser.submit('/dashboard/account', '/dashboard/sign-out');
  const [, url = ''] = /^0; url=(.+)$/.exec(page.headers.get('refresh') ?? '') ?? [];
  const end = new URL(url);
  expect(end.origin + end.pathname).toBe(`${issuer.url}/session/end`);
  expect(Object.fromEntries(end.searchParams)).toEqual({
    client_id: 'waypost',
    post_logout_redirect_uri: `${service.url}/dashboard/sign-in`,
  });
  expect(page.text).toContain(`Sign out of ${end.host}`);
  expect((await fetch(end)).status).toBe(200);
  for (const [name, value] of kept) browser.cookies.set(name, value);
  expect((await browser.get('/dashboard/account')).location).toBe('/dashboard/sign-in');
  // A session by mail has nothing to end there.
  const { email } = await newMember();
  const byMail = new MemberBrowser(service.url);
  await byMail.post('/dashboard/sign-in', { email });
  await byMail.post(await mailedLink(service, email));
  const out = await byMail.submit('/dashboard/account', '/dashboard/sign-out');
  expect([out.location, out.headers.get('refresh')]).toEqual(['/dashboard/sign-in', null]);
});

test('who declines at the issuer, or is refused there, reads so', async () => {
  const { page } = await walk(new MemberBrowser(service.url), new IssuerBrowser('nobody'));
  expectRefused(page, `You were not signed in at ${new URL(issuer.url).host}`);
  expect(page.text).not.toContain('ann@shop.example');
});

test('an issuer that knew for long who somebody is does not open what asks to sign in again', async () => {
  const { subject, id } = await newMember();
  const there = new IssuerBrowser(subject);
  there.shownAgo = 3_600;
  const browser = new MemberBrowser(service.url);
  await walk(browser, there);
  const dangerous = `/dashboard/${shop.businessId}/settings/members/${id}`;
  const asks = await browser.get(dangerous);
  expect(asks.location).toBe(`/dashboard/sign-in-again?to=${dangerous}`);
  expect((await browser.get(asks.location ?? '')).text).toContain('Sign in with 127.0.0.1');
  // Asked again, it asks for the password, which was typed just now.
  there.shownAgo = 0;
  const again = await walk(browser, there, {}, `${START}?to=${dangerous}`);
  expect([again.out.searchParams.get('prompt'), again.out.searchParams.get('max_age')]).toEqual([
    'login',
    '0',
  ]);
  expect(again.page.location).toBe(dangerous);
  expect((await browser.get(dangerous)).status).toBe(200);
  // One that does not ask has shown nothing.
  there.shownAgo = 3_600;
  const pretended = await walk(browser, there, {}, `${START}?to=${dangerous}`);
  expectRefused(pretended.page, 'did not ask you again who you are');
  expect((await browser.get(dangerous)).location).toContain('sign-in-again');
});

test('an issuer that is slow, breaks off or answers without end costs seconds and gets a sentence', async () => {
  const { subject } = await newMember();
  const host = new URL(issuer.url).host;
  const faults: Parameters<Issuer['tamper']>[0][] = [
    ({ url }) => url === '/token',
    ({ url }, response) => {
      if (url === '/token') response.destroy();
      return url === '/token';
    },
    ({ url }, response) => {
      if (url !== '/me') return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
      return true;
    },
    ({ url }, response) => {
      if (url === '/token') response.writeHead(302, { location: `${issuer.url}/elsewhere` }).end();
      return url === '/token';
    },
  ];
  for (const fault of faults) {
    const browser = new MemberBrowser(service.url);
    const there = new IssuerBrowser(subject);
    const out = (await browser.get(START)).location ?? '';
    const back = new URL(await there.follow(out));
    issuer.tamper(fault);
    const began = performance.now();
    const page = await browser.get(back.pathname + back.search);
    issuer.tamper(null);
    expect([page.status, page.text]).toEqual([
      502,
      expect.stringContaining(`${host} signs nobody in at the moment`),
    ]);
    expect(performance.now() - began).toBeLessThan(8_000);
  }
});

test('metadata that is missing, foreign, endless or no JSON signs nobody in, and is asked for again', async () => {
  const broken = await startIssuer();
  const other = await startService(broken.environment);
  const check = openConsole(other.database.url, broken.environment);
  const answer = (status: number, type: string, body: string): Parameters<Issuer['tamper']>[0] => {
    return (_request, response) => {
      response.writeHead(status, { 'content-type': type }).end(body);
      return true;
    };
  };
  const metadata = (issuedBy: string) =>
    JSON.stringify({
      issuer: issuedBy,
      authorization_endpoint: `${issuedBy}/a`,
      token_endpoint: `${issuedBy}/t`,
    });
  const faults = [
    answer(503, 'application/json', '{}'),
    answer(200, 'text/html', '<p>Welcome</p>'),
    answer(200, 'application/json', metadata('https://issuer.example')),
    answer(200, 'application/json', metadata(broken.url)),
    answer(200, 'application/json', ' '.repeat(300_000)),
  ];
  for (const fault of faults) {
    broken.tamper(fault);
    const page = await new MemberBrowser(other.url).get(START);
    expect([page.status, page.location]).toEqual([502, null]);
    expect(page.text).toContain('Try once more, or sign in by a mailed link');
  }
  const { out } = await check.run('check');
  expect(out).toMatch(/WRONG +sign-in +127\.0\.0\.1:\d+ has no metadata that can be used \(answer_cut\)/);
  broken.tamper(null);
  broken.serve(other.url);
  expect((await new MemberBrowser(other.url).get(START)).location).toContain(`${broken.url}/auth?`);
  expect((await check.run('check')).out).toContain(
    `It must know the redirect address http://localhost:8080${START}/callback.`,
  );
  await other.close();
  broken.close();
});

test('nothing of a sign-in at the issuer is in the log but why it failed', async () => {
  const { subject, email } = await newMember({ email_verified: false });
  const browser = new MemberBrowser(service.url);
  const { back, out } = await walk(browser, new IssuerBrowser(subject));
  await walk(browser, new IssuerBrowser('nobody'));
  const log = JSON.stringify(service.logged);
  expect(log).toContain('"refusal":"no_verified_address"');
  expect(log).toContain('"code":"access_denied"');
  const secrets = [...back.searchParams, ...out.searchParams]
    .filter(([name]) => ['code', 'state', 'nonce', 'code_challenge'].includes(name))
    .map(([, value]) => value);
  expect(secrets).toHaveLength(5);
  for (const secret of [...secrets, subject, email, 'ann@shop.example']) expect(log).not.toContain(secret);
});

test('without an issuer there is no such way to sign in', async () => {
  const plain = await startService();
  const browser = new MemberBrowser(plain.url);
  expect((await browser.get('/dashboard/sign-in')).text).not.toContain('Sign in with');
  expect((await browser.get(START)).status).toBe(404);
  await plain.close();
});

/* Last, because it moves the clock of the service. */

test('a sign-in that took longer than ten minutes begins anew', async () => {
  const { subject } = await newMember();
  const browser = new MemberBrowser(service.url);
  const out = (await browser.get(START)).location ?? '';
  await service.advance({ seconds: OIDC_SIGN_IN_MS / 1_000 + 1 });
  const back = new URL(await new IssuerBrowser(subject).follow(out));
  expectRefused(await browser.get(back.pathname + back.search), 'This sign-in does not work any more');
  expect((await signIn(subject)).page.status).toBe(303);
});

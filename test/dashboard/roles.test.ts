import { afterAll, beforeAll, expect, test } from 'vitest';
import { handlerFor } from '../../src/connections/run.ts';
import { clientAddressBehind } from '../../src/kit/clientAddress.ts';
import { newId } from '../../src/kit/ids.ts';
import { createSealer } from '../../src/kit/seal.ts';
import { isAllowed, isDangerous, type Role } from '../../src/members/permissions.ts';
import { type DashboardContext, openDashboard } from '../../src/pages/dashboard/context.ts';
import { membersOwnRoutes, shopRoutes } from '../../src/pages/dashboard/routes.ts';
import { openSite } from '../../src/pages/kit/page.tsx';
import { operatorRoutes } from '../../src/pages/operator/routes.ts';
import { createGuardedClient } from '../../src/webhooks/guardedClient.ts';
import { createAllowList } from '../../src/webhooks/publicAddress.ts';
import { plainPng } from '../support/images.ts';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { recordingLog } from '../support/recordingLog.ts';
import { SECRET_KEY } from '../support/secretKey.ts';
import { startService, type TestService } from '../support/service.ts';
import { ORDER_UPDATE, type Shop } from '../support/shop.ts';
import { callOf, connectionOf } from './connectionRows.ts';
import { csrfIn, joinAsOperator, joinShop, MemberBrowser, signedIn } from './memberBrowser.ts';

/** Walks every route with every role, from the same list that the server registers. */
const ROLES: readonly Role[] = ['viewer', 'member', 'owner', 'operator'];

let service: TestService;
let shop: Shop;
let other: Shop;
let context: DashboardContext;
const browsers = new Map<Role, MemberBrowser>();
/** The token of each one's forms: a session has one. */
const tokens = new Map<Role, string>();

beforeAll(async () => {
  // Nobody listens there, so a test of an endpoint fails at once.
  service = await startService({ WEBHOOK_ALLOW_HOSTS: '127.0.0.1:9' });
  [shop, other] = [await service.business({ credits: 100 }), await service.business()];
  const { pool, clock, hash } = service;
  const outside = { resolve: async () => [], allowHosts: createAllowList([]) };
  context = openDashboard({
    ...handlerFor({ pool, clock, hash, publicUrl: service.url }),
    sealer: createSealer([SECRET_KEY]),
    client: createGuardedClient(outside),
    hosts: { ...outside, unresolved: 'refuse' },
    log: recordingLog([]),
    mailServer: null,
    site: openSite({ publicUrl: service.url, sandbox: true }),
    oidc: null,
    clientAddress: clientAddressBehind([]),
    sendSignInLink: () => {},
    smsSendersTo: () => [],
    sendInvitation: async () => true,
    onSends: () => {},
    onEvents: () => {},
    operator: {
      providerNames: { email: ['sandbox'], sms: ['sandbox'], whatsapp: ['sandbox'] },
      providers: async () => ({ channels: [], sentences: [], knowsWorkers: true }),
      templateReview: null,
    },
  });
  for (const role of ROLES) {
    const email = `${role}@shop.example`;
    const { id } =
      role === 'operator'
        ? await joinAsOperator(service, email)
        : await joinShop(service, shop.businessId, email, role);
    const browser = await signedIn(service, id);
    browsers.set(role, browser);
    tokens.set(role, csrfIn((await browser.get('/dashboard/account')).text));
  }
});
afterAll(() => service.close());

const browserOf = (role: Role): MemberBrowser => {
  const browser = browsers.get(role);
  if (!browser) throw new Error(`nobody is ${role}`);
  return browser;
};

const tokenOf = (role: Role): string => tokens.get(role) ?? '';

/** What forms want besides their token; each takes its own. */
const FIELDS = {
  phone: '+37255500123',
  address: 'ann@example.com',
  threshold: '7',
  name: 'Acme',
  mode: 'on',
  role: 'viewer',
  switch_after_minutes: '60',
  store_url: 'https://store.example',
  attempts: '0',
  since: '2026-01-01T00:00',
};

let forms = 0;
/** What differs from form to form: an endpoint's URL, and what makes a form count once. */
function ownFields(): Record<string, string> {
  forms += 1;
  return { url: `http://127.0.0.1:9/form/${forms}`, once: String(forms).padStart(24, '0') };
}

async function ask(
  browser: MemberBrowser,
  method: string,
  path: string,
  csrf: string | null,
): Promise<number> {
  const page =
    method === 'GET'
      ? await browser.get(path)
      : await (path.endsWith('/settings/logo')
          ? browser.upload(path, csrf === null ? {} : { csrf }, { name: 'logo', content: plainPng() })
          : browser.post(path, {
              ...ORDER_UPDATE,
              ...FIELDS,
              ...ownFields(),
              email: newAddress(),
              ...(csrf !== null && { csrf }),
            }));
  return page.status;
}

/** The address of a route for a shop and a fresh message of it. */
async function addressFor(path: string, at: Shop): Promise<string> {
  const { id } = await at.pushed();
  const { rows } = await service.pool.query<{ id: string }>(
    'select id from recipients where business_id = $1',
    [at.businessId],
  );
  const keyId = path.includes(':key_id') ? await newKeyOf(at) : '';
  const endpointId = path.includes('/webhooks') ? await newEndpointOf(at) : '';
  const connectionId = path.includes('/connections') ? await newConnectionOf(at) : '';
  return path
    .replace(':business_id', at.businessId)
    .replace(':key_id', keyId)
    .replace(':endpoint_id', endpointId)
    .replace(':connection_id', connectionId)
    .replace(':call_id', path.includes(':call_id') ? await newCallOf(at, connectionId) : '')
    .replace(':kind', 'woocommerce')
    .replace(':to', 'off')
    .replace(':event_id', path.includes(':event_id') ? await newEventFor(at, endpointId) : '')
    .replace(':recipient_id', rows[0]?.id ?? '')
    .replace(':reply_id', path.includes(':reply_id') ? await replyTo(at, rows[0]?.id ?? '') : '')
    .replace(':member_id', path.includes(':member_id') ? await newMemberOf(at) : '')
    .replace(':id', id)
    .replace(':status', 'shipped')
    .replace(':language', 'et')
    .replace(':channel', 'sms');
}

const newKeyOf = async (at: Shop): Promise<string> =>
  JSON.parse((await at.call('POST', '/api/v1/keys', { body: { detach: true } })).text).id;

/** A shop has at most ten endpoints, so the one before is deleted. */
async function newEndpointOf(at: Shop): Promise<string> {
  const before: { items: { id: string }[] } = JSON.parse((await at.get('/api/v1/webhook-endpoints')).text);
  for (const { id } of before.items) await at.delete(`/api/v1/webhook-endpoints/${id}`);
  const { url } = ownFields();
  return JSON.parse((await at.call('POST', '/api/v1/webhook-endpoints', { body: { url } })).text).id;
}

/** A shop has at most twenty connections, so the one before is removed. */
async function newConnectionOf(at: Shop): Promise<string> {
  await service.pool.query('delete from connections where business_id = $1', [at.businessId]);
  return (await connectionOf(service, at.businessId)).connection.id;
}

const newCallOf = (at: Shop, connectionId: string): Promise<string> =>
  callOf(service, { businessId: at.businessId, id: connectionId }, { topic: 'order.deleted' });

/** An event whose delivery to the endpoint was cancelled. */
async function newEventFor(at: Shop, endpointId: string): Promise<string> {
  const id = newId(service.clock.now());
  await service.pool.query(
    `with event as (
       insert into events (business_id, id, type, occurred_at, data) values ($1, $2, 'plan.lapsed', now(), '{}'))
     insert into webhook_deliveries (business_id, endpoint_id, event_id, state, created_at) values ($1, $3, $2, 'stopped', now())`,
    [at.businessId, id, endpointId],
  );
  return id;
}

let addresses = 0;
const newAddress = (): string => {
  addresses += 1;
  return `member${addresses}@shop.example`;
};
const newMemberOf = async (at: Shop): Promise<string> =>
  (await joinShop(service, at.businessId, newAddress(), 'viewer')).id;

let replies = 0;

/** An unread reply of a customer. */
async function replyTo(at: Shop, recipientId: string): Promise<string> {
  replies += 1;
  const id = `reply${String(replies).padStart(8, '0')}`;
  await service.pool.query(
    `insert into whatsapp_replies (business_id, id, recipient_id, body, received_at) values ($1, $2, $3, 'Hi', now())`,
    [at.businessId, id, recipientId],
  );
  return id;
}

test('every route of a shop asks the table of roles, and nothing else decides', async () => {
  const routes = shopRoutes(context);
  expect(routes.length).toBeGreaterThanOrEqual(7);
  for (const { method, path, action } of routes)
    for (const role of ROLES) {
      const status = await ask(browserOf(role), method, await addressFor(path, shop), tokenOf(role));
      const what = `${role} ${method} ${path}: ${status}`;
      if (isAllowed(role, action)) expect(status, what).toBeLessThan(400);
      else expect(status, what).toBe(403);
    }
});

test('another shop’s address is not found, whatever the role; only an operator has every shop', async () => {
  for (const { method, path } of shopRoutes(context))
    for (const role of ROLES) {
      const status = await ask(browserOf(role), method, await addressFor(path, other), tokenOf(role));
      if (role === 'operator') expect(status).toBeLessThan(400);
      else expect(status, `${role} ${method} ${path}`).toBe(404);
    }
});

test('another shop’s messages, customers and keys are not found under one’s own shop', async () => {
  for (const { method, path } of shopRoutes(context).filter((route) =>
    /:(?:recipient_|key_|reply_|endpoint_|event_|member_|connection_|call_)?id\b/.test(route.path),
  )) {
    const address = (await addressFor(path, other)).replace(other.businessId, shop.businessId);
    expect(await ask(browserOf('owner'), method, address, tokenOf('owner')), `${method} ${path}`).toBe(404);
  }
});

test('nobody gets anywhere without a session, and no form works without its token', async () => {
  const stranger = new MemberBrowser(service.url);
  for (const { method, path } of [...shopRoutes(context), ...membersOwnRoutes(context)]) {
    const address = await addressFor(path, shop);
    const page = method === 'GET' ? await stranger.get(address) : await stranger.post(address);
    // A page is where signing in leads to; a form is not repeated.
    expect([page.status, page.location], `${method} ${path}`).toEqual([
      303,
      expect.stringMatching(/^\/dashboard\/sign-in(?:\?to=\/dashboard\/[\w/-]+)?$/),
    ]);
    if (method === 'POST') {
      expect(await ask(browserOf('owner'), method, address, null), `${method} ${path}`).toBe(403);
      const csrf = tokenOf('owner');
      const foreign = await browserOf('owner').post(address, { csrf }, { 'sec-fetch-site': 'cross-site' });
      expect(foreign.status, `${method} ${path}`).toBe(403);
    }
  }
});

test('a viewer is offered nothing that a viewer may not do', async () => {
  // The walk changed the other one's channels.
  const fresh = await service.business({ credits: 1 });
  for (const role of ['viewer', 'member'] as const)
    await joinShop(service, fresh.businessId, `${role}@shop.example`, role);
  const { id } = await fresh.pushed({ recipient_phone: PHONE_NUMBER });
  const path = `/dashboard/${fresh.businessId}/messages/${id}`;
  expect((await browserOf('viewer').get(path)).text).not.toMatch(/What you can do|\/retract|\/resend/);
  expect((await browserOf('member').get(path)).text).toMatch(
    /What you can do[\s\S]*\/resend\/sms[\s\S]*\/retract/,
  );
});

test('an act that asks to sign in again has a page at its own path, to come back to', () => {
  const routes = [...shopRoutes(context), ...membersOwnRoutes(context), ...operatorRoutes(context)];
  const asking = routes.filter(({ action, actionOf }) => isDangerous(action) || actionOf);
  const acts = asking.filter(({ method }) => method === 'POST');
  expect(acts.length).toBeGreaterThanOrEqual(10);
  for (const { path, action } of acts) {
    const page = routes.find((route) => route.method === 'GET' && route.path === path);
    expect(page, path).toBeDefined();
    // The page asks first, so that nothing is typed in vain.
    if (isDangerous(action)) expect(page?.action, path).toBe(action);
  }
});

/** An operator's act may end a shop's pushes, so nothing is pushed for the address. */
const operatorsAddress = (path: string): string =>
  path.replace(':shop_id', other.businessId).replace(':status', 'shipped').replace(':channel', 'sms');

test('to everybody but an operator the operator’s pages do not exist', async () => {
  const routes = operatorRoutes(context);
  expect(routes.length).toBeGreaterThanOrEqual(20);
  expect(new Set(routes.map(({ action }) => action))).toEqual(new Set(['operator.pages', 'operator.grant']));
  for (const { method, path } of routes)
    for (const role of ROLES) {
      const status = await ask(browserOf(role), method, operatorsAddress(path), tokenOf(role));
      const what = `${role} ${method} ${path}: ${status}`;
      // A form without its fields is refused by what it says, not by who sends it.
      if (role === 'operator') expect([200, 303, 422], what).toContain(status);
      else expect(status, what).toBe(404);
    }
});

test('an operator’s form needs a session and its token, too', async () => {
  const stranger = new MemberBrowser(service.url);
  for (const { method, path } of operatorRoutes(context)) {
    const address = operatorsAddress(path);
    const page = method === 'GET' ? await stranger.get(address) : await stranger.post(address);
    expect([page.status, page.location], `${method} ${path}`).toEqual([
      303,
      expect.stringMatching(/^\/dashboard\/sign-in(?:\?to=\/dashboard\/operator[\w/-]*)?$/),
    ]);
    if (method === 'POST')
      expect(await ask(browserOf('operator'), method, address, null), `${method} ${path}`).toBe(403);
  }
});

test('only an operator is led to the operator’s pages', async () => {
  for (const role of ROLES)
    expect(
      (await browserOf(role).get(`/dashboard/${shop.businessId}`)).text.includes(
        'href="/dashboard/operator"',
      ),
    ).toBe(role === 'operator');
});

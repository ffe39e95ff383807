import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  csrfIn,
  joinAsOperator,
  joinShop,
  MemberBrowser,
  type ReadPage,
  signedIn,
} from '../dashboard/memberBrowser.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';

/** Walks every route that the app has, so that a new one is among them. */
const VISITORS = ['anonymous', 'owner', 'operator'] as const;
type Visitor = (typeof VISITORS)[number];
interface Route {
  method: string;
  path: string;
}

let service: TestService;
let shop: Shop;
let routes: Route[];
const browsers = new Map<Visitor, { browser: MemberBrowser; csrf: string }>();
/** What the other parameters of an address name. */
const LOGO = `${'0'.repeat(40)}.png`;
const known: Record<string, string> = { channel: 'sms', email: 'ann@example.com', name: LOGO };

beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
  shop = await service.business({ credits: 10 });
  const { id } = await shop.pushed();
  Object.assign(known, { id, public_id: id, business_id: shop.businessId, shop_id: shop.businessId });
  const members = {
    owner: await joinShop(service, shop.businessId, 'owner@shop.example', 'owner'),
    operator: await joinAsOperator(service, 'operator@waypost.example'),
  };
  browsers.set('anonymous', { browser: new MemberBrowser(service.url), csrf: '' });
  for (const name of ['owner', 'operator'] as const) {
    const browser = await signedIn(service, members[name].id);
    browsers.set(name, { browser, csrf: csrfIn((await browser.get('/dashboard/account')).text) });
  }
  routes = routesOf(service.app);
});
afterAll(() => service.close());

/** Read from the tree that the app prints. */
function routesOf(app: FastifyInstance): Route[] {
  const branch: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part, methods = ''] = /^([│ ]*)[├└]── (\S+) \((.*)\)$/.exec(line) ?? [];
      if (part === undefined) return [];
      branch.splice(indent.length / '│   '.length, branch.length, part);
      const path = branch.join('');
      return methods
        .split(', ')
        .filter((method) => ['GET', 'POST', 'PUT', 'DELETE'].includes(method))
        .map((method) => ({ method, path }));
    });
}

/** The addresses of a route, each with `value` in another one of its parameters. */
const addressesOf = (path: string, value: string): string[] =>
  [...path.matchAll(/:\w+|\*$/g)].map(([hole]) => filled(path.replace(hole, value)));
const filled = (path: string): string => path.replaceAll(/:(\w+)/g, (_, name: string) => known[name] ?? 'x');

function ask(visitor: Visitor, method: string, address: string): Promise<{ status: number } | ReadPage> {
  if (address.startsWith('/api/'))
    return shop.call(method, address, { idempotencyKey: 'walk', ...(method !== 'GET' && { body: {} }) });
  const { browser, csrf } = browsers.get(visitor) ?? { browser: new MemberBrowser(service.url), csrf: '' };
  return method === 'GET' ? browser.get(address) : browser.post(address, { csrf });
}

/** The status of every route with a parameter, by visitor and address. */
async function walk(value: string, visitors: readonly Visitor[] = VISITORS): Promise<[string, number][]> {
  const found: [string, number][] = [];
  for (const { method, path } of routes)
    for (const visitor of visitors) {
      const answers = await Promise.all(addressesOf(path, value).map((one) => ask(visitor, method, one)));
      found.push(...answers.map(({ status }): [string, number] => [`${visitor} ${method} ${path}`, status]));
    }
  expect(found.length).toBeGreaterThan(100 * visitors.length);
  return found;
}

describe('a path with text that cannot be stored', () => {
  test.each(['%00', 'a%00b', '%ED%A0%80', '%'])('%s names nothing, on every page', async (value) => {
    const found = await walk(value, value === '%00' ? VISITORS : ['operator']);
    const onPages = found.filter(([route]) => !route.includes(' /api/'));
    expect(onPages.filter(([, status]) => status !== 404)).toEqual([]);
    // 405: the address does not take the method, which is checked first.
    const inApi = found.filter(([route]) => route.includes(' /api/'));
    expect(inApi.filter(([, status]) => status !== 422 && status !== 405)).toEqual([]);
  });

  test.each([
    '/dashboard/%00',
    '/dashboard/operator/shops/%00',
    `/logos/%00/${LOGO}`,
    '/i/%00',
    '/inbox/%00',
  ])('%s is a page that says so', async (path) => {
    const page = await new MemberBrowser(service.url).get(path);
    expect(page.status).toBe(404);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});

test.each([
  ['2^53', '9007199254740992'],
  ['-1', '-1'],
  ['a long name', 'x'.repeat(8_000)],
])('%s in a path is no fault of ours', async (_, value) => {
  expect((await walk(value, ['operator'])).filter(([, status]) => status >= 500)).toEqual([]);
});

/** Every name that a page reads from its query. */
const PARAMETERS =
  'action actor before business channel cursor did email find from key language message n name open order_status recipient reference scenario seen since sms status text to type until whatsapp';

test.each(['%00', '%', '9007199254740992'])('%s in a query is no fault of ours', async (value) => {
  const query = PARAMETERS.split(' ').map((name) => `${name}=${value}`);
  for (const { path } of routes.filter(({ method }) => method === 'GET'))
    for (const visitor of VISITORS) {
      const { status } = await ask(visitor, 'GET', `${filled(path)}?${query.join('&')}`);
      expect(status, `${visitor} ${path}`).toBeLessThan(500);
    }
});

import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Endpoint } from '../../src/webhooks/endpointsSql.ts';
import { listenOnFreePort } from '../support/freePort.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { joinAsOperator, joinShop, type MemberBrowser, signedIn } from './memberBrowser.ts';

let receiver: Server;
let port: number;
let service: TestService;
let shop: Shop;
let owner: MemberBrowser;
let operator: MemberBrowser;
beforeAll(async () => {
  receiver = createServer((_request, response) => response.writeHead(500).end());
  port = await listenOnFreePort(receiver, '127.0.0.1');
  service = await startService({ WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` });
  shop = await service.business({ credits: 10 });
  owner = await signedIn(service, (await joinShop(service, shop.businessId, 'o@shop.example', 'owner')).id);
  operator = await signedIn(service, (await joinAsOperator(service, 'op@waypost.example')).id);
});
afterAll(async () => {
  await service.close();
  receiver.close();
});

const at = (below = ''): string => `/dashboard/${shop.businessId}${below}`;
const operatorsPage = (): string => `/dashboard/operator/shops/${shop.businessId}`;

/** The notes on the overview: what each says, and where it leads. */
async function notes(): Promise<[string, string][]> {
  const { text } = await owner.get(at());
  return [...text.matchAll(/<p class="flash-note[^>]*><a href="([^"]*)">([^<]*)</g)].map(
    ([, href = '', says = '']) => [says, href],
  );
}

test('an endpoint that answers 500 is failing on every page from its third attempt, long before an event is lost', async () => {
  const body = { url: `http://127.0.0.1:${port}/hook` };
  const endpoint = expectStatus<Endpoint>(
    201,
    await shop.call('POST', '/api/v1/webhook-endpoints', { body, idempotencyKey: 'hook' }),
  );
  await shop.pushed();
  await eventually(async () => {
    await service.advance({ minutes: 2 });
    const { rows } = await service.pool.query('select from webhook_attempts where endpoint_id = $1', [
      endpoint.id,
    ]);
    expect(rows.length).toBeGreaterThanOrEqual(3);
  });
  const { items } = expectStatus<{ items: Endpoint[] }>(200, await shop.get('/api/v1/webhook-endpoints'));
  expect(items[0]?.consecutive_failures).toBe(0);

  const note = (await notes()).find(([says]) => says.includes('webhook'));
  expect(note).toEqual([
    expect.stringMatching(/^The webhook endpoint at 127\.0\.0\.1:\d+ is failing\. .*The server answered 500/),
    at(`/webhooks/${endpoint.id}`),
  ]);
  for (const [browser, path] of [
    [owner, at('/webhooks')],
    [owner, at(`/webhooks/${endpoint.id}`)],
    [operator, operatorsPage()],
  ] as const) {
    const { text } = await browser.get(path);
    expect([path, text.includes('<span class="badge bad">Failing</span>')]).toEqual([path, true]);
    expect(text).toContain('The server answered 500');
  }
  expect((await operator.get('/dashboard/operator')).text).toMatch(
    /The webhook endpoint at 127\.0\.0\.1:\d+ is failing\. [^<]*The server answered 500/,
  );
});

test('low credits lead to the credits, which say who adds some; an operator is led to where they are added', async () => {
  await service.change(shop, { lowBalanceThreshold: 50, smsMode: 'on' });
  expect(await notes()).toContainEqual(['Credits are low: 10 left.', at('/credits')]);
  expect((await owner.get(at('/credits'))).text).toContain('Your operator adds credits. Ask them');
  const { text } = await operator.get(at('/credits'));
  expect(text).not.toContain('Ask them');
  expect(text).toContain(`href="${operatorsPage()}"`);
});

test('what only the operator changes leads to the part of the settings that says so', async () => {
  await service.change(shop, { paused: true, plan: 'past_due' });
  for (const says of ['Sending is paused', 'The plan is past due'])
    expect(await notes()).toContainEqual([expect.stringContaining(says), at('/settings#operators')]);
  const { text } = await owner.get(at('/settings'));
  expect(text).toMatch(
    /<h2 id="operators">[^<]*<\/h2><p class="hint"><span>Only your operator changes these/,
  );
});

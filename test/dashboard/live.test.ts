import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOUR } from '../../src/kit/clock.ts';
import { STREAMS_PER_SESSION_MAX } from '../../src/pages/dashboard/live/reads.ts';
import { browserTest, consoleErrorsOf, openBrowser, type TestBrowser } from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { cookieOf, type OpenStream, openLivePage } from './heldOpen.ts';
import { joinAsOperator, joinShop, signedIn, signInProfile } from './memberBrowser.ts';

let service: TestService;
let shop: Shop;
let memberId: string;
beforeAll(async () => {
  service = await startService();
  shop = await service.business({ name: 'Acme Books' });
  memberId = (await joinShop(service, shop.businessId, 'support@shop.example', 'member')).id;
});
afterAll(() => service.close());

/** An event of which nobody is told. */
const reportTransit = async (reference: string, by = shop): Promise<void> => {
  const now = service.clock.now().toISOString();
  const event = { tracking_number: 'JD01', status: 'in_transit', at: now };
  const body = { ...event, recipient_email: 'ann@example.com' };
  await by.call('POST', `/api/v1/orders/${reference}/tracking`, { body, idempotencyKey: reference });
};

const list = (): string => `/dashboard/${shop.businessId}/messages`;

test('an open list hears of a push, and only that something changed', async () => {
  const member = await signedIn(service, memberId);
  const stream = await openLivePage(member, list());
  expect(stream.type).toBe('text/event-stream; charset=utf-8');
  await shop.pushed({ subject: 'Something secret' });
  await eventually(async () => expect(stream.changes()).toBeGreaterThan(0));
  expect(stream.said()).not.toMatch(/secret|ann@/);
  stream.hangUp();
});

test('an open message hears of what becomes of it, and not of others', async () => {
  const { id } = await shop.pushed();
  const member = await signedIn(service, memberId);
  await eventually(async () => {
    const { delivery } = JSON.parse((await shop.get(`/api/v1/messages/${id}`)).text);
    expect(delivery.delivered).toBe(true);
  });
  const stream = await openLivePage(member, `${list()}/${id}`);
  const elsewhere = await openLivePage(member, list());
  await shop.pushed();
  await eventually(async () => expect(elsewhere.changes()).toBeGreaterThan(0));
  expect(stream.changes()).toBe(0);
  await shop.post(`/api/v1/messages/${id}/retract`);
  await eventually(async () => expect(stream.changes()).toBe(1));
  stream.hangUp();
  elsewhere.hangUp();
});

test('an open order hears of a shipment, and of a tracking event that makes no message', async () => {
  // In a shop where nothing else changes.
  const quiet = await service.business();
  const member = await signedIn(
    service,
    (await joinShop(service, quiet.businessId, 'q@shop.example', 'viewer')).id,
  );
  const shipment = '/api/v1/orders/live/shipments/JD01';
  await quiet.put(shipment, {});
  const hears = async (of: () => Promise<unknown>): Promise<void> => {
    const stream = await openLivePage(member, `/dashboard/${quiet.businessId}/orders?reference=live`);
    expect(stream.changes()).toBe(0);
    await of();
    await eventually(async () => expect(stream.changes()).toBe(1));
    stream.hangUp();
  };
  await hears(() => quiet.put(shipment, { carrier: 'Nordic Parcel Express' }));
  await hears(() => reportTransit('live', quiet));
});

test('a session that is ended elsewhere ends its stream, and so does leaving the shop', async () => {
  const [here, there] = [await signedIn(service, memberId), await signedIn(service, memberId)];
  const stream = await openLivePage(here, list());
  await service.pool.query(
    'delete from dashboard_sessions where id = (select id from dashboard_sessions where member_id = $1 order by id desc offset 1 limit 1)',
    [memberId],
  );
  await eventually(async () => expect(stream.isOver()).toBe(true));
  expect(stream.said()).toContain('event: ended');
  expect((await here.get(list())).location).toMatch(/^\/dashboard\/sign-in/);
  const other = await openLivePage(there, list());
  await service.pool.query('update memberships set role = role where member_id = $1', [memberId]);
  expect(other.isOver()).toBe(false);
  const guest = await joinShop(service, shop.businessId, 'guest@shop.example', 'viewer');
  const left = await openLivePage(await signedIn(service, guest.id), list());
  await service.pool.query('delete from memberships where member_id = $1', [guest.id]);
  await eventually(async () => expect(left.isOver()).toBe(true));
  expect(other.isOver()).toBe(false);
  other.hangUp();
});

test('leaving the shop ends the streams of every page of it, and an operator’s end ends that of the outbox', async () => {
  const guest = await joinShop(service, shop.businessId, 'everywhere@shop.example', 'viewer');
  const body = { url: 'https://hooks.example/live' };
  const added = await shop.call('POST', '/api/v1/webhook-endpoints', { body });
  const { id } = JSON.parse(added.text);
  const member = await signedIn(service, guest.id);
  const base = `/dashboard/${shop.businessId}`;
  const streams = await Promise.all(
    ['', '/webhooks', `/webhooks/${id}`].map((path) => openLivePage(member, base + path)),
  );
  const operator = await joinAsOperator(service, 'operator@waypost.example');
  const other = await joinAsOperator(service, 'other@waypost.example');
  const watch = async (memberId: string) =>
    openLivePage(await signedIn(service, memberId), '/dashboard/operator/outbox');
  const [outbox, stays] = [await watch(operator.id), await watch(other.id)];
  expect(outbox.type).toBe('text/event-stream; charset=utf-8');
  await service.pool.query('delete from memberships where member_id = $1', [guest.id]);
  await service.pool.query('update members set operator_since = null where id = $1', [operator.id]);
  for (const stream of [...streams, outbox]) {
    await eventually(async () => expect(stream.isOver()).toBe(true));
    expect(stream.said()).toContain('event: ended');
  }
  expect(stays.isOver()).toBe(false);
  stays.hangUp();
  const viewer = await signedIn(service, memberId);
  expect((await viewer.get('/dashboard/operator/live')).status).toBe(404);
});

test('of one session’s streams past the limit the oldest ends', async () => {
  const member = await signedIn(service, memberId);
  const streams: OpenStream[] = [];
  for (let count = 0; count <= STREAMS_PER_SESSION_MAX; count += 1)
    streams.push(await openLivePage(member, list()));
  await eventually(async () => expect(streams[0]?.isOver()).toBe(true));
  expect(streams.slice(1).some(({ isOver }) => isOver())).toBe(false);
  for (const { hangUp } of streams) hangUp();
});

test('a hundred open streams hold no connection of the database', async () => {
  const members = await Promise.all(Array.from({ length: 18 }, () => signedIn(service, memberId)));
  const streams = await Promise.all(
    members.flatMap((member) => Array.from({ length: 6 }, () => openLivePage(member, list()))),
  );
  await eventually(async () => expect(service.pool.totalCount - service.pool.idleCount).toBeLessThan(5));
  expect(streams.filter(({ isOver }) => isOver())).toEqual([]);
  for (const { hangUp } of streams) hangUp();
});

test('a page that updates itself does not keep its session alive', async () => {
  const member = await signedIn(service, memberId);
  const lastUse = async (): Promise<Date> => {
    const { rows } = await service.pool.query(
      'select last_seen_at from dashboard_sessions where member_id = $1 order by id desc limit 1',
      [memberId],
    );
    return rows[0].last_seen_at;
  };
  const before = await lastUse();
  await service.pool.query('update dashboard_sessions set last_seen_at = $2 where member_id = $1', [
    memberId,
    new Date(before.getTime() - HOUR),
  ]);
  const headers = { cookie: cookieOf(member), 'x-by-itself': 'yes' };
  const response = await fetch(service.url + list(), { headers });
  expect(response.status).toBe(200);
  expect((await lastUse()).getTime()).toBe(before.getTime() - HOUR);
  await member.get(list());
  expect((await lastUse()).getTime()).toBeGreaterThan(before.getTime() - HOUR);
});

test('a reader who hangs up is no failure in the log', async () => {
  const left = await startService();
  const own = await left.business();
  const { id } = await joinShop(left, own.businessId, 'gone@shop.example', 'member');
  const stream = await openLivePage(await signedIn(left, id), `/dashboard/${own.businessId}/messages`);
  stream.hangUp();
  await eventually(() => expect(stream.isOver()).toBe(true));
  // Waits for what the process still does.
  await left.close();
  expect(left.logged.filter(({ level }) => level === 'error')).toEqual([]);
});

test('a stop of the server ends open streams', async () => {
  const stopping = await startService();
  const at = await stopping.business();
  const { id } = await joinShop(stopping, at.businessId, 'support@shop.example', 'member');
  const stream = await openLivePage(await signedIn(stopping, id), `/dashboard/${at.businessId}/messages`);
  await stopping.close();
  expect(stream.isOver()).toBe(true);
});

describe('in a browser', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  const openPage = async (path: string): Promise<{ page: Page; complaints: string[] }> => {
    const context = await browser.newProfile({ timezoneId: 'Asia/Tokyo', locale: 'en-GB' });
    const page = await context.newPage();
    const complaints = consoleErrorsOf(page);
    await signInProfile(context, service, memberId);
    await page.goto(service.url + path);
    return { page, complaints };
  };

  browserTest(
    'the list shows a new message by itself, in the viewer’s zone, and keeps the focus',
    async () => {
      await shop.pushed({ subject: 'The first of today' });
      const { page, complaints } = await openPage(list());
      await page.evaluate('window.stillTheSame = true');
      await page.getByRole('link', { name: 'The first of today' }).focus();
      await shop.pushed({ subject: 'Just pushed' });
      await page.getByRole('link', { name: 'Just pushed' }).waitFor();
      expect(await page.evaluate('window.stillTheSame')).toBe(true);
      expect(await page.locator(':focus').textContent()).toBe('The first of today');
      await eventually(async () =>
        expect(await page.locator('#found time').first().textContent()).not.toContain('UTC'),
      );
      expect(complaints).toEqual([]);
      await page.context().close();
    },
  );

  browserTest('a message’s page tells by itself that it was retracted elsewhere', async () => {
    const { id } = await shop.pushed({ subject: 'Watched' });
    const { page, complaints } = await openPage(`${list()}/${id}`);
    await page.getByText('Retract the message …').click();
    await shop.post(`/api/v1/messages/${id}/retract`);
    await page.locator('#outcomes').getByText('Retracted').waitFor();
    // What a person is about to do stays open.
    expect(await page.getByRole('button', { name: 'Retract it' }).isVisible()).toBe(true);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  browserTest('an order shows what a carrier reports by itself, and leaves unfolded what is', async () => {
    for (const status of ['confirmed', 'shipped', 'confirmed', 'shipped'])
      await shop.pushed({ reference: 'watched', order_status: status });
    const { page, complaints } = await openPage(`/dashboard/${shop.businessId}/orders?reference=watched`);
    await page.getByText('Earlier (1)').click();
    await reportTransit('watched');
    await page.locator('.big-figure').getByText('In transit').waitFor();
    const earlier = page.locator('#stands-earlier');
    expect(await earlier.getByText('Shipped').isVisible()).toBe(true);
    expect(await page.locator(':focus').textContent()).toBe('Earlier (2)');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  browserTest('when the session ends elsewhere, an open page leads to the sign-in', async () => {
    const { page } = await openPage(list());
    await service.pool.query('delete from dashboard_sessions where member_id = $1', [memberId]);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.context().close();
  });

  browserTest(
    'so does a page whose stream was refused, because the session ended before it opened',
    async () => {
      const { page } = await openPage('/dashboard/account');
      await page.route('**/live?*', async (route) => {
        await service.pool.query('delete from dashboard_sessions where member_id = $1', [memberId]);
        await route.continue();
      });
      await page.goto(service.url + list());
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.context().close();
    },
  );

  browserTest('the preview of a push appears while one types', async () => {
    const { page, complaints } = await openPage(`/dashboard/${shop.businessId}/push`);
    await page.getByLabel('Customer’s address').fill('typed@example.com');
    await page.getByLabel('Subject').fill('Typed by hand');
    await page.getByLabel('Message', { exact: true }).fill('Hello there');
    await page.locator('#preview').getByText('A new message in the customer’s inbox.').waitFor();
    await page.getByRole('button', { name: 'Push it now' }).click();
    await page.getByText('The message is in the customer’s inbox.', { exact: false }).waitFor();
    expect(page.url()).not.toContain('typed');
    // htmx mentions each preview that it gave up because typing went on.
    expect(complaints.filter((text) => !/^htmx:(afterRequest|sendAbort)/.test(text))).toEqual([]);
    await page.context().close();
  });
});

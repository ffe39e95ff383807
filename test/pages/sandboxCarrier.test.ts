import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { browserTest } from '../support/browser.ts';
import { expectStatus } from '../support/shop.ts';
import { capturedMessages } from '../support/waiting.ts';
import type { DemoService } from './playground.ts';
import { type SandboxVisit, said, title, visitSandbox } from './sandboxPage.ts';

/* The carrier, as a developer plays it: one press per event, and what followed from it. */

let visit: SandboxVisit;
let playground: DemoService;
beforeAll(async () => {
  visit = await visitSandbox();
  ({ playground } = visit);
});
afterEach(() => visit.closeFreshBrowsers());
afterAll(() => visit.close());

let orders = 0;
/** An order of its own, whose shipment a push has named. */
async function shipped(recipient = 'ann') {
  orders += 1;
  const order = { reference: `#${7000 + orders}`, tracking_number: `JD${orders}` };
  const to = `${recipient}+${orders}@example.com`;
  await playground.shop.pushed({
    recipient_email: to,
    reference: order.reference,
    order_status: 'shipped',
    shipment: { tracking_number: order.tracking_number, carrier: 'Omniva' },
  });
  return { ...order, business_id: playground.shop.businessId, to };
}

type Shipped = Awaited<ReturnType<typeof shipped>>;

const orderOf = ({ reference }: Shipped) =>
  playground.shop.get(`/api/v1/orders/${encodeURIComponent(reference)}`);

const report = async (body: Record<string, string>) => {
  const response = await fetch(`${playground.url}/sandbox/tracking`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, answer: await response.json() };
};

/** The page that a press of the button leads to. */
async function press({ to: _, ...order }: Shipped, status: string): Promise<URLSearchParams> {
  const response = await fetch(`${playground.url}/sandbox/tracking?open=before`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...order, status }).toString(),
  });
  expect(response.status).toBe(303);
  return new URL(response.headers.get('location') ?? '', playground.url).searchParams;
}

test('what the carrier reports is an event of the order, answered as in the interface, and its mail is there at once', async () => {
  const { to, ...order } = await shipped();
  const { status, answer } = await report({ ...order, status: 'out_for_delivery' });
  expect({ status, answer }).toEqual({
    status: 200,
    answer: { status: 'out_for_delivery', is_first: true, nudged: true, message_id: expect.any(String) },
  });
  const [newest] = await capturedMessages(playground.url, { to });
  expect(answer).toMatchObject({ message_id: newest?.message_id });
  expect(expectStatus(200, await orderOf({ to, ...order }))).toMatchObject({
    status: 'out_for_delivery',
    shipments: [{ status: 'out_for_delivery', events: [{ status: 'out_for_delivery' }] }],
  });
});

test('a press says what followed: told by which mail, or why not', async () => {
  const order = await shipped();
  expect(Object.fromEntries(await press(order, 'in_transit'))).toEqual({
    open: 'before',
    flash: 'not_chosen',
  });
  const told = await press(order, 'out_for_delivery');
  const [newest] = await capturedMessages(playground.url, { to: order.to });
  expect(Object.fromEntries(told)).toEqual({ open: newest?.id, flash: 'told' });
  expect((await press(order, 'out_for_delivery')).get('flash')).toBe('not_first');
  const { to, reference } = order;
  await playground.shop.pushed({ recipient_email: to, reference, order_status: 'delivered' });
  expect((await press(order, 'delivered')).get('flash')).toBe('told_by_hand');
});

test('a message that no mail announces is told in the inbox', async () => {
  const order = await shipped('bounce');
  await playground.service.advance({ minutes: 1 });
  expect(Object.fromEntries(await press(order, 'delivered'))).toEqual({
    open: 'before',
    flash: 'told_in_inbox',
  });
});

test('an event that is dated ahead does not hold up the next', async () => {
  const order = await shipped();
  const { reference, tracking_number } = order;
  const at = new Date(Date.now() + 3_600_000).toISOString();
  const ahead = { tracking_number, status: 'in_transit', at };
  const path = `/api/v1/orders/${encodeURIComponent(reference)}/tracking`;
  expectStatus(202, await playground.shop.call('POST', path, { body: ahead, idempotencyKey: reference }));
  expect((await press(order, 'out_for_delivery')).get('flash')).toBe('told');
});

test('what is no shipment of the order, no status, or of a business without a key that may report is refused', async () => {
  const { to: _, ...order } = await shipped();
  for (const [change, field] of [
    [{ tracking_number: 'OTHER' }, 'tracking_number'],
    [{ reference: '#none' }, 'tracking_number'],
    [{ business_id: 'none' }, 'tracking_number'],
    [{ status: 'lost' }, 'status'],
  ] as const)
    expect(await report({ ...order, status: 'delivered', ...change })).toMatchObject({
      status: 422,
      answer: { detail: [{ loc: ['body', field] }] },
    });
  const other = await playground.service.business();
  await other.pushed({ reference: '#1', shipment: { tracking_number: 'X1' } });
  await playground.service.pool.query(`update api_keys set access = 'read' where business_id = $1`, [
    other.businessId,
  ]);
  const theirs = { business_id: other.businessId, reference: '#1', tracking_number: 'X1' };
  expect(await report({ ...theirs, status: 'delivered' })).toMatchObject({
    status: 403,
    answer: { error_code: 'key.not_permitted' },
  });
});

browserTest.each([
  ['with', true],
  ['without', false],
])('%s JavaScript a parcel is moved along by its button until it has come', async (_, javaScriptEnabled) => {
  const { page, complaints } = await visit.developer({ javaScriptEnabled });
  const order = await shipped();
  await visit.openNewest(page, order.to, 'email');
  const parcel = page.locator('.shipments li');
  expect(await parcel.textContent()).toMatch(new RegExp(`${order.tracking_number}.*no event yet.*Omniva`));
  await page.getByRole('button', { name: 'Next: in_transit' }).click();
  await said(page).filter({ hasText: 'Nobody is told: this status is not among' }).waitFor();
  await page.getByRole('button', { name: 'Next: out_for_delivery' }).click();
  await said(page).filter({ hasText: 'this message tells it' }).waitFor();
  await page.locator('.mail-head', { hasText: 'Out for delivery' }).waitFor();
  expect(await title(page).textContent()).toContain(order.to);
  await page.getByRole('button', { name: 'Next: delivered' }).click();
  await parcel.filter({ hasText: 'Nothing more comes after that.' }).waitFor();
  expect(await page.getByRole('button', { name: 'Next:' }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

import { createServer } from 'node:http';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  consoleErrorsOf,
  DESKTOP_SCREEN,
  openBrowser,
  type TestBrowser,
  browserTest as test,
} from '../support/browser.ts';
import { listenOnFreePort } from '../support/freePort.ts';
import { startService, type TestService } from '../support/service.ts';
import { Shop } from '../support/shop.ts';
import { verify } from '../support/verifySignature.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';
import { joinAsOperator, mailedLink } from './memberBrowser.ts';

/*
 * A shop's first day, in real browsers and with no command line but the one that makes the first operator: from the operator who
 * creates the shop to the support staff who find a message.
 */

interface Received {
  type: string;
  id: string;
  signature: string;
  body: string;
}

let service: TestService;
let browser: TestBrowser;
let hookUrl: string;
const received: Received[] = [];
const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (part: string) => (body += part));
  request.on('end', () => {
    const header = (name: string) => String(request.headers[name]);
    received.push({
      type: header('x-service-event'),
      id: header('x-service-delivery'),
      signature: header('x-service-signature'),
      body,
    });
    response.writeHead(204).end();
  });
});

beforeAll(async () => {
  const port = await listenOnFreePort(server);
  hookUrl = `http://127.0.0.1:${port}/hooks`;
  [service, browser] = await Promise.all([
    startService({ WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` }),
    openBrowser(),
  ]);
  // The sandbox shows an operator's mail under a shop.
  await service.business({ name: 'Another shop' });
  await joinAsOperator(service, 'op@waypost.example');
});
afterAll(async () => {
  await browser.close();
  server.close();
  await service.close();
});

/** Signs in as a person does: asks for a link, and follows it from the mail in the same browser. */
async function signIn(context: BrowserContext, email: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${service.url}/dashboard`);
  await page.getByLabel('Your email address').fill(email);
  await page.getByRole('button', { name: 'Mail me a link' }).click();
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
  await page.goto(service.url + (await mailedLink(service, email)));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/dashboard\/\w/);
  return page;
}

const eventOf = (type: string): Promise<Received> =>
  eventually(async () => {
    const found = received.find((one) => one.type === type);
    if (!found) throw new Error(`no ${type} yet, but ${received.map((one) => one.type).join(', ')}`);
    return found;
  });

test('a shop’s first day: created, signed in, a key, a push, an inbox, a webhook, a search and a replay', {
  timeout: 120_000,
}, async () => {
  const [operators, owners, customers, staff] = await Promise.all(
    [1, 2, 3, 4].map(() => browser.newProfile({ viewport: DESKTOP_SCREEN })),
  );
  if (!operators || !owners || !customers || !staff) throw new Error('a profile is missing');

  // The operator creates the shop.
  const operator = await signIn(operators, 'op@waypost.example');
  const complaints = [consoleErrorsOf(operator)];
  await operator.waitForURL(`${service.url}/dashboard/operator`);
  await operator.getByRole('link', { name: 'Create a shop' }).click();
  await operator.getByLabel('Name').fill('Kuusk Raamatud');
  await operator.getByLabel('Address of the owner').fill('mari@kuusk.example');
  await operator.getByLabel('Credits to begin with').fill('50');
  await operator.getByRole('button', { name: 'Create the shop' }).click();
  await operator.getByText('The shop was created, and an invitation is on its way').waitFor();
  const [, shopId = ''] = /shops\/(\w+)/.exec(operator.url()) ?? [];

  // The owner signs in by the mailed link, and is led through the first steps.
  const owner = await signIn(owners, 'mari@kuusk.example');
  complaints.push(consoleErrorsOf(owner));
  await owner.waitForURL(`${service.url}/dashboard/${shopId}`);
  await owner.getByText('Customers see your shop as “Kuusk Raamatud”.').waitFor();
  await owner.getByRole('link', { name: 'Make a key' }).click();
  await owner.getByLabel('Name').fill('Shop backend');
  await owner.getByRole('button', { name: 'Create the key' }).click();
  await owner.getByRole('heading', { name: 'Your new key' }).waitFor();
  const key = (await owner.locator('.code code').textContent()) ?? '';
  await owner.getByRole('link', { name: 'I have saved it' }).click();

  await owner.goto(`${service.url}/dashboard/${shopId}`);
  await owner.getByRole('link', { name: 'Add an endpoint' }).click();
  await owner.getByLabel('URL').fill(hookUrl);
  await owner.getByRole('button', { name: 'Add the endpoint' }).click();
  await owner.getByRole('heading', { name: 'The endpoint was added' }).waitFor();
  const secret = (await owner.locator('.code code').textContent()) ?? '';

  // The first push is made on the page.
  await owner.goto(`${service.url}/dashboard/${shopId}`);
  await owner.getByRole('link', { name: 'Push a message' }).click();
  await owner.getByLabel('Customer’s address').fill('ann@example.com');
  await owner.getByLabel('Subject').fill('Your order #1001 has shipped');
  await owner.getByLabel('Message', { exact: true }).fill('It left our warehouse this morning.');
  await owner.getByLabel('Order number').fill('#1001');
  await owner.getByRole('button', { name: 'Push it now' }).click();
  await owner.waitForURL(/\/messages\/\w+/);
  const [, messageId = ''] = /messages\/(\w+)/.exec(owner.url()) ?? [];
  await owner.goto(`${service.url}/dashboard/${shopId}`);
  await owner.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(await owner.getByText('First steps').count(), 'every step is taken').toBe(0);

  // The key works for the shop's own program.
  const shop = new Shop(service.url, shopId, key);
  const byProgram = await shop.pushed({ recipient_email: 'ben@example.com', reference: '#1002' });

  // The customer opens the inbox from the mail.
  const [mail] = await eventually(async () => {
    const mails = await capturedMessages(service.url, { to: 'ann@example.com', channel: 'email' });
    expect(mails).toHaveLength(1);
    return mails;
  });
  const customer = await customers.newPage();
  await customer.goto(/https?:\/\/\S+\/i\/\S+/.exec(mail?.text ?? '')?.[0] ?? '');
  await customer.getByText('It left our warehouse this morning.').waitFor();

  // The shop's server hears of it, signed with the secret that the page showed.
  const opened = await eventOf('message.opened');
  expect(JSON.parse(opened.body).data).toMatchObject({ message_id: messageId });
  const sentAt = Number(/^t=(\d+)/.exec(opened.signature)?.[1]);
  expect(verify(secret, opened.signature, opened.body, sentAt)).toBe(true);

  // The owner adds somebody from support, who signs in by a link of their own.
  await owner.goto(`${service.url}/dashboard/${shopId}/settings/members`);
  await owner.getByLabel('Email address').fill('jaan@kuusk.example');
  await owner.getByRole('button', { name: 'Add the member' }).click();
  await owner.getByText('jaan@kuusk.example').first().waitFor();
  const support = await signIn(staff, 'jaan@kuusk.example');
  complaints.push(consoleErrorsOf(support));

  // They find the message by the customer's address, and see that it was opened.
  await support.getByRole('link', { name: 'Messages', exact: true }).click();
  await support.getByLabel('Search the shop').fill('ann@example.com');
  await support.getByRole('button', { name: 'Search' }).click();
  await support.getByRole('link', { name: 'Your order #1001 has shipped' }).click();
  await support.waitForURL(new RegExp(messageId));
  await support
    .getByText(/opened/i)
    .first()
    .waitFor();
  expect(support.url()).not.toContain('ann');
  expect(byProgram.id).not.toBe(messageId);

  // The event is sent again from its delivery's page, with the same id.
  await support.getByRole('link', { name: 'Webhooks', exact: true }).click();
  await support.getByRole('link', { name: hookUrl }).click();
  await support
    .getByRole('link', { name: /message\.opened/ })
    .first()
    .click();
  await support.getByRole('button', { name: 'Send it again' }).click();
  await eventually(async () => expect(received.filter(({ id }) => id === opened.id)).toHaveLength(2));

  // The operator sees all of it: the shop's page, and who did what.
  await operator.goto(`${service.url}/dashboard/operator/audit?business=${shopId}`);
  for (const action of [
    'business.created',
    'member.added',
    'key.created',
    'message.pushed',
    'endpoint.created',
  ])
    await operator.getByRole('link', { name: action }).first().waitFor();
  expect(complaints.flat()).toEqual([]);
  await Promise.all([operators, owners, customers, staff].map((context) => context.close()));
});

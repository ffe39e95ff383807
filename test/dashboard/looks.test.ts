import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { newDkimKey } from '../../src/businesses/domains/records.ts';
import { addEmailSender } from '../../src/businesses/senders.ts';
import { transaction } from '../../src/db/transaction.ts';
import { createSealer } from '../../src/kit/seal.ts';
import { writeLink } from '../../src/members/signIn.ts';
import { DESKTOP_SCREEN, openBrowser, type TestBrowser, browserTest as test } from '../support/browser.ts';
import { faultsOnPages, type Pages, variantOf } from '../support/pageFaults.ts';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { startService, type TestService } from '../support/service.ts';
import { Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { callOf, connectionOf, wooOrder, wouldPushOf } from './connectionRows.ts';
import { joinShop, signInProfile } from './memberBrowser.ts';

const SLOW_MS = 480_000;

let service: TestService;
let browser: TestBrowser;
let shop: Shop;
let quiet: Shop;
let memberId: string;
let messageId: string;
let longId: string;
let unsentId: string;
let bounced: string;
let endpointId: string;
let connectionId: string;

beforeAll(async () => {
  [service, browser] = await Promise.all([
    startService({ WEBHOOK_ALLOW_HOSTS: '127.0.0.1:9' }, { publicHost: 'localhost' }),
    openBrowser(),
  ]);
  shop = await service.business({ name: 'Kuusk & Mänd Käsitöö- ja Raamatupood OÜ', credits: 100 });
  quiet = await service.business({ name: 'Quiet' });
  memberId = (await joinShop(service, shop.businessId, 'owner@shop.example', 'owner')).id;
  await joinShop(service, quiet.businessId, 'owner@shop.example', 'viewer');
  await keysBelow(shop, ['Shop backend', 'K'.repeat(120), 'Reports', 'Fourth', 'Fifth', 'Sixth']);
  await service.pool.query(
    `insert into passkeys (id, credential_id, member_id, name, public_key, counter, transports, created_at)
     values ('a', 'a', $1, $2, '', 0, '{}', now())`,
    [memberId, 'P'.repeat(60)],
  );
  endpointId = await endpointsOf(shop);
  connectionId = await connectionsOf(shop);
  await domainOf(shop);
  longId = (
    await shop.pushed({ subject: 'W'.repeat(300), body: 'x'.repeat(3_000), reference: 'R'.repeat(64) })
  ).id;
  await shop.pushed({
    subject: 'طلبك في الطريق',
    body: 'مرحبا\nhttps://track.example/٣',
    recipient_email: 'bounce@example.com',
  });
  await shop.pushed({ reference: '#1001', order_status: 'confirmed', subject: 'We have your order #1001' });
  messageId = (
    await shop.pushed({
      recipient_phone: PHONE_NUMBER,
      reference: '#1001',
      order_status: 'shipped',
      channels: ['sms', 'whatsapp'],
    })
  ).id;
  await service.pool.query(
    `insert into whatsapp_replies (business_id, id, recipient_id, message_id, body, received_at, read_at)
     select m.business_id, 'reply' || r.n, m.recipient_id, m.id, r.body, now(), case when r.n = 1 then now() end
     from messages m, unnest($3::text[]) with ordinality r (body, n) where m.business_id = $1 and m.id = $2`,
    [shop.businessId, messageId, ['Which door?\nThe green one?', 'متى يصل؟', 'W'.repeat(500)]],
  );
  unsentId = (await shop.pushed({ recipient_phone: PHONE_NUMBER, order_status: 'shipped' })).id;
  // What is still to come, and a text that was refused.
  await shop.pushed({
    recipient_phone: PHONE_NUMBER,
    channels: ['sms'],
    escalate_if_unread_after_minutes: 600,
    send_at: new Date(service.clock.now().getTime() + 3_600_000).toISOString(),
  });
  await shop.pushed({ recipient_email: 'nophone@example.com', channels: ['sms'] });
  await parcelsOf('#2001');
  await shop.put('/api/v1/orders/%232002/shipments/JD01', { carrier: 'C'.repeat(60) });
  const gone = await shop.pushed({ reference: '#1002', subject: 'A mistake' });
  await shop.post(`/api/v1/messages/${gone.id}/retract`);
  await eventually(async () => {
    const { text } = await shop.get(`/api/v1/messages/${messageId}`);
    expect(JSON.parse(text).delivery).toMatchObject({ delivered: true, sms: { status: 'delivered' } });
  });
  // So that there is something to send again.
  await service.pool.query(
    `update webhook_deliveries set state = 'exhausted', due_at = null, lease = null, settled_at = now() where endpoint_id = $1`,
    [endpointId],
  );
  bounced = await eventually(async () => {
    const { rows } = await service.pool.query<{ id: string }>(
      `select r.id from recipients r join suppressions s on s.business_id = r.business_id and s.email = r.email where r.business_id = $1`,
      [shop.businessId],
    );
    if (!rows[0]) throw new Error('nothing has bounced yet');
    return rows[0].id;
  });
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

const link = async (): Promise<string> =>
  `/dashboard/sign-in/${await writeLink(service.pool, memberId, null, service.clock.now())}`;

/** A long name, with records to set and one finding of each kind. */
async function domainOf({ businessId }: Shop): Promise<void> {
  const address = `orders@${'very.'.repeat(12)}long.example`;
  const key = await newDkimKey();
  await transaction(service.pool, (tx) =>
    addEmailSender(tx, service.clock.now(), createSealer(['a key']), {
      businessId,
      actor: 'operator',
      address,
      key,
    }),
  );
  const findings = (['good', 'missing', 'wrong', 'unknown'] as const).map((state) => ({
    record: state === 'missing' ? 'dmarc' : 'dkim',
    state,
    says: `What is at ${key.selector}._domainkey.${address.slice('orders@'.length)} is ${state}.`,
  }));
  await service.pool.query(
    'update sender_domains set findings = $2, checked_at = now() where business_id = $1',
    [businessId, JSON.stringify(findings)],
  );
}

const STOPS = [
  ['label_created', null, 'The sender has announced the parcel'],
  ['picked_up', 'Tallinn', null],
  ['in_transit', 'Sorting centre Riga, Latvia', 'Sorted'],
  ['exception', 'ميناء هامبورغ', 'تعذر قراءة الملصق'],
  ['in_transit', 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch, Wales', 'D'.repeat(500)],
  ['delayed', '"><script>alert(1)</script>', '</span><h1>Hello'],
  ['out_for_delivery', null, null],
  ['delivery_attempted', 'Front door', 'Nobody was there. The parcel goes to the parcel shop.'],
  ['available_for_pickup', 'Parcel shop Kvartal', null],
  ['delivered', 'Parcel shop Kvartal', 'Signed by A. Mänd'],
] as const;

/** An order of two customers with three parcels and thirty events. */
async function parcelsOf(reference: string): Promise<void> {
  const order = `/api/v1/orders/${encodeURIComponent(reference)}`;
  const parcels = [
    ['CC 123 456 789 EE', 'Kuusk & Mänd Kullerteenused ja Rahvusvaheline Vedu OÜ', 16],
    ['W'.repeat(64), 'شركة الشحن السريع', 9],
    ['JD0146000031', '"><script>alert(1)</script>', 5],
  ] as const;
  await shop.pushed({ reference, order_status: 'confirmed', subject: 'We have your order' });
  await shop.pushed({
    reference,
    order_status: 'delivered',
    recipient_email: `${'l'.repeat(60)}@example.com`,
  });
  const begun = service.clock.now().getTime() - 40 * 3_600_000;
  for (const [parcel, [trackingNumber, carrier, stops]] of parcels.entries()) {
    const facts = {
      carrier,
      tracking_url: `https://${'track.'.repeat(8)}example/${parcel}`,
      expected_on: '2030-12-30',
      expected_until: '2031-01-02',
    };
    await shop.put(`${order}/shipments/${encodeURIComponent(trackingNumber)}`, facts);
    for (const [stop, [status, location, description]] of [...STOPS, ...STOPS].slice(0, stops).entries()) {
      const at = new Date(begun + (stop * 2 + parcel) * 3_600_000).toISOString();
      const body = { tracking_number: trackingNumber, status, at, location, description };
      await shop.call('POST', `${order}/tracking`, { body, idempotencyKey: `${parcel} ${stop}` });
    }
  }
}

/** Keys that each made the next. */
async function keysBelow(parent: Shop, [name, ...others]: readonly string[]): Promise<void> {
  if (name === undefined) return;
  const { key } = JSON.parse((await parent.call('POST', '/api/v1/keys', { body: { name } })).text);
  await keysBelow(new Shop(parent.url, parent.businessId, key), others);
}

/** Endpoints in every state, at a port where nobody listens; the one that fails. */
async function endpointsOf(of: Shop): Promise<string> {
  const ids: string[] = [];
  for (const path of ['works', 'fails', 'w'.repeat(500), 'off']) {
    const body = { url: `http://127.0.0.1:9/${path}`, description: 'W'.repeat(300) };
    ids.push(JSON.parse((await of.call('POST', '/api/v1/webhook-endpoints', { body })).text).id);
  }
  const [works, fails = '', failsForGood, off] = ids;
  const set = (change: string, id: string | undefined) =>
    service.pool.query(`update webhook_endpoints set ${change} where id = $1`, [id]);
  await set(`event_types = '{plan.lapsed,plan.past_due}', last_success_at = now()`, works);
  await set(
    `disabled_at = now(), consecutive_failures = 20, last_error = 'TLS: certificate has expired'`,
    failsForGood,
  );
  await set('disabled_at = now()', off);
  return fails;
}

/** A store with calls of every outcome, one that waits, and one that failed; the first of them. */
async function connectionsOf({ businessId }: Shop): Promise<string> {
  const { connection } = await connectionOf(service, businessId, { name: 'W'.repeat(60) });
  const at = { businessId, id: connection.id };
  const message = wouldPushOf({ subject: 'W'.repeat(200), body: `x${'W'.repeat(500)}` });
  const body = wooOrder('1001', 'processing', { line_items: [{ name: 'W'.repeat(200), quantity: 1 }] });
  await callOf(service, at, { order: '1'.repeat(64), outcome: 'would_push', wouldPush: [message], body });
  await callOf(service, at, { order: '1002', outcome: 'refused', reason: 'business.inactive' });
  await callOf(service, at, { outcome: 'not_understood', reason: 'not_json', topic: 'W'.repeat(100) });
  await callOf(service, at, { outcome: null });
  await service.pool.query('update connections set statuses_seen = $2, last_error = $3 where id = $1', [
    connection.id,
    ['W'.repeat(60), 'طلبك'],
    `The store answered ${'W'.repeat(200)}.`,
  ]);
  await connectionOf(service, businessId, { kind: 'shopify', name: 'طلبك في الطريق' });
  return connection.id;
}

let endpoints = 0;

/** Every page, in an order in which a person could come by them. */
const pages = (): Pages => {
  const at = (path: string) => (page: Page) => page.goto(service.url + path);
  const messages = `/dashboard/${shop.businessId}/messages`;
  const webhooks = `/dashboard/${shop.businessId}/webhooks`;
  const connections = `/dashboard/${shop.businessId}/connections`;
  return {
    'sign in': at('/dashboard/sign-in'),
    'check your mail': async (page) => {
      await page.getByLabel('Your email address').fill('nobody@example.com');
      await page.getByRole('button', { name: 'Mail me a link' }).click();
      await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
    },
    'a link that does not work': variantOf('nothing here', at('/dashboard/sign-in/nothing')),
    'the page behind a link': async (page) => page.goto(service.url + (await link())),
    'your shops': async (page) => {
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Your shops' }).waitFor();
    },
    account: at('/dashboard/account'),
    overview: at(`/dashboard/${shop.businessId}`),
    'overview of a new shop': at(`/dashboard/${quiet.businessId}`),
    messages: at(messages),
    'nothing found': variantOf('what was found', async (page) => {
      await page.getByLabel('Search the shop').fill(`${'n'.repeat(60)}@example.com`);
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText('Nothing was found').waitFor();
    }),
    'what was found': async (page) => {
      await page.getByLabel('Search the shop').fill('r');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('heading', { name: 'Search for “r”' }).waitFor();
    },
    'all orders that were found': variantOf('what was found', (page) => page.goto(`${page.url()}&of=orders`)),
    suggestions: async (page) => {
      await page.getByLabel('Search the shop').fill('');
      await page.getByLabel('Search the shop').pressSequentially('w');
      await page.locator('#suggestions a').first().waitFor();
    },
    'messages by words, filtered': variantOf('messages', async (page) => {
      await page.getByLabel('Search the shop').fill('order');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('heading', { name: 'Search for “order”' }).waitFor();
      await page.goto(`${page.url().replace('/search?', '/messages?')}&email=delivered&from=2020-01-01`);
      await page.getByRole('heading', { name: /with “order”/ }).waitFor();
    }),
    'an order': at(`/dashboard/${shop.businessId}/orders?reference=%231001`),
    'an order with a long number': variantOf(
      'an order',
      at(`/dashboard/${shop.businessId}/orders?reference=${'R'.repeat(64)}`),
    ),
    'an order on its way': at(`/dashboard/${shop.businessId}/orders?reference=%232001`),
    'an order without messages': variantOf(
      'an order on its way',
      at(`/dashboard/${shop.businessId}/orders?reference=%232002`),
    ),
    'a push by hand': at(`/dashboard/${shop.businessId}/push`),
    'a push that is filled in': variantOf(
      'a push by hand',
      at(`/dashboard/${shop.businessId}/push?reference=${'R'.repeat(64)}`),
    ),
    'a push with faults': async (page) => {
      await page.getByLabel('Customer’s address').fill('ann@example.com');
      await page.getByLabel('Subject').fill('W'.repeat(200));
      await page.getByRole('button', { name: 'Preview', exact: true }).click();
      await page.getByText('Please fill this in.').waitFor();
    },
    'a push with its preview': async (page) => {
      await page.getByLabel('Message', { exact: true }).fill('x'.repeat(300));
      await page.getByRole('button', { name: 'Preview', exact: true }).click();
      await page.getByText('Credits left afterwards').waitFor();
    },
    'no messages': variantOf('messages', at(`/dashboard/${quiet.businessId}/messages`)),
    'a message': at(`${messages}/${messageId}`),
    'a message with a long subject, as a mail': variantOf('a message', async (page) => {
      await at(`${messages}/${longId}?shown=email`)(page);
      await page.frameLocator('iframe').getByText('Read it in your inbox').waitFor();
    }),
    'a message as an SMS': variantOf('a message', at(`${messages}/${messageId}?shown=sms`)),
    'a message as JSON': at(`${messages}/${longId}?shown=json`),
    'a customer': async (page) => {
      await page.getByRole('link', { name: 'ann@example.com' }).first().click();
      await page.getByRole('heading', { name: 'How they can be reached' }).waitFor();
    },
    customers: at(`/dashboard/${shop.businessId}/recipients`),
    'no customers': variantOf('customers', at(`/dashboard/${quiet.businessId}/recipients`)),
    'a customer who bounced': variantOf(
      'a customer',
      at(`/dashboard/${shop.businessId}/recipients/${bounced}`),
    ),
    'a number that is none': variantOf('a customer', async (page) => {
      await page.getByLabel('Mobile number').fill('12');
      await page.getByRole('button', { name: 'Save the number' }).click();
      await page.getByText('This is not a mobile number').waitFor();
    }),
    'an erasure': at(`/dashboard/${shop.businessId}/recipients/${bounced}/erase`),
    replies: at(`/dashboard/${shop.businessId}/replies`),
    'a reply': async (page) => {
      await page.locator('.reply time').first().click();
      await page.getByRole('heading', { name: 'A reply on WhatsApp' }).waitFor();
    },
    'no replies': variantOf('replies', at(`/dashboard/${quiet.businessId}/replies`)),
    credits: at(`/dashboard/${shop.businessId}/credits`),
    'no credits': variantOf('credits', at(`/dashboard/${quiet.businessId}/credits`)),
    'a resend that cannot go': at(`${messages}/${messageId}/resend/sms`),
    'a resend': at(`${messages}/${unsentId}/resend/sms`),
    webhooks: at(webhooks),
    'an endpoint that cannot be added': variantOf('webhooks', async (page) => {
      await page.getByLabel('URL').fill('https://10.0.0.7/');
      await page.getByRole('button', { name: 'Add the endpoint' }).click();
      await page.getByText('must be on the public internet').waitFor();
    }),
    'a new endpoint': async (page) => {
      endpoints += 1;
      await page.getByLabel('URL').fill(`http://127.0.0.1:9/${endpoints}/${'w'.repeat(200)}`);
      await page.getByRole('button', { name: 'Add the endpoint' }).click();
      await page.getByRole('heading', { name: 'The endpoint was added' }).waitFor();
    },
    'an endpoint whose test fails': variantOf('an endpoint', async (page) => {
      await page.getByRole('button', { name: 'I have saved it: send a test' }).click();
      await page.getByText('The test did not arrive').first().waitFor();
    }),
    'deleting an endpoint': variantOf('revoking a key', async (page) => {
      await page.getByRole('link', { name: 'Delete …' }).click();
      await page.getByRole('heading', { name: 'Delete this endpoint?' }).waitFor();
    }),
    'no endpoint any more': variantOf('nothing here', async (page) => {
      const gone = page.url().replace(/\/delete$/, '');
      await page.getByRole('button', { name: 'Delete the endpoint' }).click();
      await page.getByText('The endpoint was deleted.').waitFor();
      await page.goto(gone);
    }),
    'an endpoint': at(`${webhooks}/${endpointId}`),
    'a delivery': async (page) => {
      await page.getByRole('row').getByRole('link').first().click();
      await page.getByRole('heading', { name: 'Attempts' }).waitFor();
    },
    'an endpoint whose deliveries are filtered': variantOf(
      'an endpoint',
      at(`${webhooks}/${endpointId}?type=message.bounced&order=${'R'.repeat(64)}`),
    ),
    'another URL': at(`${webhooks}/${endpointId}/url`),
    'another URL that is refused': variantOf('another URL', async (page) => {
      await page.getByLabel('URL').fill('https://10.0.0.7/hooks');
      await page.getByRole('button', { name: 'Change the URL' }).click();
      await page.getByText('must be on the public internet').waitFor();
    }),
    'a new secret': at(`${webhooks}/${endpointId}/rotate`),
    'the new secret': variantOf('a new endpoint', async (page) => {
      await page.getByRole('button', { name: 'Make a new secret' }).click();
      await page.getByRole('heading', { name: 'The new secret' }).waitFor();
    }),
    'a replay': at(`${webhooks}/${endpointId}/replay?since=2020-01-01T00:00&only=all`),
    'no webhooks': variantOf('webhooks', at(`/dashboard/${quiet.businessId}/webhooks`)),
    connections: at(connections),
    'no connections': at(`/dashboard/${quiet.businessId}/connections`),
    'what to connect': at(`${connections}/new`),
    'a new connection': at(`${connections}/new/woocommerce`),
    'a connection that cannot be added': variantOf('a new connection', async (page) => {
      await page.goto(`${service.url}${connections}/new/woocommerce`);
      await page.getByText('Also read what was missed').click();
      await page.getByLabel('Consumer key').fill('W'.repeat(100));
      await page.getByRole('button', { name: 'Go on to the steps' }).click();
      await page.getByText('belong together').waitFor();
    }),
    'a connection that waits': async (page) => {
      await page.goto(`${service.url}${connections}/new/shopify`);
      await page.getByRole('button', { name: 'Go on to the steps' }).click();
      await page.getByText('Waiting for the first call').waitFor();
    },
    'a connection that watches': at(`${connections}/${connectionId}`),
    'switching to live': variantOf('revoking a key', at(`${connections}/${connectionId}/switch/live`)),
    'statuses of a store': at(`${connections}/${connectionId}/statuses`),
    'log of a connection': at(`${connections}/${connectionId}/log`),
    'no such call': variantOf('log of a connection', at(`${connections}/${connectionId}/log?order=none`)),
    'steps of a connection': variantOf('a connection that waits', at(`${connections}/${connectionId}/setup`)),
    'settings of a connection': at(`${connections}/${connectionId}/settings`),
    'another secret': at(`${connections}/${connectionId}/rotate`),
    'removing a connection': variantOf('revoking a key', at(`${connections}/${connectionId}/remove`)),
    'api keys': at(`/dashboard/${shop.businessId}/keys`),
    'a new key': async (page) => {
      await page.getByLabel('Name').fill('W'.repeat(120));
      await page.getByRole('button', { name: 'Create the key' }).click();
      await page.getByRole('heading', { name: 'Your new key' }).waitFor();
    },
    'revoking a key': async (page) => {
      await page.getByRole('link', { name: 'I have saved it' }).click();
      await page.getByRole('link', { name: 'Revoke First key …' }).click();
      await page.getByRole('heading', { name: 'Revoke this key?' }).waitFor();
    },
    'keys of a shop as a viewer': variantOf('api keys', at(`/dashboard/${quiet.businessId}/keys`)),
    settings: variantOf('settings with faults', at(`/dashboard/${shop.businessId}/settings`)),
    'settings with faults': async (page) => {
      // What a browser takes for an address.
      await page.getByLabel('Contact', { exact: true }).fill('owner@shop');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('This must be an email address').waitFor();
    },
    'a logo that is none': variantOf('settings with faults', async (page) => {
      await page
        .getByLabel('Upload a logo')
        .setInputFiles({ name: 'x.png', mimeType: 'image/png', buffer: Buffer.from('no image') });
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByText('A logo is a PNG or a JPEG image.').waitFor();
    }),
    'settings of a shop as a viewer': variantOf(
      'settings with faults',
      at(`/dashboard/${quiet.businessId}/settings`),
    ),
    channels: at(`/dashboard/${shop.businessId}/settings/channels`),
    'channels as a viewer': variantOf('channels', at(`/dashboard/${quiet.businessId}/settings/channels`)),
    texts: at(`/dashboard/${shop.businessId}/settings/channels/sms`),
    whatsapp: variantOf('texts', at(`/dashboard/${shop.businessId}/settings/channels/whatsapp`)),
    wording: at(`/dashboard/${shop.businessId}/settings/texts?language=et`),
    'wording with faults': variantOf('wording', async (page) => {
      await page.getByLabel(/Wait before SMS/).fill('1');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('This must be a whole number from 5').waitFor();
    }),
    'a text': at(`/dashboard/${shop.businessId}/settings/texts/shipped/et`),
    'a text with faults': async (page) => {
      await page.getByLabel('Subject').fill(`${'W'.repeat(300)} {{ order.number }}`);
      await page
        .getByLabel('Message', { exact: true })
        .fill(`Hello\n{{ ${'w'.repeat(200)} }}\n{{ shop.colour }}`);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText(/Message, line 2/).waitFor();
    },
    'a long text': variantOf('a text', async (page) => {
      await page.getByLabel('Message', { exact: true }).fill('W'.repeat(500));
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved. It holds').waitFor();
    }),
    'wording with a long subject': variantOf(
      'wording',
      at(`/dashboard/${shop.businessId}/settings/texts?language=et`),
    ),
    'going back to Waypost’s words': variantOf(
      'revoking a key',
      at(`/dashboard/${shop.businessId}/settings/texts/shipped/et/reset`),
    ),
    'wording as a viewer': variantOf('wording', at(`/dashboard/${quiet.businessId}/settings/texts`)),
    'a text as a viewer': at(`/dashboard/${quiet.businessId}/settings/texts/shipped/lv`),
    members: at(`/dashboard/${shop.businessId}/settings/members`),
    'a role': at(`/dashboard/${shop.businessId}/settings/members/${memberId}`),
    'leaving the shop': variantOf(
      'revoking a key',
      at(`/dashboard/${shop.businessId}/settings/members/${memberId}/remove`),
    ),
    'members as a viewer': variantOf('members', at(`/dashboard/${quiet.businessId}/settings/members`)),
    'audit log': at(`/dashboard/${shop.businessId}/settings/audit`),
    'nothing in the audit log': variantOf(
      'audit log',
      at(`/dashboard/${shop.businessId}/settings/audit?action=usage.rebuilt`),
    ),
    'adding a passkey': at('/dashboard/account/passkeys/new'),
    'signing in again': at('/dashboard/sign-in-again?to=/dashboard/account'),
    'nothing here': at(`/dashboard/${shop.businessId}/nothing`),
    'the menu': variantOf('a role', async (page) => {
      await at(`/dashboard/${shop.businessId}/settings/members/${memberId}`)(page);
      await page.locator('details.menu > summary').click();
    }),
  };
};

test('every page can be used by everyone, and none is wider than its screen', {
  timeout: SLOW_MS,
}, async () => {
  expect(await faultsOnPages(browser, 'dashboard', pages())).toEqual({});
});

test('without JavaScript a person signs in, finds a message and takes it back', async () => {
  const context = await browser.newProfile({ javaScriptEnabled: false, viewport: DESKTOP_SCREEN });
  const page = await context.newPage();
  const { id } = await shop.pushed({ recipient_email: 'plain@example.com', subject: 'To be retracted' });
  await page.goto(service.url + (await link()));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: /Kuusk/ }).click();
  await page.getByRole('link', { name: 'Messages', exact: true }).click();
  await page.getByLabel('Search the shop').fill('plain@example.com');
  await page.getByRole('button', { name: 'Search' }).click();
  expect(page.url()).not.toContain('plain');
  await page.getByRole('link', { name: 'To be retracted' }).click();
  await page.getByText('Retract the message …').click();
  await page.getByRole('button', { name: 'Retract it' }).click();
  await page.getByText('The message was retracted.', { exact: false }).first().waitFor();
  expect(JSON.parse((await shop.get(`/api/v1/messages/${id}`)).text).status).toBe('retracted');
  await context.close();
});

test('moments are shown in the viewer’s zone, with the exact one on hover', async () => {
  const context = await browser.newProfile({ timezoneId: 'Asia/Tokyo', locale: 'en-GB' });
  const page = await context.newPage();
  await signInProfile(context, service, memberId);
  await page.goto(`${service.url}/dashboard/${shop.businessId}/messages/${messageId}`);
  const moment = page.locator('time').first();
  const exact = (await moment.getAttribute('title')) ?? '';
  const shown = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'Asia/Tokyo',
  }).format(new Date(exact));
  expect(exact).toMatch(/Z$/);
  expect(await moment.textContent()).toBe(shown);
  await context.close();
});

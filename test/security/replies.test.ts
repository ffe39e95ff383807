import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openConsole } from '../cli/console.ts';
import {
  completeErasure,
  type ErasureService,
  freshNumber,
  startErasureService,
} from '../erasure/erasureService.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { capturedMessages } from '../support/waiting.ts';

/** A WhatsApp reply reaches a shop that wrote to the number, and no other: not its records, webhooks, mail or acknowledgements. */
let world: ErasureService;
beforeAll(async () => {
  world = await startErasureService();
});
afterAll(async () => {
  await world.close();
  expect(world.loggedErrors()).toEqual([]);
});

const ANN = 'ann@example.com';
const BOB = 'bob@example.com';
const CANARY = 'My door code is 4711';
const at = (email: string): string => `/api/v1/recipients/${email}`;

let opened = 0;
async function openShop(): Promise<Shop> {
  opened += 1;
  const shop = await world.business({
    smsMode: 'on_request',
    whatsappMode: 'on_request',
    credits: 50,
    contactEmail: contactOf(opened),
  });
  contacts.set(shop.businessId, contactOf(opened));
  await world.change(shop, { replyForward: 'full' });
  await world.addEndpoint(shop);
  return shop;
}
const contacts = new Map<string, string>();
const contactOf = (shop: number): string => `owner-${shop}@shop.example`;

async function writes(shop: Shop, phone: string, email = ANN): Promise<string> {
  const { id, whatsapp } = await shop.pushed({
    recipient_email: email,
    recipient_phone: phone,
    channels: ['whatsapp'],
    whatsapp_opt_in: { source: 'checkout' },
    reference: 'A-1001',
    order_status: 'shipped',
  });
  expect(whatsapp).toMatchObject({ queued: true });
  await world.advance({ minutes: 1 });
  return id;
}

/** An email is all that it sends; the number is only stored. */
const stores = (shop: Shop, phone: string, email = ANN) =>
  shop.pushed({ recipient_email: email, recipient_phone: phone, channels: ['email'] });

/** The person writes to a sender of the shop's own. */
async function repliesTo(shop: Shop, phone: string): Promise<void> {
  const { status } = await fetch(`${world.url}/sandbox/whatsapp/inbound`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ from: phone, body: CANARY, business_id: shop.businessId }),
  });
  expect(status).toBe(200);
}

interface Received {
  records: { body: string; message_id: string | null; email: string }[];
  webhooks: string[];
  mails: number;
  acknowledgements: number;
}

const NOTHING: Received = { records: [], webhooks: [], mails: 0, acknowledgements: 0 };

/** Everything that a shop got of replies from a number, by every way there is. */
async function receivedBy(shop: Shop, phone: string): Promise<Received> {
  await world.advance({ minutes: 1 });
  const captured = await capturedMessages(world.url, { to: phone, channel: 'whatsapp' });
  const mail = await capturedMessages(world.url, { to: contacts.get(shop.businessId) ?? '' });
  return {
    records: await world.rows(
      `select w.body, w.message_id, r.email from whatsapp_replies w
       join recipients r on r.business_id = w.business_id and r.id = w.recipient_id
       where w.business_id = $1 order by w.id`,
      shop.businessId,
    ),
    webhooks: world
      .eventsSentTo(shop)
      .filter(({ type }) => type === 'whatsapp.inbound_message')
      .map(({ data }) => String(data.body)),
    mails: mail.length,
    acknowledgements: captured.filter(
      ({ business_id, template }) => business_id === shop.businessId && template === null,
    ).length,
  };
}

const got = (message_id: string | null, email = ANN): Received => ({
  records: [{ body: CANARY, message_id, email }],
  webhooks: [CANARY],
  mails: 1,
  acknowledgements: 1,
});

/** The ways in which a shop that wrote to a number can let go of it. */
const LETTING_GO: [string, (shop: Shop) => Promise<unknown>][] = [
  ['clears the number', async (shop) => expectStatus(200, await shop.delete(`${at(ANN)}/phone`))],
  [
    'gives the person another number',
    async (shop) => expectStatus(200, await shop.put(`${at(ANN)}/phone`, { phone: freshNumber() })),
  ],
  ['erases the person', (shop) => completeErasure(shop, ANN)],
];

describe('a shop that only stores a number gets no reply from it', () => {
  test.each(LETTING_GO)('when the shop that wrote %s', async (_how, letGo) => {
    const [wrote, stored] = [await openShop(), await openShop()];
    const phone = freshNumber();
    await writes(wrote, phone);
    await stores(stored, phone);
    await letGo(wrote);
    await world.receiveWhatsapp(phone, CANARY);
    expect(await receivedBy(stored, phone)).toEqual(NOTHING);
    expect(await receivedBy(wrote, phone)).toEqual(NOTHING);
  });

  test('when nobody ever wrote to it', async () => {
    const shop = await openShop();
    const phone = freshNumber();
    await stores(shop, phone);
    await world.receiveWhatsapp(phone, CANARY);
    expect(await receivedBy(shop, phone)).toEqual(NOTHING);
  });

  test('when it claims consent, has texted the number, or has written to another number of the person', async () => {
    const shop = await openShop();
    const [before, phone] = [freshNumber(), freshNumber()];
    await writes(shop, before);
    await shop.pushed({
      recipient_phone: phone,
      channels: ['sms'],
      whatsapp_opt_in: { source: 'checkout' },
    });
    await world.advance({ minutes: 1 });
    await world.receiveWhatsapp(phone, CANARY);
    expect(await receivedBy(shop, phone)).toEqual(NOTHING);
  });

  test.each([
    ['has not left yet, and never does', '+447700949007'],
    ['was refused', '+447700949001'],
    ['could not be delivered there, since the number is not on WhatsApp', '+447700949005'],
  ])('when its message %s', async (_what, phone) => {
    const shop = await openShop();
    await writes(shop, phone);
    await world.receiveWhatsapp(phone, CANARY);
    expect(await receivedBy(shop, phone)).toEqual(NOTHING);
    await world.advance({ hours: 1 });
    await world.receiveWhatsapp(phone, CANARY);
    expect(await receivedBy(shop, phone)).toEqual(NOTHING);
  });

  test('also when the reply names the shop, as one to a sender of its own does', async () => {
    const shop = await openShop();
    const phone = freshNumber();
    await stores(shop, phone);
    await repliesTo(shop, phone);
    expect(await receivedBy(shop, phone)).toEqual(NOTHING);
  });

  test('but a STOP from it counts there', async () => {
    const [wrote, stored] = [await openShop(), await openShop()];
    const phone = freshNumber();
    await writes(wrote, phone);
    await stores(stored, phone);
    await world.receiveWhatsapp(phone, 'Stop');
    expect((await receivedBy(stored, phone)).records).toEqual([]);
    expect((await receivedBy(wrote, phone)).webhooks).toEqual(['Stop']);
    const status = 'select whatsapp_status from recipients where business_id = $1';
    expect(await world.rows(status, stored.businessId)).toEqual([{ whatsapp_status: 'stopped' }]);
  });
});

describe('a reply goes', () => {
  test('to a shop with consent when it was sent to a sender of the shop’s own', async () => {
    const shop = await openShop();
    const phone = freshNumber();
    await shop.pushed({ recipient_phone: phone, whatsapp_opt_in: { source: 'checkout' } });
    await repliesTo(shop, phone);
    expect((await receivedBy(shop, phone)).webhooks).toEqual([CANARY]);
  });

  test('to the shop that wrote, also if another shop has the number', async () => {
    const [stored, wrote] = [await openShop(), await openShop()];
    const phone = freshNumber();
    await stores(stored, phone);
    const id = await writes(wrote, phone);
    await world.receiveWhatsapp(phone, CANARY);
    expect(await receivedBy(wrote, phone)).toEqual(got(id));
    expect(await receivedBy(stored, phone)).toEqual(NOTHING);
  });

  test('to the one that wrote last, of those that still hold the number', async () => {
    const [first, second] = [await openShop(), await openShop()];
    const phone = freshNumber();
    const earlier = await writes(first, phone);
    const later = await writes(second, phone);
    await world.receiveWhatsapp(phone, CANARY);
    expect(await receivedBy(second, phone)).toEqual(got(later));
    expect(await receivedBy(first, phone)).toEqual(NOTHING);
    await completeErasure(second, ANN);
    await world.receiveWhatsapp(phone, CANARY);
    expect(await receivedBy(first, phone)).toEqual(got(earlier));
  });

  test('to a shop whose message may have arrived, since nobody knows what became of it', async () => {
    const shop = await openShop();
    const phone = '+447700949002';
    const id = await writes(shop, phone);
    await world.receiveWhatsapp(phone, CANARY);
    expect(await receivedBy(shop, phone)).toMatchObject({ ...got(id), acknowledgements: 1 });
  });

  test('to a shop that cleared the number and has it again, whose message it was', async () => {
    const shop = await openShop();
    const phone = freshNumber();
    const id = await writes(shop, phone);
    expectStatus(200, await shop.delete(`${at(ANN)}/phone`));
    await stores(shop, phone);
    await world.receiveWhatsapp(phone, CANARY);
    expect(await receivedBy(shop, phone)).toEqual(got(id));
  });

  test('to the recipient who has the number now, without the message of the one who had it', async () => {
    const shop = await openShop();
    const phone = freshNumber();
    await writes(shop, phone);
    expectStatus(200, await shop.delete(`${at(ANN)}/phone`));
    await stores(shop, phone, BOB);
    await world.receiveWhatsapp(phone, CANARY);
    expect(await receivedBy(shop, phone)).toEqual(got(null, BOB));
  });

  test('not to a shop that erased the person and stores the number anew, until it writes again', async () => {
    const shop = await openShop();
    const phone = freshNumber();
    await writes(shop, phone);
    await completeErasure(shop, ANN);
    await stores(shop, phone);
    await world.receiveWhatsapp(phone, CANARY);
    expect(await receivedBy(shop, phone)).toEqual(NOTHING);
    const id = await writes(shop, phone);
    await world.receiveWhatsapp(phone, CANARY);
    expect(await receivedBy(shop, phone)).toEqual(got(id));
  });

  test('not to a shop with a sender of its own when it was the shared one that was written to', async () => {
    const [own, shared] = [await openShop(), await openShop()];
    const phone = freshNumber();
    await openConsole(world.database.url).json('sender', 'set', own.businessId, 'whatsapp', '+447700900777');
    const id = await writes(shared, phone);
    await writes(own, phone);
    await world.receiveWhatsapp(phone, CANARY);
    expect(await receivedBy(own, phone)).toEqual(NOTHING);
    expect(await receivedBy(shared, phone)).toEqual(got(id));
  });
});

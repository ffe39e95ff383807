import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openConsole } from '../cli/console.ts';
import {
  completeErasure,
  type ErasureService,
  freshNumber,
  startErasureService,
} from '../erasure/erasureService.ts';
import { expectStatus, type Shop } from '../support/shop.ts';

/** A STOP counts for every shop that holds the number or has messaged it, and waits there for the number's return. */
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
const CHANNELS = ['sms', 'whatsapp'] as const;
type PaidChannel = (typeof CHANNELS)[number];
const at = (email: string): string => `/api/v1/recipients/${email}`;

const openShop = (): Promise<Shop> =>
  world.business({ smsMode: 'on_request', whatsappMode: 'on_request', credits: 50 });

const asking = (channel: PaidChannel, phone: string, email = ANN) => ({
  recipient_email: email,
  recipient_phone: phone,
  channels: [channel],
  whatsapp_opt_in: { source: 'checkout' },
  reference: 'A-1001',
  order_status: 'shipped',
});

async function writes(shop: Shop, channel: PaidChannel, phone: string): Promise<void> {
  expect((await shop.pushed(asking(channel, phone)))[channel]).toMatchObject({ queued: true });
  await world.advance({ minutes: 1 });
}

/** Only stores the number: all that it sends is an email. */
const stores = (shop: Shop, phone: string, email = ANN) =>
  shop.pushed({ recipient_email: email, recipient_phone: phone, channels: ['email'] });

async function says(channel: PaidChannel, from: string, body: string, shop?: Shop): Promise<void> {
  const { status } = await fetch(`${world.url}/sandbox/${channel}/inbound`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ from, body, ...(shop && { business_id: shop.businessId }) }),
  });
  expect(status).toBe(200);
}

const outcome = async (shop: Shop, channel: PaidChannel, phone: string, email = ANN) => {
  const block = (await shop.pushed(asking(channel, phone, email)))[channel];
  return block?.queued ? 'queued' : block?.skipped_reason;
};

/** The ways in which a shop that wrote to a number can let go of it. */
const LETTING_GO: [string, (shop: Shop, phone: string) => Promise<unknown>][] = [
  ['is cleared', async (shop) => expectStatus(200, await shop.delete(`${at(ANN)}/phone`))],
  [
    'is changed',
    async (shop) => expectStatus(200, await shop.put(`${at(ANN)}/phone`, { phone: freshNumber() })),
  ],
  ['is changed by a push', (shop) => shop.pushed({ recipient_phone: freshNumber(), channels: ['email'] })],
  [
    'is given to another person and cleared there',
    async (shop, phone) => {
      expectStatus(200, await shop.delete(`${at(ANN)}/phone`));
      await stores(shop, phone, BOB);
      expectStatus(200, await shop.delete(`${at(BOB)}/phone`));
    },
  ],
  ['is erased', (shop) => completeErasure(shop, ANN)],
  [
    'is cleared and then erased',
    async (shop) => {
      expectStatus(200, await shop.delete(`${at(ANN)}/phone`));
      await completeErasure(shop, ANN);
    },
  ],
];

describe.each(CHANNELS)('on %s', (channel) => {
  describe.each(LETTING_GO)('a STOP that comes when the number %s', (_how, letGo) => {
    test.each([
      ['the same person', ANN],
      ['another person', 'carol@example.com'],
    ])('is in force when %s brings the number again with an opt-in', async (_who, email) => {
      const shop = await openShop();
      const phone = freshNumber();
      await writes(shop, channel, phone);
      await letGo(shop, phone);
      await says(channel, phone, 'STOP');
      expect(await outcome(shop, channel, phone, email)).toBe('stopped');
    });

    test('stays in force through an erasure of who brought it', async () => {
      const shop = await openShop();
      const phone = freshNumber();
      await writes(shop, channel, phone);
      await letGo(shop, phone);
      await says(channel, phone, 'STOP');
      expect(await outcome(shop, channel, phone, BOB)).toBe('stopped');
      expect(await completeErasure(shop, BOB)).toMatchObject({ stops_kept: 1 });
      expect(await outcome(shop, channel, phone)).toBe('stopped');
    });
  });

  test('a STOP applies to the current holder of the number, and also to a former one', async () => {
    const shop = await openShop();
    const phone = freshNumber();
    await writes(shop, channel, phone);
    expectStatus(200, await shop.delete(`${at(ANN)}/phone`));
    await stores(shop, phone, BOB);
    await says(channel, phone, 'STOP');
    expect(await outcome(shop, channel, phone, BOB)).toBe('stopped');
    expectStatus(200, await shop.delete(`${at(BOB)}/phone`));
    expect(await outcome(shop, channel, phone)).toBe('stopped');
  });

  test('a STOP counts for every shop that holds the number or messaged it, and for no other', async () => {
    const [holds, wrote, wroteOtherwise, stranger, forgot] = [
      await openShop(),
      await openShop(),
      await openShop(),
      await openShop(),
      await openShop(),
    ];
    const phone = freshNumber();
    await stores(holds, phone);
    await writes(wrote, channel, phone);
    expectStatus(200, await wrote.delete(`${at(ANN)}/phone`));
    await writes(wroteOtherwise, channel === 'sms' ? 'whatsapp' : 'sms', phone);
    await completeErasure(wroteOtherwise, ANN);
    await stores(forgot, phone);
    expectStatus(200, await forgot.delete(`${at(ANN)}/phone`));
    await says(channel, phone, 'STOP');
    const outcomes = [];
    for (const shop of [holds, wrote, wroteOtherwise, stranger, forgot])
      outcomes.push(await outcome(shop, channel, phone));
    expect(outcomes).toEqual(['stopped', 'stopped', 'stopped', 'queued', 'queued']);
  });

  test('a STOP to the shared sender does not concern a shop that writes from its own, nor the other way round', async () => {
    const [own, shared] = [await openShop(), await openShop()];
    const phone = freshNumber();
    const address = '+447700900777';
    await openConsole(world.database.url).json('sender', 'set', own.businessId, channel, address);
    for (const shop of [own, shared]) {
      await writes(shop, channel, phone);
      expectStatus(200, await shop.delete(`${at(ANN)}/phone`));
    }
    await says(channel, phone, 'STOP');
    expect(await outcome(own, channel, phone)).toBe('queued');
    expect(await outcome(shared, channel, phone)).toBe('stopped');
    await completeErasure(own, ANN);
    await says(channel, phone, 'STOP', own);
    expect(await outcome(own, channel, phone)).toBe('stopped');
  });
});

describe('START', () => {
  test.each(LETTING_GO)('lifts a texted STOP that waits for a number that %s', async (_how, letGo) => {
    const shop = await openShop();
    const phone = freshNumber();
    await writes(shop, 'sms', phone);
    await letGo(shop, phone);
    await says('sms', phone, 'STOP');
    await says('sms', phone, 'START');
    expect(await outcome(shop, 'sms', phone, BOB)).toBe('queued');
  });

  test('lifts no STOP that an operator noted, whether or not somebody has the number', async () => {
    const shop = await openShop();
    const phone = freshNumber();
    await writes(shop, 'sms', phone);
    const operator = openConsole(world.database.url, { SECRET_KEY: world.secretKey });
    await operator.json('recipient', 'stop', shop.businessId, ANN, '--channel', 'sms');
    await completeErasure(shop, ANN);
    await says('sms', phone, 'STOP');
    await says('sms', phone, 'START');
    expect(await outcome(shop, 'sms', phone)).toBe('stopped');
  });

  test('does not lift the STOP of a person who has another number now', async () => {
    const shop = await openShop();
    const [before, now] = [freshNumber(), freshNumber()];
    await writes(shop, 'sms', before);
    await says('sms', before, 'STOP');
    expectStatus(200, await shop.put(`${at(ANN)}/phone`, { phone: now }));
    await says('sms', before, 'START');
    expect(await outcome(shop, 'sms', now)).toBe('stopped');
  });

  test('lifts nothing on WhatsApp', async () => {
    const shop = await openShop();
    const phone = freshNumber();
    await writes(shop, 'whatsapp', phone);
    expectStatus(200, await shop.delete(`${at(ANN)}/phone`));
    await says('whatsapp', phone, 'STOP');
    await says('whatsapp', phone, 'START');
    await says('sms', phone, 'START');
    expect(await outcome(shop, 'whatsapp', phone)).toBe('stopped');
  });
});

test('what is kept of a number after an erasure names neither number nor moment', async () => {
  const shop = await openShop();
  const phone = freshNumber();
  await writes(shop, 'sms', phone);
  const kept = () =>
    world.rows(
      `select channel, encode(number_hash, 'hex') as hash, submitted_at from messaged_numbers where business_id = $1`,
      shop.businessId,
    );
  const hash = world.hash.hex('phone', phone);
  expect(await kept()).toEqual([{ channel: 'sms', hash, submitted_at: expect.any(Date) }]);
  await completeErasure(shop, ANN);
  expect(await kept()).toEqual([{ channel: 'sms', hash, submitted_at: null }]);
});

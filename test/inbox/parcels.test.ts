import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/kit/clock.ts';
import { browserTest, openBrowser, type TestBrowser } from '../support/browser.ts';
import { decoded } from '../support/markup.ts';
import {
  type InboxRecipient,
  type InboxServer,
  type ShipmentOptions,
  signInToInbox,
  startInboxServer,
} from './inboxServer.ts';

/* An order as its customer sees it: where it is, when it comes, and what its parcels passed. */

let shop: InboxServer;
let browser: TestBrowser;
beforeAll(async () => {
  [shop, browser] = await Promise.all([startInboxServer(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await shop.close();
});

const ago = (milliseconds: number) => new Date(shop.now().getTime() - milliseconds);
const dayAhead = (days: number): string =>
  ago(-days * DAY)
    .toISOString()
    .slice(0, 10);

async function customerOf(
  orderStatus: string | null,
  ...shipments: readonly ShipmentOptions[]
): Promise<InboxRecipient> {
  const person = await (await shop.business()).recipient();
  await person.message({ subject: 'News', reference: '#1', orderStatus, opened: true });
  shop.advance(MINUTE);
  for (const shipment of shipments) await person.shipment('#1', shipment);
  return person;
}

const inboxOf = async (person: InboxRecipient): Promise<string> =>
  (await (await signInToInbox(shop, await person.link(null))).get('/inbox')).body;

/** What a page says, without its markup. */
const said = (page: string): string =>
  decoded(page.replace(/<(\w+)[^>]*>|<\/\w+>/g, ' ')).replace(/\s+/g, ' ');
const stepsIn = (page: string) => ({
  reached: [...page.matchAll(/<li class="reached"[^>]*><span>([^<]*)/g)].map(([, step]) => step),
  ahead: [...page.matchAll(/<li class="ahead"[^>]*><span>([^<]*)/g)].map(([, step]) => step),
});
const SMALLEST_PHONE = { width: 320, height: 568 };
const FOLLOW = /<a class="button follow" href="([^"]*)"/g;

describe('the order as steps', () => {
  test.each<[string | null, string, string[], string[]]>([
    ['confirmed', 'is confirmed', ['Confirmed'], ['Shipped', 'In transit', 'Out for delivery', 'Delivered']],
    ['shipped', 'has shipped', ['Confirmed', 'Shipped'], ['In transit', 'Out for delivery', 'Delivered']],
    [
      'delivered',
      'has been delivered',
      ['Confirmed', 'Shipped', 'In transit', 'Out for delivery', 'Delivered'],
      [],
    ],
    ['ready_for_pickup', 'is ready for pickup', ['Confirmed', 'Ready for pickup'], ['Delivered']],
    ['cancelled', 'has been cancelled', ['Cancelled'], []],
    ['refunded', 'has been refunded', ['Refunded'], []],
    ['delayed', 'is delayed', [], []],
  ])('of a message that says %s', async (status, sentence, reached, ahead) => {
    const page = await inboxOf(await customerOf(status));
    expect(said(page)).toContain(`Your order ${sentence}.`);
    expect(stepsIn(page)).toEqual({ reached, ahead });
  });

  test.each<[string, string, number]>([
    ['label_created', 'Your order has shipped.', 2],
    ['picked_up', 'Your order has shipped.', 2],
    ['in_transit', 'Your order is on its way.', 3],
    ['out_for_delivery', 'Your order is out for delivery.', 4],
    ['delivery_attempted', 'Your order could not be delivered.', 4],
    ['available_for_pickup', 'Your order is ready for pickup.', 2],
    ['delivered', 'Your order has been delivered.', 5],
    ['delayed', 'Your order is delayed.', 1],
    ['exception', 'Your order is delayed.', 1],
    ['returned', 'Returned to the sender.', 2],
  ])('moves with what the carrier reports: %s', async (status, sentence, reached) => {
    const person = await customerOf('confirmed', { events: [{ status, at: ago(-MINUTE) }] });
    const page = await inboxOf(person);
    expect(said(page)).toContain(sentence);
    expect(stepsIn(page).reached).toHaveLength(reached);
  });
});

describe('a parcel in the inbox', () => {
  test('has its expected days, carrier, number and a button that tells the carrier nothing of the inbox', async () => {
    const trackingUrl = 'https://track.example/?n=1&m="2"';
    const person = await customerOf('shipped', {
      carrier: 'Omniva',
      trackingNumber: 'CC 1',
      trackingUrl,
      expectedOn: dayAhead(-1),
      expectedUntil: dayAhead(0),
    });
    const page = await inboxOf(person);
    const today = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' });
    expect(said(page)).toMatch(new RegExp(`Expected delivery \\w+ ${today.format(ago(0))}`));
    expect(said(page)).toContain('Carrier Omniva');
    expect(said(page)).toContain('Tracking number CC 1');
    expect([...page.matchAll(FOLLOW)].map(([, href]) => decoded(href ?? ''))).toEqual([trackingUrl]);
    expect(page).toMatch(/class="button follow"[^>]* rel="noopener noreferrer nofollow"/);
  });

  test('does not say when it comes once the day has passed or it has come', async () => {
    const past = await customerOf('shipped', { expectedOn: dayAhead(-1) });
    const come = await Promise.all(
      ['delivered', 'available_for_pickup'].map((status) =>
        customerOf('shipped', { expectedOn: dayAhead(2), events: [{ status, at: ago(0) }] }),
      ),
    );
    for (const person of [past, ...come]) expect(await inboxOf(person)).not.toContain('Expected');
  });

  test('has its events from the newest, each with its place and words, the older ones folded', async () => {
    const person = await customerOf('shipped', {
      events: Array.from({ length: 40 }, (_, n) => ({
        status: n === 39 ? 'picked_up' : 'in_transit',
        at: ago(n * HOUR),
        location: `Place ${n}.`,
        description: `Scan ${n}.`,
      })).reverse(),
    });
    const page = await inboxOf(person);
    expect([...said(page).matchAll(/Place (\d+)\./g)].map(([, n]) => Number(n))).toEqual(
      Array.from({ length: 40 }, (_, n) => n),
    );
    expect(said(page)).toMatch(
      /Latest news Place 0\. In transit [^.]* Scan 0\. .*Earlier \(39\) In transit Place 1\./,
    );
    expect(said(page)).toMatch(/Picked up by the carrier Place 39\. [^.]* Scan 39\./);
    expect(page).toMatch(/<details class="history" id="[^"]+-history">/);
  });

  test('stands with the others of its order in the order in which they were named, and with no other order', async () => {
    const person = await customerOf('shipped', { trackingNumber: 'ZZ' }, { trackingNumber: 'AA' });
    await person.message({ reference: '#2', opened: true });
    await person.shipment('#2', { trackingNumber: 'OTHER' });
    await (await (await shop.business()).recipient()).shipment('#1', { trackingNumber: 'FOREIGN' });
    const page = said(await inboxOf(person));
    expect(page).toMatch(/#2.*OTHER.*#1.*Parcel 1 of 2.*ZZ.*Parcel 2 of 2.*AA/);
    expect(page).not.toContain('FOREIGN');
  });

  test('shows what a carrier wrote as text', async () => {
    const hostile = `</dd></details><script>alert(1)</script><a href="https://evil.example">"'&amp;`;
    const person = await customerOf('shipped', {
      carrier: hostile.slice(0, 60),
      events: [
        { status: 'in_transit', at: ago(0), location: hostile, description: hostile },
        { status: 'picked_up', at: ago(HOUR), location: hostile, description: hostile },
      ],
    });
    const page = await inboxOf(person);
    expect(page).not.toMatch(/<script>|href="https:\/\/evil/);
    expect(page.match(/<\/details>/g)).toHaveLength(2);
    expect(decoded(page).split(hostile)).toHaveLength(5);
  });

  browserTest(
    'answers when and where on the smallest phone to who comes for its message, without scrolling and without a script',
    async () => {
      const person = await customerOf('confirmed', {
        carrier: 'Omniva',
        trackingUrl: 'https://track.example/1',
        expectedOn: dayAhead(1),
        events: [{ status: 'out_for_delivery', at: ago(-MINUTE), location: 'Tallinn' }],
      });
      const news = await person.message({
        subject: 'Out today',
        reference: '#1',
        body: 'It is.\n'.repeat(40),
      });
      const context = await browser.newProfile({ javaScriptEnabled: false, viewport: SMALLEST_PHONE });
      const page = await context.newPage();
      await page.goto(`${shop.url}/i/${await person.link(news)}`);
      await page.getByRole('button', { name: 'Open my inbox' }).click();
      const isOnScreen = async (text: string) => {
        const box = await page.getByText(text, { exact: true }).last().boundingBox();
        return box !== null && box.y >= 0 && box.y + box.height < SMALLEST_PHONE.height;
      };
      for (const text of [
        'Your order is out for delivery.',
        'Delivered',
        'Expected delivery',
        'Tallinn',
        'Follow your parcel',
      ])
        expect({ [text]: await isOnScreen(text) }).toEqual({ [text]: true });
      await context.close();
    },
  );

  browserTest('is brought up to date in an open inbox, and an unfolded history stays so', async () => {
    const person = await customerOf('shipped', {
      events: [
        { status: 'in_transit', at: ago(HOUR), location: 'Tartu' },
        { status: 'picked_up', at: ago(2 * HOUR), location: 'Riga' },
      ],
    });
    const context = await browser.newProfile({});
    const page = await context.newPage();
    await page.goto(`${shop.url}/i/${await person.link(null)}`);
    await page.getByText('Earlier (1)').click();
    await page.getByText('Riga').waitFor();
    const [row] = await shop.rows(
      'select tracking_number from shipments where business_id = $1',
      person.businessId,
    );
    await shop.rows(
      `insert into tracking_events (business_id, reference, tracking_number, status, at, id, location, received_at)
       values ($1, '#1', $2, 'out_for_delivery', $3, 'z', 'Tallinn', $3)`,
      ...[person.businessId, row?.tracking_number, shop.now()],
    );
    await shop.rows(
      'update shipments set updated_at = $2 where business_id = $1',
      person.businessId,
      ago(-1_000),
    );
    await page.getByText('Your order is out for delivery.').waitFor();
    await page.getByText('Earlier (2)').waitFor();
    expect(await page.getByText('Riga').isVisible()).toBe(true);
    await context.close();
  });
});

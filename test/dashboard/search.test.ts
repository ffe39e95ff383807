import { afterAll, beforeAll, expect, test } from 'vitest';
import { AFTER_EVERY_ID } from '../../src/kit/ids.ts';
import { indexSegment } from '../../src/search/indexer.ts';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { csrfIn, joinShop, type MemberBrowser, type ReadPage, searchIn, signedIn } from './memberBrowser.ts';

let service: TestService;
let shop: Shop;
let browser: MemberBrowser;
let memberId: string;
beforeAll(async () => {
  service = await startService();
  shop = await service.business({ name: 'Acme Books', credits: 100 });
  memberId = (await joinShop(service, shop.businessId, 'support@shop.example', 'viewer')).id;
  browser = await signedIn(service, memberId);
});
afterAll(() => service.close());

const list = (at: Shop = shop): string => `/dashboard/${at.businessId}/messages`;
const search = (text: string, at: Shop = shop): Promise<ReadPage> => searchIn(browser, at, text);
/** All messages that a search text finds. */
const allMessages = async (text: string, at: Shop = shop): Promise<string> =>
  ((await search(text, at)).location ?? '').replace('/search?', '/messages?');
const listed = ({ text }: ReadPage): string[] =>
  [...text.matchAll(/id="m-[^"]*" href="[^"]*\/messages\/([a-z0-9]+)"/g)].map(([, id = '']) => id);
/** The messages that a search text leads to. */
const found = async (text: string, at: Shop = shop): Promise<string[]> => listed(await search(text, at));
/** Indexes everything, as the background step does once messages are some minutes old. */
const index = (at: Shop = shop): Promise<number> => indexSegment(service.pool, at.businessId, AFTER_EVERY_ID);
const wordsStored = async (at: Shop): Promise<string[]> => {
  const { rows } = await service.pool.query<{ word: string }>(
    'select distinct word from subject_words where business_id = $1 order by word',
    [at.businessId],
  );
  return rows.map(({ word }) => word);
};

test('messages are found by words of their subject, indexed or not, newest first', async () => {
  const mug = await shop.pushed({ subject: 'Your Blue MUG has shipped' });
  const socks = await shop.pushed({ subject: 'Sinised sokid: mänty, blue' });
  const check = async () => {
    expect(await found('blue')).toEqual([socks.id, mug.id]);
    expect(await found('mug blue')).toEqual([mug.id]);
    expect(await found('MANTY')).toEqual([socks.id]);
    expect((await search('mug sokid')).text).toContain('Nothing was found for “mug sokid”');
    expect(await found('mu')).toEqual([mug.id]);
    expect(await found('bl m')).toEqual([socks.id, mug.id]);
    expect((await search('ug')).text).toContain('Nothing was found');
  };
  await check();
  expect(await index()).toBe(2);
  await check();
  // Some indexed, some not yet.
  const newest = await shop.pushed({ subject: 'A blue lamp' });
  expect(await found('blue')).toEqual([newest.id, socks.id, mug.id]);
});

test('what was searched for is on the page and not in its address', async () => {
  await shop.pushed({ subject: 'For Mari Maasikas' });
  const { location, text } = await search('maasikas');
  expect(location).not.toMatch(/maasikas/i);
  expect(text).toContain('Search for “maasikas”');
  expect(text).toContain('value="maasikas"');
  expect((await browser.get(await allMessages('maasikas'))).text).toContain('Messages with “maasikas”');
  const other = await service.business();
  await joinShop(service, other.businessId, 'support@shop.example', 'viewer');
  expect((await browser.get((location ?? '').replace(shop.businessId, other.businessId))).status).toBe(404);
});

test('a search leads through its pages, each message once, over many segments', async () => {
  const many = await service.business();
  await joinShop(service, many.businessId, 'support@shop.example', 'viewer');
  const ids: string[] = [];
  for (let batch = 0; batch < 6; batch += 1) {
    for (let count = 0; count < 10; count += 1)
      ids.unshift((await many.pushed({ subject: `Parcel ${batch} ${count % 2 === 0 ? 'even' : 'odd'}` })).id);
    if (batch < 5) await index(many);
  }
  const walk = async (text: string): Promise<string[]> => {
    let location: string | null = await allMessages(text, many);
    const seen: string[] = [];
    while (location !== null) {
      const page: ReadPage = await browser.get(location);
      seen.push(...listed(page));
      location = /href="([^"]+)">Older messages/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? null;
    }
    return seen;
  };
  expect(await walk('parcel')).toEqual(ids);
  expect(await walk('even parcel')).toEqual(ids.filter((_, place) => place % 2 === 1));
});

test('no search shows an erased message, and its words are gone from the index', async () => {
  const small = await service.business();
  await joinShop(service, small.businessId, 'support@shop.example', 'viewer');
  const kept = await small.pushed({ subject: 'Tere Peeter', recipient_email: 'kept@example.com' });
  await small.pushed({ subject: 'Tere Mari', recipient_email: 'gone@example.com' });
  await index(small);
  await small.pushed({ subject: 'Tere jälle Mari', recipient_email: 'gone@example.com' });
  expectStatus(200, await small.post('/api/v1/recipients/gone%40example.com/erase'));
  expect((await search('mari', small)).text).toContain('Nothing was found');
  expect(await found('tere', small)).toEqual([kept.id]);
  expect(await wordsStored(small)).toEqual(['peeter', 'tere']);
});

test('another shop’s subjects are not found', async () => {
  const elsewhere = await service.business();
  await elsewhere.pushed({ subject: 'Kosmoselaev' });
  expect((await search('kosmoselaev')).text).toContain('Nothing was found');
  await index(elsewhere);
  expect((await search('kosmoselaev')).text).toContain('Nothing was found');
});

test('the list is filtered by what became of each channel, by order, status and day, in any combination', async () => {
  const busy = await service.business({ credits: 100 });
  await joinShop(service, busy.businessId, 'support@shop.example', 'viewer');
  const bounced = await busy.pushed({ recipient_email: 'bounce@example.com', order_status: 'shipped' });
  const texted = await busy.pushed({
    recipient_email: 'texted@example.com',
    recipient_phone: PHONE_NUMBER,
    channels: ['email', 'sms'],
    order_status: 'shipped',
  });
  const taken = await busy.pushed({ recipient_email: 'bounce@example.com', order_status: 'delayed' });
  await busy.post(`/api/v1/messages/${taken.id}/retract`);
  await eventually(async () => {
    const delivery = async (id: string) =>
      JSON.parse((await busy.get(`/api/v1/messages/${id}`)).text).delivery;
    expect(await delivery(bounced.id)).toMatchObject({ bounced: true });
    expect(await delivery(texted.id)).toMatchObject({ delivered: true, sms: { status: 'delivered' } });
  });
  const only = async (query: string): Promise<string[]> =>
    listed(await browser.get(`${list(busy)}?${query}`));
  expect(await only('email=bounced&status=active')).toEqual([bounced.id]);
  expect(await only('email=delivered')).toEqual([texted.id]);
  expect(await only('sms=delivered')).toEqual([texted.id]);
  expect(await only('sms=none&order_status=shipped')).toEqual([bounced.id]);
  expect(await only('order_status=shipped')).toEqual([texted.id, bounced.id]);
  expect(await only('status=retracted&order_status=delayed')).toEqual([taken.id]);
  expect(await only('whatsapp=delivered')).toEqual([]);
  const today = service.clock.now().toISOString().slice(0, 10);
  expect(await only(`from=${today}&to=${today}`)).toHaveLength(3);
  expect(await only('to=2020-01-01')).toEqual([]);
  expect(await only('from=nonsense&email=nonsense')).toHaveLength(3);
});

test('what is found is a file of all its messages, and no cell of it is a formula', async () => {
  const filed = await service.business();
  await joinShop(service, filed.businessId, 'support@shop.example', 'member');
  await filed.batch(
    Array.from({ length: 99 }, (_, count) => ({
      subject: `Parcel ${count}`,
      recipient_email: `c${count}@example.com`,
    })),
  );
  await filed.batch(Array.from({ length: 60 }, (_, count) => ({ subject: `Box ${count}` })));
  const { id } = await filed.pushed({ subject: '=HYPERLINK("http://x.example","Parcel")' });
  const file = await browser.get(`${list(filed)}.csv`);
  expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(file.headers.get('content-disposition')).toContain('messages.csv');
  const lines = file.text.trimEnd().split('\r\n');
  expect(lines).toHaveLength(1 + 160);
  expect(lines[1]).toContain(`${id},`);
  expect(lines[1]).toContain(`"'=HYPERLINK(""http://x.example"",""Parcel"")"`);
  const narrowed = await browser.get(
    (await allMessages('parcel', filed)).replace('/messages?', '/messages.csv?'),
  );
  expect(narrowed.text.trimEnd().split('\r\n')).toHaveLength(1 + 100);
});

/** A shop that nobody else's tests fill. */
async function ownShop(): Promise<Shop> {
  const own = await service.business();
  await joinShop(service, own.businessId, 'support@shop.example', 'viewer');
  return own;
}
const pathIn = ({ businessId }: Shop, path: string): string => `/dashboard/${businessId}${path}`;
/** What a page links to below the shop, in order. */
const linksIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, what = '']) => what);
const headings = (text: string): string[] => linksIn(text, /<h2[^>]*>([^<]*)</g);
const suggest = async (text: string, at: Shop, by = browser): Promise<ReadPage> =>
  by.submit(pathIn(at, '/search'), pathIn(at, '/search/suggestions'), { text });
const suggested = ({ text }: ReadPage): string[] =>
  linksIn(text, /<span dir="auto">([^<]*)<\/span><span class="hint">(?:Customer|Order|Message)</g);

test('customers, orders and messages are found by their beginnings, in this order', async () => {
  const own = await ownShop();
  const mari = await own.pushed({
    recipient_email: 'mari@example.com',
    subject: 'Maria’s parcel',
    reference: 'MAR-1',
  });
  await own.pushed({ recipient_email: 'marten@example.com', subject: 'Another', reference: '#Mar-2' });
  await own.pushed({ recipient_email: 'peeter@example.com', subject: 'No mark here' });
  const { text } = await search('mar', own);
  expect(headings(text)).toEqual(['Customers', 'Orders', 'Messages']);
  expect(linksIn(text, />(\w+@example\.com)<\/a>/g)).toEqual(['mari@example.com', 'marten@example.com']);
  expect(linksIn(text, /orders\?reference=([^"]*)"/g)).toEqual(['MAR-1']);
  expect(linksIn(text, /id="m-([a-z0-9]+)"/g)).toHaveLength(2);
  expect(headings((await search('Mar-', own)).text)).toEqual(['Orders', 'Messages']);
  expect(headings((await search('marten@', own)).text)).toEqual(['Customers']);
  expect((await search('mar-1', own)).location).toBe(pathIn(own, '/orders?reference=MAR-1'));
  expect((await search(mari.id, own)).location).toBe(pathIn(own, `/messages/${mari.id}`));
});

test('nothing found says so and what can be found, and lists nothing', async () => {
  const { status, location, text } = await search('nobody@example.com');
  expect([status, location]).toEqual([200, expect.not.stringContaining('nobody')]);
  expect(headings(text)).toEqual(['Nothing was found for “nobody@example.com”']);
  expect(text).toContain('by the beginning of their address');
  expect(text).toContain('value="nobody@example.com"');
  expect(text).not.toContain('<table');
  expect((await search(' ')).location).toBe(pathIn(shop, '/search'));
  expect((await browser.get(pathIn(shop, '/search'))).text).toContain('Find what you need');
});

test('what two orders may mean leads to neither, and a whole number to its customer', async () => {
  const own = await ownShop();
  for (const reference of ['#77', '77', '778'])
    await own.pushed({ reference, recipient_phone: PHONE_NUMBER });
  const { text } = await search('77', own);
  expect(linksIn(text, /orders\?reference=([^"]*)"/g)).toEqual(['%2377', '77', '778']);
  expect((await search('778', own)).location).toBe(pathIn(own, '/orders?reference=778'));
  expect((await search(` ${PHONE_NUMBER} `, own)).location).toMatch(/\/recipients\/[a-z0-9]+$/);
});

test('all that begin so are listed page by page, each once, in their order', async () => {
  const own = await ownShop();
  const numbers = Array.from({ length: 60 }, (_, count) => String(count).padStart(2, '0'));
  await own.batch(
    numbers.map((number) => ({
      recipient_email: `anna${number}@example.com`,
      reference: `#A${number}`,
      subject: 'Anna',
    })),
  );
  const page = await search('a', own);
  for (const [kind, pattern, all] of [
    ['customers', />(anna\d+)@example\.com<\/a>/g, numbers.map((number) => `anna${number}`)],
    ['orders', /orders\?reference=%23(A\d+)"/g, numbers.map((number) => `A${number}`)],
  ] as const) {
    const link = (text: string, label: string): string | null =>
      new RegExp(`href="([^"]+)">${label}`).exec(text)?.[1]?.replaceAll('&amp;', '&') ?? null;
    let next = link(page.text, `All ${kind} …`);
    const seen: string[] = [];
    while (next !== null) {
      expect(next).not.toMatch(/anna|%23A/i);
      const { text } = await browser.get(next);
      seen.push(...linksIn(text, pattern));
      next = link(text, `More ${kind}`);
    }
    expect(seen).toEqual(all);
  }
  expect(await browser.get(await allMessages('a', own)).then(listed)).toHaveLength(25);
});

test('at most eight are suggested, of each kind some, and each is a link to it', async () => {
  const own = await ownShop();
  await own.batch(
    Array.from({ length: 9 }, (_, count) => ({
      recipient_email: `sam${count}@example.com`,
      reference: `Sam-${count}`,
      subject: `Sample ${count}`,
    })),
  );
  await search('sam', own);
  const answer = await suggest('sam', own);
  expect([answer.status, suggested(answer)]).toEqual([
    200,
    [
      ...[0, 1, 2, 3].map((count) => `sam${count}@example.com`),
      ...[8, 7, 6, 5].map((count) => `Sample ${count}`),
    ],
  ]);
  const orders = suggested(await suggest('Sam', own));
  expect(orders).toHaveLength(8);
  expect(orders.slice(3, 6)).toEqual(['Sam-0', 'Sam-1', 'Sam-2']);
  for (const href of linksIn(answer.text, /href="([^"]+)"/g))
    expect((await browser.get(href)).status).toBe(200);
  expect(suggested(await suggest('', own))).toEqual([]);
  expect((await suggest('nothing', own)).text).toContain('No suggestions');
});

test('a hundred suggestions at once are answered; a session that asks on and on gets none for a while', async () => {
  const own = await ownShop();
  await own.pushed({ subject: 'Teapot' });
  const asking = await signedIn(service, memberId);
  const csrf = csrfIn((await asking.get(pathIn(own, '/search'))).text);
  const ask = () => asking.post(pathIn(own, '/search/suggestions'), { csrf, text: 'tea' });
  const answers = await Promise.all(Array.from({ length: 100 }, ask));
  for (const answer of answers) expect([answer.status, suggested(answer)]).toEqual([200, ['Teapot']]);
  for (let count = 0; count < 20; count += 1) await ask();
  const refused = await ask();
  expect([refused.status, refused.headers.get('retry-after'), suggested(refused)]).toEqual([429, '60', []]);
  // Another session of the same member is not stopped.
  expect((await suggest('tea', own)).status).toBe(200);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { AFTER_EVERY_ID } from '../../src/kit/ids.ts';
import { indexSegment } from '../../src/search/indexer.ts';
import { PHONE_NUMBER } from '../support/phoneNumber.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { joinShop, type MemberBrowser, type ReadPage, signedIn } from './memberBrowser.ts';

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
const search = (text: string, at: Shop = shop): Promise<ReadPage> =>
  browser.submit(list(at), `${list(at)}/search`, { text });
const listed = ({ text }: ReadPage): string[] =>
  [...text.matchAll(/id="m-[^"]*" href="[^"]*\/messages\/([a-z0-9]+)"/g)].map(([, id = '']) => id);
/** The messages that a search text leads to. */
async function found(text: string, at: Shop = shop): Promise<string[]> {
  const { location } = await search(text, at);
  return location === null ? [] : listed(await browser.get(location));
}
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
    expect((await search('mu')).text).toContain('Nothing was found');
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
  const { location } = await search('maasikas');
  expect(location).not.toMatch(/maasikas/i);
  expect((await browser.get(location ?? '')).text).toContain('Messages with “maasikas”');
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
    let { location } = await search(text, many);
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
  const { location } = await search('parcel', filed);
  const narrowed = await browser.get((location ?? '').replace('/messages?', '/messages.csv?'));
  expect(narrowed.text.trimEnd().split('\r\n')).toHaveLength(1 + 100);
});

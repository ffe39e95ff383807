import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { DOWNLOADS_PER_SHOP_MAX } from '../../src/pages/kit/downloads.ts';
import { eventsOf, eventsPath, waitingCalls } from '../events/feedReader.ts';
import { openRawConnection } from '../support/rawConnection.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { cookieOf, type OpenStream, openStream, writeLongLedger } from './heldOpen.ts';
import { joinShop, type MemberBrowser, signedIn } from './memberBrowser.ts';

let service: TestService;
let shop: Shop;
let member: MemberBrowser;
beforeAll(async () => {
  service = await startService({ ROLES: 'api' });
  shop = await service.business();
  member = await signedIn(service, (await joinShop(service, shop.businessId, 'a@shop.example', 'member')).id);
  await writeLongLedger(service, shop.businessId);
});
afterAll(() => service.close());

const ledger = (): string => `/dashboard/${shop.businessId}/credits/ledger.csv`;
/** A file that ends at once: it needs a place all the same. */
const small = (): string => `/dashboard/${shop.businessId}/messages.csv?from=2999-01-01`;

/** As many as the shop may have at once, none of which is read to its end. */
async function fillShop(): Promise<OpenStream[]> {
  const files: OpenStream[] = [];
  for (let count = 0; count < DOWNLOADS_PER_SHOP_MAX; count += 1) {
    // The one before may just be ending.
    const file = await eventually(async () => {
      const opened = await openStream(member, ledger());
      expect(opened.status).toBe(200);
      return opened;
    });
    file.pause();
    onTestFinished(() => file.hangUp());
    files.push(file);
  }
  return files;
}

const untilShopIsFree = async (): Promise<void> => {
  for (const file of await fillShop()) file.hangUp();
};

test('one file too many of a shop gets a page that says so, until another one ends', async () => {
  const [first] = await fillShop();
  const refused = await member.get(ledger());
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
  expect(refused.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(refused.text).toContain('Too many downloads at once');
  expect((await member.get(small())).status).toBe(429);
  await shop.pushed();
  const customers = `/dashboard/${shop.businessId}/recipients`;
  const [, customer = ''] = /recipients\/([0-9a-z]{24})/.exec((await member.get(customers)).text) ?? [];
  const exported = await member.submit(`${customers}/${customer}`, `${customers}/${customer}/export`);
  expect([exported.status, exported.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8']);

  const other = await service.business();
  const { id } = await joinShop(service, other.businessId, 'b@shop.example', 'member');
  const elsewhere = await (await signedIn(service, id)).get(`/dashboard/${other.businessId}/messages.csv`);
  expect(elsewhere.status).toBe(200);
  first?.hangUp();
  await eventually(async () => expect((await member.get(small())).status).toBe(200));
});

const MESSAGES = 20_000;
const READ_AT_ONCE = 100;

/** Connections taken from the pool of the service, from now on. */
function countUses(): { count(): number } {
  let count = 0;
  const use = (): void => {
    count += 1;
  };
  service.pool.on('acquire', use);
  onTestFinished(() => void service.pool.off('acquire', use));
  return { count: () => count };
}

test('150 files that match nothing are read no further once their readers hang up', async () => {
  const { id } = await shop.pushed();
  await service.pool.query(
    `insert into messages (business_id, id, recipient_id, subject, body, kind, status, created_at, updated_at)
     select m.business_id, 'a' || lpad(n::text, 23, '0'), m.recipient_id, 'Old', 'Old', m.kind, m.status, m.created_at, m.updated_at
     from messages m cross join generate_series(1, $3) n where m.business_id = $1 and m.id = $2`,
    [shop.businessId, id, MESSAGES],
  );
  const connections = (): Promise<number> =>
    new Promise((resolve, reject) =>
      service.app.server.getConnections((error, open) => (error ? reject(error) : resolve(open))),
    );
  await untilShopIsFree();
  const before = await connections();
  const uses = countUses();
  const files = await Promise.all(
    Array.from({ length: 150 }, () =>
      openStream(member, `/dashboard/${shop.businessId}/messages.csv?whatsapp=failed`),
    ),
  );
  expect(files.filter(({ status }) => status === 200)).toHaveLength(DOWNLOADS_PER_SHOP_MAX);
  for (const file of files) file.hangUp();
  await eventually(async () => expect(await connections()).toBeLessThanOrEqual(before));
  const left = uses.count();
  // While others work, the abandoned files could be read on.
  for (let count = 0; count < 300; count += 1) await service.database.pool.query('select 1');
  const readOn = uses.count() - left;
  expect(readOn).toBeLessThan(MESSAGES / READ_AT_ONCE / 4);
  await untilShopIsFree();
});

test('a file that waits behind another answer ends when the caller goes', async () => {
  const { next } = await eventsOf(shop, { after: 'latest' });
  const [last] = await fillShop();
  last?.hangUp();
  const connection = await openRawConnection(service.url);
  const head = `Host: localhost\r\nCookie: ${cookieOf(member)}\r\nAuthorization: Bearer ${shop.apiKey}\r\n\r\n`;
  connection.send(`GET ${eventsPath({ wait: 30, after: next })} HTTP/1.1\r\n${head}`);
  await eventually(async () => expect(await waitingCalls(service)).toBe(1));
  await eventually(async () => {
    connection.send(`GET ${ledger()} HTTP/1.1\r\n${head}`);
    expect((await member.get(small())).status).toBe(429);
  });
  connection.destroy();
  await eventually(async () => expect((await member.get(small())).status).toBe(200));
});

test('HEAD of a file reads nothing on', async () => {
  const head = { method: 'HEAD', headers: { cookie: cookieOf(member) } };
  for (let count = 0; count < 2 * DOWNLOADS_PER_SHOP_MAX; count += 1)
    await eventually(async () => expect((await fetch(service.url + ledger(), head)).status).toBe(200));
  await untilShopIsFree();
});

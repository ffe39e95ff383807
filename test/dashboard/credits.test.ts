import { afterAll, beforeAll, expect, test } from 'vitest';
import { grantCredits } from '../../src/businesses/credits.ts';
import { transaction } from '../../src/db/transaction.ts';
import { startService, type TestService } from '../support/service.ts';
import { expectStatus, type Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { joinShop, type MemberBrowser, type ReadPage, signedIn } from './memberBrowser.ts';

let service: TestService;
let shop: Shop;
let ownerId: string;
let owner: MemberBrowser;
let viewer: MemberBrowser;
const HOSTILE = '=HYPERLINK("http://evil.example","x")<script>alert(1)</script>';

beforeAll(async () => {
  service = await startService();
  shop = await service.business({ name: 'Acme Books', credits: 100 });
  ownerId = (await joinShop(service, shop.businessId, 'owner@shop.example', 'owner')).id;
  owner = await signedIn(service, ownerId);
  viewer = await signedIn(service, (await joinShop(service, shop.businessId, 'v@shop.example', 'viewer')).id);
});
afterAll(() => service.close());

const at = (other: Shop = shop): string => `/dashboard/${other.businessId}/credits`;
const credits = () => shop.get('/api/v1/credits').then((answer) => expectStatus<Credits>(200, answer));
interface Credits {
  balance: number;
  threshold: number;
}

async function texted(email: string, phone: string, push: Record<string, unknown> = {}): Promise<string> {
  const { id } = await shop.pushed({
    recipient_email: email,
    recipient_phone: phone,
    channels: ['sms'],
    ...push,
  });
  await eventually(async () => {
    const answer = await shop.get(`/api/v1/messages/${id}`);
    const { delivery } = expectStatus<{ delivery: { sms: { status: string } | null } }>(200, answer);
    expect(delivery.sms?.status).toBe('delivered');
  });
  return id;
}

const rowsOf = (csv: ReadPage): string[] => csv.text.replace('\uFEFF', '').trimEnd().split('\r\n');

test('a new shop is told where credits come from', async () => {
  const empty = await service.business({ name: 'Empty' });
  await joinShop(service, empty.businessId, 'owner@shop.example', 'owner');
  const { text } = await owner.get(at(empty));
  expect(text).toContain('Nothing was granted or charged yet.');
  expect(text).toContain('No credits were spent in the last twelve months.');
  expect(text).toContain('<p class="big-figure">0</p>');
});

test('the balance, what is set aside and how long it lasts stand first', async () => {
  await texted('ee@example.com', '+37255503001', { subject: HOSTILE });
  await texted('fi@example.com', '+358401234567');
  await shop.pushed({
    recipient_email: 'later@example.com',
    recipient_phone: '+37255503002',
    channels: ['sms'],
    send_at: new Date(service.clock.now().getTime() + 3_600_000).toISOString(),
  });
  const { text } = await owner.get(at());
  expect((await credits()).balance).toBe(98);
  expect(text).toContain('<p class="big-figure">97</p>');
  expect(text).toContain('left, for more than a year at the rate of the last 30 days. 1 more are set aside');
});

test('the ledger names the message behind each entry, and hostile subjects stay text', async () => {
  const { text } = await owner.get(at());
  expect(text).toContain('Charged for an SMS to Estonia');
  expect(text).toContain('Charged for an SMS to Finland');
  expect(text).toMatch(new RegExp(`href="/dashboard/${shop.businessId}/messages/[0-9a-z]+"[^>]*>=HYPERLINK`));
  expect(text).toContain('Granted');
  expect(text).toContain('+100');
  expect(text).not.toContain('<script>alert');
});

test('by month and country: what the ledger says, in the charts and in the tables', async () => {
  const { text } = await owner.get(at());
  const countries = text.slice(text.indexOf('By month and country'), text.indexOf('id="ledger"'));
  const cells = [...countries.matchAll(/<(?:span|a [^>]*)>([^<]*)<\/(?:span|a)>/g)].map(([, cell]) => cell);
  const month = new Intl.DateTimeFormat('en-US', { month: 'short', year: 'numeric', timeZone: 'UTC' });
  const shown = month.format(service.clock.now());
  expect(cells).toEqual([shown, 'Estonia', '1', shown, 'Finland', '1']);
  const named = (part: string) =>
    [...text.matchAll(/aria-label="([^"]*)"/g)].filter(([all]) => all.includes(part));
  expect(named(`${shown}: 2 for SMS`)).toHaveLength(1);
  expect(named('Estonia: 1 credits')).toHaveLength(1);
  expect(named('Finland: 1 credits')).toHaveLength(1);
});

test('a month leads to the ledger from its newest entry on', async () => {
  const { text } = await owner.get(at());
  const months = [...text.matchAll(/<a href="([^"]*)#ledger" aria-label="[A-Z][a-z]{2} \d{4}: /g)].map(
    ([, href = '']) => href,
  );
  expect(months).toHaveLength(12);
  const [before, now] = await Promise.all(months.slice(-2).map(async (href) => (await owner.get(href)).text));
  expect(now).toContain('Charged for an SMS to Estonia');
  expect(before).not.toContain('Charged for an SMS to Estonia');
});

/** What was charged less what was refunded: by the sums of the countries, and by the ledger. */
async function sums(): Promise<{ counted: number; ledger: number } | undefined> {
  const { rows } = await service.pool.query<{ counted: number; ledger: number }>(
    `select (select coalesce(sum(credits), 0)::int from credits_by_country where business_id = $1) as counted,
       (select -coalesce(sum(amount), 0)::int from credit_ledger where business_id = $1 and kind <> 'grant') as ledger`,
    [shop.businessId],
  );
  return rows[0];
}

const ledgerOf = async (sendsOf: string): Promise<string[]> => {
  const { rows } = await service.pool.query<{ kind: string }>(
    `select l.kind from credit_ledger l join sends s on s.business_id = l.business_id and s.id = l.send_id
     where s.message_id = $1 order by l.id`,
    [sendsOf],
  );
  return rows.map(({ kind }) => kind);
};

test('a text that the provider refuses is taken off its country', async () => {
  const { id } = await shop.pushed({
    recipient_email: 'refused@example.com',
    recipient_phone: '+447700949001',
    channels: ['sms'],
  });
  await eventually(async () => expect(await ledgerOf(id)).toEqual(['charge', 'refund']));
  expect(await sums()).toEqual({ counted: 2, ledger: 2 });
  expect((await owner.get(at())).text).toContain('Refunded for an SMS to United Kingdom');
});

// Nobody answers at this number's provider, so the text waits for its next attempt with its credit spent.
test.each<[string, (id: string, email: string) => Promise<unknown>]>([
  ['an erasure', (_id, email) => shop.post(`/api/v1/recipients/${email}/erase`)],
  ['a retraction', (id) => shop.post(`/api/v1/messages/${id}/retract`)],
  ['a push that replaces it', (id, email) => shop.pushed({ recipient_email: email, obsoletes: [id] })],
])('a text that waits when %s ends it is taken off its country', async (name, end) => {
  const email = `${name.replaceAll(' ', '-')}@example.com`;
  const { id } = await shop.pushed({
    recipient_email: email,
    recipient_phone: '+447700949007',
    channels: ['sms'],
  });
  await eventually(async () => {
    expect(await ledgerOf(id)).toEqual(['charge']);
    const { rows } = await service.pool.query(
      `select state from sends where message_id = $1 and channel = 'sms'`,
      [id],
    );
    expect(rows).toEqual([{ state: 'queued' }]);
  });
  expect(await sums()).toEqual({ counted: 3, ledger: 3 });
  await end(id, email);
  expect(await sums()).toEqual({ counted: 2, ledger: 2 });
  await shop.delete(`/api/v1/recipients/${email}/phone`);
});

test('the ledger keeps what an erased customer cost, without the customer', async () => {
  expectStatus(200, await shop.post('/api/v1/recipients/ee%40example.com/erase'));
  expect(await sums()).toEqual({ counted: 2, ledger: 2 });
  expect((await owner.get(at())).text).toContain('a customer who was erased');
});

test('a ledger of any length is read page by page, and whole as CSV', async () => {
  const long = await service.business({ name: 'Long' });
  await joinShop(service, long.businessId, 'owner@shop.example', 'owner');
  const { rows } = await service.pool.query<{ sum: string }>(
    `with entry as (
       insert into credit_ledger (business_id, id, kind, amount, note, at)
       select $1, 'm' || lpad(n::text, 23, '0'), 'grant', n, case when n = 1 then $2 else 'Grant ' || n end, now()
       from generate_series(1, 2500) n returning amount)
     select sum(amount) from entry`,
    [long.businessId, HOSTILE],
  );
  await service.pool.query('update credit_accounts set balance = $2 where business_id = $1', [
    long.businessId,
    rows[0]?.sum,
  ]);
  const first = await owner.get(at(long));
  expect(first.text).toContain('Grant 2500');
  expect(first.text).not.toContain('Grant 2475<');
  const [, next = ''] = /href="([^"]*cursor=[^"#]*)[^>]*>Older entries/.exec(first.text) ?? [];
  const second = await owner.get(next);
  expect(second.text).toContain('Grant 2475<');
  expect(second.text).not.toContain('Grant 2476<');
  const csv = await viewer.get(`${at(long)}/ledger.csv`);
  expect(csv.status).toBe(404);
  const file = await owner.get(`${at(long)}/ledger.csv`);
  expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const lines = rowsOf(file);
  expect(lines).toHaveLength(2_501);
  expect(lines[0]).toBe('time,kind,credits,balance,channel,country,message,note');
  // No spreadsheet runs it.
  expect(lines[1]).toContain(`,"'=HYPERLINK(""http://evil.example"",""x"")`);
  expect(lines[2]).toMatch(/,grant,2,3,,,,Grant 2$/);
  expect(lines.at(-1)).toContain(`,2500,${rows[0]?.sum},`);
});

test('the CSV names message, channel and country, and ends at the balance', async () => {
  const lines = rowsOf(await viewer.get(`${at()}/ledger.csv`));
  expect(lines.some((line) => /,charge,-1,\d+,sms,FI,[0-9a-z]+,$/.test(line))).toBe(true);
  expect(lines.at(-1)?.split(',')[3]).toBe(String((await credits()).balance));
});

test('an owner changes the threshold, once, and the API says so', async () => {
  const set = (threshold: string) => owner.submit(at(), `${at()}/threshold`, { threshold });
  expect((await set('42')).location).toBe(`${at()}?flash=threshold_set`);
  expect((await owner.get(`${at()}?flash=threshold_set`)).text).toContain('The threshold was changed.');
  expect((await credits()).threshold).toBe(42);
  expect((await set(' 42 ')).location).toBe(`${at()}?flash=threshold_same`);
  const { rows } = await service.pool.query(
    `select actor, detail from audit_entries where business_id = $1 and action = 'settings.changed'`,
    [shop.businessId],
  );
  expect(rows).toEqual([
    { actor: `member:${ownerId}`, detail: { lowBalanceThreshold: { from: 20, to: 42 } } },
  ]);
});

test.each(['', '-1', '1.5', 'many', '"><script>alert(1)</script>', '9999999999'])(
  'the threshold %j is refused, with the field and the fault',
  async (threshold) => {
    const refused = await owner.submit(at(), `${at()}/threshold`, { threshold });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain(
      'The low-balance threshold must be a whole number from 0 to 1,000,000,000.',
    );
    expect(refused.text).not.toContain('<script>alert');
    expect((await credits()).threshold).toBe(42);
  },
);

test('a viewer sees the threshold and cannot change it', async () => {
  const { text } = await viewer.get(at());
  expect(text).toContain('falls below 42 credits');
  expect(text).not.toContain('/threshold"');
  expect((await viewer.submit('/dashboard/account', `${at()}/threshold`, { threshold: '1' })).status).toBe(
    403,
  );
});

test('a grant appears with its note', async () => {
  await transaction(service.pool, (tx) =>
    grantCredits(tx, { businessId: shop.businessId, credits: 50, note: 'Invoice 7' }, service.clock.now()),
  );
  expect((await owner.get(at())).text).toMatch(/Invoice 7<\/bdi>[\s\S]*\+50/);
});

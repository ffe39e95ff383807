import { transaction } from '../../src/db/transaction.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { AFTER_EVERY_ID } from '../../src/kit/ids.ts';
import { addMember } from '../../src/members/members.ts';
import { writeLink } from '../../src/members/signIn.ts';
import { indexSegment } from '../../src/search/indexer.ts';
import type { BenchDatabase, BenchEnvironment } from '../environment.ts';
import { getRequest, recipientEmail } from '../load/requests.ts';
import { SIZE_ROUNDS } from '../plan.ts';
import type { BenchServer } from '../program.ts';
import { atLeast, atMostTime, type Reporter } from '../report/row.ts';
import { browseAsPeople, type Person } from './dashboardPeople.ts';
import { compareLoads, comparePushesBeside, someMessageIds } from './loads.ts';
import { openSizes } from './size.ts';

/** Somebody at the dashboard of a shop. */
interface Member {
  shop: BenchServer;
  cookie: string;
  csrf: string;
}

const SAMPLE = 200;
const PEOPLE = 10;
const BESIDE_PEOPLE = { seconds: 6, rounds: 7 };
const NUMBERS = [0, 199, 398, 597, 796];
const ORDERS = NUMBERS.map((number) => `#${number}`);
/** The beginnings of numbers in subjects, which no reference is: each fills the page in both shops. */
const RARE_WORDS = NUMBERS.map((number) => `order ${Math.floor((10_000 + number) / 10)}`);
const BEGINNINGS = ['person', 'person1', 'or', 'on it'];
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

/** The pages, and the requests of each. */
const PAGES: Record<string, (member: Member) => Promise<string[]>> = {
  'the overview': async (member) => [pageRequest(member, '')],
  'the list': async (member) => [pageRequest(member, '/messages')],
  'a search by address': (member) => searchesFor(member, [1, 7, 42].map(recipientEmail)),
  'a search by order': (member) => searchesFor(member, ORDERS),
  'a search by a rare word': (member) => searchesFor(member, RARE_WORDS),
  'a search by beginnings': (member) => searchesFor(member, BEGINNINGS),
  'a search by frequent words': (member) => searchesFor(member, ['your order', 'is on its way']),
  'a message': async (member) => {
    const { pool, businessId } = member.shop.database;
    const ids = await someMessageIds(pool, businessId, SAMPLE);
    return ids.map(({ id }) => pageRequest(member, `/messages/${id}`));
  },
};

export async function measureDashboard(world: BenchEnvironment, report: Reporter): Promise<void> {
  const { large, small } = await openSizes(world);
  await Promise.all([indexSubjects(large.database), indexSubjects(small.database)]);
  for (const [page, requestsOf] of Object.entries(PAGES)) {
    const browse = async (shop: BenchServer) => {
      const requests = await requestsOf(await signInTo(shop));
      return [shop, { clients: 1, requests: { kind: 'written', requests } }] as const;
    };
    const compared = await compareLoads(SIZE_ROUNDS, await browse(large), await browse(small));
    const name = `dashboard: ${page} at 1,000,000 messages`;
    report.compared(name, 'the same at 1,000', atMostTime(1.5), compared);
  }
  const people: Person[] = [];
  for (let count = 0; count < PEOPLE; count += 1) {
    const member = await signInTo(large);
    const requests = await Promise.all(Object.values(PAGES).map((requestsOf) => requestsOf(member)));
    const list = pageRequest(member, '/messages', '\r\nx-by-itself: yes');
    people.push({ cookie: member.cookie, list, requests: requests.map(([first = '']) => first) });
  }
  // Each of them has a page that updates itself.
  const beside = await comparePushesBeside(large, BESIDE_PEOPLE, () => browseAsPeople(large, people));
  const work = 'single pushes, 16 clients, beside ten people at the dashboard';
  report.compared(work, 'the same without them', atLeast(0.97), beside);
}

/** Writes the search index of all seeded messages, as the workers do behind the pushes. */
async function indexSubjects({ pool, businessId }: BenchDatabase): Promise<void> {
  while ((await indexSegment(pool, businessId, AFTER_EVERY_ID)) > 0);
  await pool.query('vacuum analyze subject_words');
}

const dashboardOf = ({ port, database }: BenchServer): string =>
  `http://127.0.0.1:${port}/dashboard/${database.businessId}`;

/** A member of the shop, signed in as a browser would be. */
async function signInTo(shop: BenchServer): Promise<Member> {
  const { pool, businessId } = shop.database;
  const now = systemClock.now();
  const { id } = await transaction(pool, (tx) =>
    addMember(tx, now, { businessId, email: 'support@example.com', role: 'member' }),
  );
  const link = new URL(`/dashboard/sign-in/${await writeLink(pool, id, null, now)}`, dashboardOf(shop));
  const signedIn = await fetch(link, { method: 'POST', redirect: 'manual', headers: SAME_ORIGIN });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((one) => one.split(';')[0] ?? '')
    .filter((one) => !one.endsWith('='))
    .join('; ');
  const page = await fetch(`${dashboardOf(shop)}/messages`, { headers: { cookie } });
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1];
  if (csrf === undefined) throw new Error(`the list answered ${page.status}`);
  return { shop, cookie, csrf };
}

/** A page below the dashboard of the member's shop. */
const pageRequest = ({ shop, cookie }: Member, path: string, more = ''): string =>
  getRequest(new URL(dashboardOf(shop)).pathname + path, `cookie: ${cookie}${more}`);

/** Each search that somebody sends, and the page that it leads to. */
const searchesFor = async (member: Member, texts: string[]): Promise<string[]> =>
  (await Promise.all(texts.map((text) => searchFor(member, text)))).flat();

async function searchFor({ shop, cookie, csrf }: Member, text: string): Promise<string[]> {
  const url = new URL(`${dashboardOf(shop)}/search`);
  const body = new URLSearchParams({ csrf, text }).toString();
  const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded', ...SAME_ORIGIN };
  const found = await fetch(url, { method: 'POST', redirect: 'manual', headers, body });
  const location = found.headers.get('location');
  if (location === null) throw new Error(`a search for ${text} answered ${found.status}`);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return [
    `POST ${url.pathname} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}content-length: ${body.length}\r\n\r\n${body}`,
    getRequest(location, `cookie: ${cookie}`),
  ];
}

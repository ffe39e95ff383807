import { transaction } from '../../src/db/transaction.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { AFTER_EVERY_ID } from '../../src/kit/ids.ts';
import { addMember } from '../../src/members/members.ts';
import { writeLink } from '../../src/members/signIn.ts';
import { indexSegment } from '../../src/search/indexer.ts';
import type { BenchDatabase, BenchEnvironment } from '../environment.ts';
import { recipientEmail } from '../load/requests.ts';
import { alternate, type Compared, type Measured } from '../measure.ts';
import { underLoad } from '../underLoad.ts';
import { browseAsPeople, type Person } from './dashboardPeople.ts';
import type { RoundPlan } from './reads.ts';
import { someIds } from './readsSql.ts';
import type { Sized } from './size.ts';

export const DASHBOARD_WORK = [
  'the overview',
  'the list',
  'a search by address',
  'a search by order',
  'a search by a rare word',
  'a search by frequent words',
  'a message',
] as const;
export type DashboardWork = (typeof DASHBOARD_WORK)[number];

const SAMPLE = 200;
const PEOPLE = 10;

/** Writes the search index of all seeded messages, as the workers do behind the pushes. */
export async function indexSubjects({ pool, businessId }: BenchDatabase): Promise<void> {
  while ((await indexSegment(pool, businessId, AFTER_EVERY_ID)) > 0);
  await pool.query('vacuum analyze subject_words');
}

/** One page of the dashboard in a large shop, against the same in a small one. */
export async function compareDashboard(
  world: BenchEnvironment,
  work: DashboardWork,
  large: Sized,
  small: Sized,
  { seconds, rounds }: RoundPlan,
): Promise<Compared> {
  const [inLarge, inSmall] = [await requestsFor(work, large), await requestsFor(work, small)];
  const browse = ({ program }: Sized, requests: string[]) =>
    underLoad(world, program, { clients: 1, seconds, requests: { kind: 'browse', requests } });
  return alternate(
    rounds,
    () => browse(large, inLarge),
    () => browse(small, inSmall),
  );
}

/** Pushes beside ten people who read the dashboard, each with a page that updates itself, against pushes alone. */
export async function comparePushesBesidePeople(
  world: BenchEnvironment,
  shop: Sized,
  { seconds, rounds }: RoundPlan,
): Promise<Compared> {
  const { apiKey, recipients } = shop.database;
  const people: Person[] = [];
  for (let count = 0; count < PEOPLE; count += 1) {
    const member = await signInTo(shop);
    const paths = (await Promise.all(DASHBOARD_WORK.map((work) => requestsFor(work, shop, member)))).map(
      ([first = '']) => first,
    );
    people.push({ ...member, requests: paths });
  }
  const push = (): Promise<Measured> =>
    underLoad(world, shop.program, {
      clients: 16,
      seconds,
      requests: { kind: 'push', path: '/api/v1/messages', apiKey, recipients },
    });
  await push();
  return alternate(
    rounds,
    async () => {
      const browsing = await browseAsPeople(shop.program.port, people);
      try {
        return await push();
      } finally {
        browsing.stop();
      }
    },
    push,
  );
}

interface SignedIn {
  businessId: string;
  cookie: string;
  csrf: string;
}

/** A member of the shop, signed in as a browser would be. */
async function signInTo({ program, database }: Sized): Promise<SignedIn> {
  const { pool, businessId } = database;
  const now = systemClock.now();
  const { id } = await transaction(pool, (tx) =>
    addMember(tx, now, { businessId, email: 'support@example.com', role: 'member' }),
  );
  const link = await writeLink(pool, id, null, now);
  const base = `http://127.0.0.1:${program.port}`;
  const signedIn = await fetch(`${base}/dashboard/sign-in/${link}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((one) => one.split(';')[0] ?? '')
    .filter((one) => !one.endsWith('='))
    .join('; ');
  const page = await fetch(`${base}/dashboard/${businessId}/messages`, { headers: { cookie } });
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1];
  if (csrf === undefined) throw new Error(`the list answered ${page.status}`);
  return { businessId, cookie, csrf };
}

const getPage = ({ cookie }: SignedIn, path: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncookie: ${cookie}\r\n\r\n`;

/** The search that somebody sends, and the page that it leads to. */
async function searchFor(member: SignedIn, { program }: Sized, text: string): Promise<string[]> {
  const path = `/dashboard/${member.businessId}/messages/search`;
  const body = new URLSearchParams({ csrf: member.csrf, text }).toString();
  const head = {
    cookie: member.cookie,
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'same-origin',
  };
  const found = await fetch(`http://127.0.0.1:${program.port}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: head,
    body,
  });
  const location = found.headers.get('location');
  if (location === null) throw new Error(`a search for ${text} answered ${found.status}`);
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  return [
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}content-length: ${body.length}\r\n\r\n${body}`,
    getPage(member, location),
  ];
}

async function requestsFor(work: DashboardWork, shop: Sized, signedIn?: SignedIn): Promise<string[]> {
  const member = signedIn ?? (await signInTo(shop));
  const { pool, businessId } = shop.database;
  const below = `/dashboard/${businessId}`;
  const search = async (texts: string[]): Promise<string[]> =>
    (await Promise.all(texts.map((text) => searchFor(member, shop, text)))).flat();
  const numbers = Array.from({ length: 5 }, (_, count) => count * 199);
  switch (work) {
    case 'the overview':
      return [getPage(member, below)];
    case 'the list':
      return [getPage(member, `${below}/messages`)];
    case 'a search by address':
      return search([recipientEmail(1), recipientEmail(7), recipientEmail(42)]);
    case 'a search by order':
      return search(numbers.map((number) => `#${number}`));
    case 'a search by a rare word':
      // The number of an order in its subject, which no reference is.
      return search(numbers.map((number) => `order ${10_000 + number}`));
    case 'a search by frequent words':
      return search(['your order', 'is on its way']);
    case 'a message':
      return (await someIds(pool, businessId, SAMPLE)).map(({ id }) =>
        getPage(member, `${below}/messages/${id}`),
      );
  }
}

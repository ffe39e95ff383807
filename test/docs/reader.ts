import type { TestService } from '../support/service.ts';
import type { ApiResponse, Shop } from '../support/shop.ts';
import { ShapeComparison } from './likeness.ts';
import { type DocPage, type DocStep, readCommand } from './pages.ts';

/** When the pages say that it is. */
const PAGES_NOW = Date.parse('2026-08-20T09:15:00.000Z');

interface Reading {
  service: TestService;
  shop: Shop;
  /** Host and port of a receiver that the service reaches. */
  receiver: string;
  /** In the pages it is the day that their answers show; today it is whatever the reader's shell says. */
  day: 'of the page' | 'today';
}

/** Sends the requests of a page, with what others do in between. */
export async function* follow(page: DocPage, reading: Reading) {
  const { service, shop, receiver, day } = reading;
  const began = await clockOf(service);
  const likeness = new ShapeComparison(day === 'today' ? 0 : began - PAGES_NOW, [
    ['localhost:3000', receiver],
    ...(page.name === 'README.md' ? inReadme(shop) : []),
  ]);
  for (const step of page.steps) {
    if (step.kind === 'meanwhile') await happen(step.what, reading, likeness);
    else {
      const elapsed = (await clockOf(service)) - began;
      const definitions = day === 'today' ? page.definitions : datesAt(PAGES_NOW + elapsed);
      yield { ...step, likeness, ...(await send(step, shop, likeness, definitions)) };
    }
    // What is due is done before the next request, as it would be for a person who reads on.
    await service.advance({ seconds: 2 });
  }
}

const inReadme = ({ url, apiKey }: Shop): [string, string][] => [
  ['http://localhost:8080', url],
  ['Bearer way_live_…', `Bearer ${apiKey}`],
];

export const clockOf = async (service: TestService): Promise<number> => {
  const answer: { now: string } = Object(await (await fetch(`${service.url}/sandbox/clock`)).json());
  return Date.parse(answer.now);
};

/** The shell's `date`, and the function that the pages define by it, on the day of the pages. */
function datesAt(now: number): string {
  const moment = new Date(now).toISOString();
  return `
    date() { case "$*" in *%T*) echo ${moment.replace(/\.\d+/, '')} ;; *) echo ${moment.slice(0, 10)} ;; esac; }
    day() { echo 2026-08-$((20 + $1)); }
  `;
}

async function send(
  { command }: Extract<DocStep, { kind: 'request' }>,
  shop: Shop,
  likeness: ShapeComparison,
  definitions: string,
) {
  const { url, method, headers, body } = readCommand(
    command,
    { WAYPOST_BASE_URL: shop.url, PUBLIC_URL: shop.url, WAYPOST_API_KEY: shop.apiKey },
    definitions,
  );
  const path = likeness.asked(url).slice(shop.url.length);
  const answer: ApiResponse = await shop.call(method, path, {
    key: null,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, likeness.asked(value)])),
    ...(body !== null && { raw: likeness.asked(body) }),
  });
  return { method, path, answer };
}

async function happen(what: string, { shop }: Reading, likeness: ShapeComparison): Promise<void> {
  const [, count, endpoint = ''] = /^(\d+) more tests of (\w+)$/.exec(what) ?? [];
  if (count === undefined) throw new Error(`nobody knows how this happens: ${what}`);
  for (let left = Number(count); left > 0; left -= 1)
    await shop.post(`/api/v1/webhook-endpoints/${likeness.asked(endpoint)}/test`);
}

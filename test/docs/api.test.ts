import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grantCredits } from '../../src/businesses/credits.ts';
import * as limits from '../../src/config/limits.ts';
import { transaction } from '../../src/db/transaction.ts';
import { DAY, HOUR, systemClock } from '../../src/kit/clock.ts';
import { catalogue } from '../../src/kit/errors.ts';
import { listenOnFreePort } from '../support/freePort.ts';
import { type OpenApi, openApiOf } from '../support/openApi.ts';
import { startService, type TestService } from '../support/service.ts';
import type { ApiResponse, Shop } from '../support/shop.ts';
import { ShapeComparison } from './likeness.ts';
import { type DocPage, type DocStep, readCommand, readPage, type ShownAnswer } from './pages.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const API = readdirSync(join(ROOT, 'docs/api')).map((file) => `docs/api/${file}`);
const pages = ['README.md', ...API].map(readPage);
/** When the pages say that it is. */
const PAGES_NOW = Date.parse('2026-08-20T09:15:00.000Z');

const receiver = createServer((_request, response) => void response.writeHead(204).end());
let service: TestService;
let document: OpenApi;
beforeAll(async () => {
  await listenOnFreePort(receiver);
  await startAnew();
});

async function startAnew(): Promise<void> {
  await service?.close();
  service = await startService({ WEBHOOK_ALLOW_HOSTS: hook(), RATE_LIMIT_PER_SECOND: '200' });
  document = await openApiOf(service.url);
  // Not over midnight: a page has one day.
  if (new Date(await now()).getUTCHours() === 23) await service.advance({ hours: 1 });
}
afterAll(async () => {
  receiver.close();
  await service.close();
});

const hook = (): string => {
  const { port }: AddressInfo = Object(receiver.address());
  return `127.0.0.1:${port}`;
};

/** Operations that a page showed to succeed. */
const shownToWork = new Set<string>();

describe('every request of a page is answered as the page shows', () => {
  test.each(pages.map((page): [string, DocPage] => [page.name, page]))('%s', async (_, page) => {
    expect(page.steps.length).toBeGreaterThan(0);
    for await (const { place, answer, shown, likeness } of follow(page, await newShop()))
      expect([place, asTold(answer, shown, likeness)]).toEqual([place, asShown(shown)]);
  });

  test('and every operation is among them', () => {
    expect([...shownToWork].sort()).toEqual(document.operations.map(({ id }) => id).sort());
  });
});

/** As a newcomer reads: what an earlier page left behind is in nobody's way. */
test.each([
  ['from the first to the last', pages],
  ['from the last to the first', pages.toReversed()],
])('the pages can be followed in one sitting, for one business, %s', async (_, order) => {
  await startAnew();
  const shop = await newShop();
  const unlike: string[] = [];
  for (const page of order)
    for await (const { place, answer, shown, likeness } of follow(page, shop)) {
      // What only it has to say: a list also has what other pages pushed. It tells what the ids of the page are, though.
      likeness.told(answer.body, shown?.body);
      if (shown?.status == null ? answer.status >= 300 : answer.status !== shown.status)
        unlike.push(`${place}: ${answer.status} ${answer.text.slice(0, 200)}`);
    }
  expect(unlike).toEqual([]);
});

const newShop = (): Promise<Shop> => service.business({ credits: 100 });

/** Sends the requests of a page, with what others do in between. */
async function* follow(page: DocPage, shop: Shop) {
  const likeness = new ShapeComparison((await now()) - PAGES_NOW, [
    ['127.0.0.1:9000', hook()],
    ...(page.name === 'README.md' ? inReadme(shop) : []),
  ]);
  for (const step of page.steps) {
    if (step.kind === 'meanwhile') await happen(step.what, shop, likeness);
    else yield { ...step, likeness, answer: await run(step, shop, likeness) };
    // What is due is done before the next request, as it would be for a person who reads on.
    await service.advance({ seconds: 2 });
  }
}

const inReadme = ({ apiKey }: Shop): [string, string][] => [
  ['http://localhost:8080', service.url],
  ['Bearer way_live_…', `Bearer ${apiKey}`],
];

const now = async (): Promise<number> => {
  const answer: { now: string } = Object(await (await fetch(`${service.url}/sandbox/clock`)).json());
  return Date.parse(answer.now);
};

async function run(
  step: Extract<DocStep, { kind: 'request' }>,
  shop: Shop,
  likeness: ShapeComparison,
): Promise<ApiResponse> {
  const { command, shown } = step;
  const variables = { WAYPOST_BASE_URL: service.url, WAYPOST_API_KEY: shop.apiKey };
  const { url, method, headers, body } = readCommand(command, variables);
  const path = likeness.asked(url).slice(service.url.length);
  const answer = await shop.call(method, path, {
    key: null,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, likeness.asked(value)])),
    ...(body !== null && { raw: likeness.asked(body) }),
  });
  const operation = document.operationAt(method, path);
  if (operation && shown !== null && answer.status < 300) shownToWork.add(operation.id);
  return answer;
}

/** Compared as text, so that the order of the fields is that of the page, too. */
function asTold(
  { status, headers, body }: ApiResponse,
  shown: ShownAnswer | null,
  likeness: ShapeComparison,
) {
  if (shown === null) return { ok: status < 300 ? true : body };
  return {
    status: shown.status === null && status < 300 ? null : status,
    headers: shown.headers.map(([name, value]) => [name, counted(name, headers.get(name)) ?? value]),
    body: JSON.stringify(likeness.told(body, shown.body), null, 2).replaceAll(service.url, SHOWN_URL),
  };
}

/** What the pages call the service. */
const SHOWN_URL = 'http://127.0.0.1:8080';

function asShown(shown: ShownAnswer | null) {
  if (shown === null) return { ok: true };
  return {
    status: shown.status,
    headers: shown.headers.map(([name, value]) => [name, counted(name, value) ?? value]),
    body: JSON.stringify(shown.body ?? null, null, 2),
  };
}

/** Headers that count something say so; how much is the moment’s. */
const counted = (name: string, value: string | null): string | null => {
  if (value === null) return 'missing';
  return /^(RateLimit-Remaining|RateLimit-Reset|Retry-After)$/.test(name) && /^\d+$/.test(value)
    ? 'a number'
    : value;
};

async function happen(what: string, shop: Shop, likeness: ShapeComparison): Promise<void> {
  const credits = /^the operator adds (\d+) credits$/.exec(what)?.[1];
  const tests = /^(\d+) more tests of (\w+)$/.exec(what);
  if (credits !== undefined)
    await transaction(service.pool, (tx) =>
      grantCredits(
        tx,
        { businessId: shop.businessId, credits: Number(credits), note: null },
        systemClock.now(),
      ),
    );
  else if (what === 'a day passes') await service.advance({ days: 1 });
  else if (what === 'no credit is left')
    await service.pool.query('update credit_accounts set balance = reserved where business_id = $1', [
      shop.businessId,
    ]);
  else if (tests)
    for (let count = Number(tests[1]); count > 0; count -= 1)
      await shop.post(`/api/v1/webhook-endpoints/${likeness.asked(tests[2] ?? '')}/test`);
  else throw new Error(`nobody knows how this happens: ${what}`);
}

describe('the tables', () => {
  interface Component {
    properties: Record<string, unknown>;
    required?: string[];
  }
  const tables = pages.flatMap((page) => page.tables);

  test('of fields name those of the OpenAPI document, and which are required', async () => {
    const { components }: { components: { schemas: Record<string, Component> } } = Object(
      await (await fetch(`${service.url}/openapi.json`)).json(),
    );
    for (const { schema, place, rows } of tables) {
      const { properties = {}, required = [] } = components.schemas[schema] ?? {};
      expect([place, rows.map(([name]) => name)]).toEqual([place, Object.keys(properties).map(code)]);
      const marked = rows.filter((row) => row[1] === 'yes' || row[1] === 'no');
      if (marked.length > 0)
        expect([place, marked.filter((row) => row[1] === 'yes').map(([name]) => name)]).toEqual([
          place,
          required.map(code),
        ]);
    }
    expect(tables.length).toBeGreaterThanOrEqual(12);
  });

  test('of errors are the catalogue', () => {
    const rows = conventions().text.matchAll(/^\| (\d{3}) +\| `([\w.]+)` +\|/gm);
    const listed = [...rows].map(([, status, name]) => `${status} ${name}`);
    expect(listed.sort()).toEqual(
      Object.entries(catalogue)
        .map(([name, [status]]) => `${status} ${name}`)
        .sort(),
    );
  });

  test('of limits have the numbers of the code', () => {
    const MiB = 1024 * 1024;
    const said = conventions().text.replace(/ +/g, ' ');
    for (const row of [
      `| Batch | ${limits.BATCH_MAX} messages |`,
      `| \`subject\` | ${limits.SUBJECT_MAX} characters |`,
      `| \`body\` | ${limits.BODY_MAX.toLocaleString('en')} characters |`,
      `| \`reference\` | ${limits.REFERENCE_MAX} characters |`,
      `| \`obsoletes\` | ${limits.OBSOLETES_MAX} ids |`,
      `| Request body | ${limits.REQUEST_BODY_MAX / MiB} MiB; ${limits.BATCH_BODY_MAX / MiB} MiB on a batch |`,
      `| Idempotency-Key | 1 to ${limits.IDEMPOTENCY_KEY_MAX} characters; ${limits.BATCH_IDEMPOTENCY_KEY_MAX} on a batch |`,
      `| Tracking number, carrier | ${limits.TRACKING_NUMBER_MAX} characters, ${limits.CARRIER_MAX} characters |`,
      `| Tracking URL | ${limits.TRACKING_URL_MAX.toLocaleString('en')} characters |`,
      `| Tracking event | \`at\` at most ${limits.TRACKING_AHEAD_MAX_MS / HOUR} hours ahead; \`description\` ${limits.TRACKING_DESCRIPTION_MAX} characters, \`location\` ${limits.TRACKING_LOCATION_MAX} |`,
      `| Text | \`subject\` ${limits.TEXT_SUBJECT_MAX.toLocaleString('en')} characters, \`body\` ${limits.TEXT_BODY_MAX.toLocaleString('en')} |`,
      `| Page | ${limits.PAGE_DEFAULT} by default, ${limits.PAGE_MAX} at most |`,
      `| Page of events | ${limits.EVENTS_PAGE_DEFAULT} by default, ${limits.EVENTS_PAGE_MAX.toLocaleString('en')} at most |`,
      `| Wait for events | 0 to ${limits.EVENT_WAIT_MAX_SECONDS} seconds |`,
      `| Active keys | ${limits.ACTIVE_KEYS_MAX} a business |`,
      `| Key name | ${limits.KEY_NAME_MAX} characters |`,
      `| Webhook endpoints | ${limits.ENDPOINTS_MAX} a business |`,
      `| \`send_at\` | in the future, at most ${limits.SEND_AT_MAX_MS / DAY} days out |`,
      `| \`escalate_if_unread_after_minutes\` | ${limits.ESCALATE_MIN_MINUTES} minutes to ${limits.ESCALATE_MAX_MINUTES / 1440} days |`,
      `| SMS warm-up | ${limits.WARMUP_TEXTS_A_DAY} texts a day for the first ${limits.WARMUP_DAYS_MS / DAY} days, where it is on |`,
      `| Tests of an endpoint | ${limits.ENDPOINT_TESTS_A_MINUTE} a minute |`,
    ])
      expect(said).toContain(row);
  });

  const code = (name: string) => `\`${name}\``;
  const conventions = () => readPage('docs/api/conventions.md');
});

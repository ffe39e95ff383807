import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as limits from '../../src/config/limits.ts';
import { DAY, HOUR } from '../../src/kit/clock.ts';
import { catalogue } from '../../src/kit/errors.ts';
import { listenOnFreePort } from '../support/freePort.ts';
import { type OpenApi, openApiOf } from '../support/openApi.ts';
import { startService, type TestService } from '../support/service.ts';
import type { ApiResponse } from '../support/shop.ts';
import type { ShapeComparison } from './likeness.ts';
import { type DocPage, readPage, type ShownAnswer } from './pages.ts';
import { clockOf, follow } from './reader.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const API = readdirSync(join(ROOT, 'docs/api')).map((file) => `docs/api/${file}`);
const pages = ['README.md', ...API].map(readPage);
const receiver = createServer((_request, response) => void response.writeHead(204).end());
let service: TestService;
let document: OpenApi;
beforeAll(async () => {
  await listenOnFreePort(receiver);
  service = await startService({ WEBHOOK_ALLOW_HOSTS: hook(), RATE_LIMIT_PER_SECOND: '200' });
  document = await openApiOf(service.url);
  // Not over midnight: a page has one day.
  if (new Date(await clockOf(service)).getUTCHours() === 23) await service.advance({ hours: 1 });
});
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
    const shop = await service.business({ credits: 100 });
    const reading = { service, shop, receiver: hook(), day: 'of the page' } as const;
    for await (const { place, answer, shown, likeness, method, path } of follow(page, reading)) {
      expect([place, asTold(answer, shown, likeness)]).toEqual([place, asShown(shown)]);
      const operation = document.operationAt(method, path);
      if (operation && shown !== null && answer.status < 300) shownToWork.add(operation.id);
    }
  });

  test('and every operation is among them', () => {
    expect([...shownToWork].sort()).toEqual(document.operations.map(({ id }) => id).sort());
  });
});

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

import type { Dispatcher } from 'undici';
import type { Pool } from '../db/pool.ts';
import { type Clock, DAY, earlier, later, MINUTE, monotonicMs, pause, SECOND } from '../kit/clock.ts';
import { textAt } from '../kit/json.ts';
import { trimEndChars } from '../kit/trimEndChars.ts';
import { callOut } from './callOut.ts';
import type { Credentials } from './connections.ts';
import { parseJsonExactly } from './kinds/exactIds.ts';
import type { RawCall } from './kinds/kind.ts';
import { ORDER_UPDATED, woocommerce } from './kinds/woocommerce.ts';
import { utcTime } from './kinds/woocommerceOrder.ts';
import type { ConnectionStatus } from './settings.ts';
import { storeCall } from './storeCall.ts';
import { StoreFailure, storeRefusal } from './storeFailure.ts';

interface OrderReading {
  connection: {
    id: string;
    businessId: string;
    status: ConnectionStatus;
    createdAt: Date;
    readUpTo: string | null;
  };
  storeUrl: string;
  credentials: Credentials;
  signal: AbortSignal;
  /** Notes that what has changed until then is stored. False: the turn is another's now. */
  moveUpTo(time: Date): Promise<boolean>;
}

interface ReadDeps {
  pool: Pool;
  clock: Clock;
  client: Dispatcher;
  onCalls(): void;
  timeoutMs?: number;
  pauseMs?: number;
}

const PAGES_A_TURN = 20;
/** A slow store does not keep others waiting. */
const TURN_MS = 2 * MINUTE;
/** A page that is too large is asked for in smaller ones. An order has some ten kilobytes. */
const ORDERS_A_PAGE = [50, 5, 1] as const;
const PAGE_MAX_BYTES = 2 * 1024 * 1024;
/** A small shop's server takes seconds for a page. */
const PAGE_TIMEOUT_MS = 30 * SECOND;
const BETWEEN_PAGES_MS = SECOND;
/** What is younger is read again: a store that saves an order slowly shows it with a time that has passed. */
const SETTLED_MS = 2 * MINUTE;
/** Where nothing has been read yet; what is older would not be told. */
const FIRST_READ_MS = 2 * DAY;

/**
 * Reads and stores what has changed, page after page. Every page begins anew behind the last order of the one before, because the pages
 * of a list whose orders change meanwhile shift. Only orders that changed in one second are counted off by page.
 */
export async function readOrders(
  deps: ReadDeps,
  reading: OrderReading,
): Promise<'done' | 'more' | 'interrupted'> {
  let after = startOf(deps.clock.now(), reading);
  let page = 1;
  let size = 0;
  const beganMs = monotonicMs();
  const moveUpTo = (time: Date): Promise<boolean> => {
    const settled = earlier(deps.clock.now(), SETTLED_MS);
    return reading.moveUpTo(time < settled ? time : settled);
  };
  // Among orders of one second a turn goes on, because the next would begin with the first of them again.
  for (let pages = 0; pages < PAGES_A_TURN || page > 1; pages += 1) {
    if (pages > 0) await pause(deps.pauseMs ?? BETWEEN_PAGES_MS);
    if (reading.signal.aborted) return 'interrupted';
    if (monotonicMs() - beganMs > TURN_MS) {
      // Thousands in one second are no orders that somebody waits for: reading goes on behind them.
      if (page > 1) await moveUpTo(later(after, 2 * SECOND));
      return 'more';
    }
    const perPage = ORDERS_A_PAGE[size] ?? 1;
    const read = await readPage(deps, reading, { after, page, perPage });
    if (read === 'too_large') {
      if (perPage === 1)
        throw new StoreFailure('The store’s answer for a single order is larger than 2 MiB.');
      size += 1;
      page = 1;
      continue;
    }
    const last = await storePage(deps, reading, read.orders);
    if (last !== null && !(await moveUpTo(last))) return 'interrupted';
    if (!read.hasMore) return 'done';
    const next = last === null ? after : earlier(last, SECOND);
    if (next > after) [after, page] = [next, 1];
    else page += 1;
  }
  return 'more';
}

/** Orders of the second in which the last read ended may have been saved behind it. */
function startOf(now: Date, { connection }: OrderReading): Date {
  const read = connection.readUpTo === null ? Number.NaN : Date.parse(connection.readUpTo);
  const first = Math.max(connection.createdAt.getTime() - SETTLED_MS, now.getTime() - FIRST_READ_MS);
  return new Date((Number.isNaN(read) ? first : Math.min(read, now.getTime() - SETTLED_MS)) - SECOND);
}

interface Page {
  after: Date;
  page: number;
  perPage: number;
}

async function readPage(
  { client, timeoutMs = PAGE_TIMEOUT_MS }: ReadDeps,
  { storeUrl, credentials: { key, secret }, signal }: OrderReading,
  page: Page,
): Promise<{ orders: readonly unknown[]; hasMore: boolean } | 'too_large'> {
  const authorization = `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`;
  const called = await callOut(
    client,
    { method: 'GET', url: ordersUrl(storeUrl, page).href, headers: { authorization } },
    { signal, timeoutMs, maxBytes: PAGE_MAX_BYTES },
  );
  if (called.kind !== 'answered')
    throw new StoreFailure(
      `The store cannot be read: ${called.kind === 'failed' ? called.error : called.kind}.`,
    );
  const { status, headers, text } = called;
  if (status !== 200) throw storeRefusal(status, headers['retry-after']);
  if (text === null) return 'too_large';
  const orders = parseJsonExactly(text);
  if (!Array.isArray(orders)) throw new StoreFailure('The store’s answer is not a list of orders.');
  // A page leaves out what the key may not see, so that its length says nothing.
  const pages = Number(headers['x-wp-totalpages'] ?? Number.NaN);
  return { orders, hasMore: Number.isNaN(pages) ? orders.length >= page.perPage : page.page < pages };
}

function ordersUrl(storeUrl: string, { after, page, perPage }: Page): URL {
  if (!URL.canParse(storeUrl)) throw new StoreFailure('The store’s address is not a URL.');
  const url = new URL(storeUrl);
  url.pathname = `${trimEndChars(url.pathname, '/')}/wp-json/wc/v3/orders`;
  url.search = new URLSearchParams({
    // Without a zone: the store would convert one to its own, and compare that with times of UTC.
    modified_after: after.toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length),
    dates_are_gmt: 'true',
    orderby: 'modified',
    order: 'asc',
    per_page: String(perPage),
    page: String(page),
  }).toString();
  return url;
}

/** When the last of them changed; null: none says so. */
async function storePage(
  { pool, clock, onCalls }: ReadDeps,
  { connection }: OrderReading,
  orders: readonly unknown[],
): Promise<Date | null> {
  let last: Date | null = null;
  let isNew = false;
  for (const order of orders) {
    const call = asCall(order);
    const description = woocommerce.describe(call);
    if (description.storeOrder === null) continue;
    const stored = await storeCall(pool, clock, connection, {
      description,
      headers: {},
      body: call.body,
      isPing: false,
    });
    isNew ||= stored === 'stored';
    const modified = utcTime(textAt(order, 'date_modified_gmt'));
    if (modified !== null && (last === null || modified > last)) last = modified;
  }
  if (isNew) onCalls();
  return last;
}

/** As if the store had called about it. */
const asCall = (order: unknown): RawCall => ({
  header: (name) => (name === 'x-wc-webhook-topic' ? ORDER_UPDATED : undefined),
  query: new URLSearchParams(),
  body: Buffer.from(JSON.stringify(order)),
});

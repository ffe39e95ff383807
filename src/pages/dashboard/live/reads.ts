import { isUnavailable } from '../../../db/errors.ts';
import type { Queryable } from '../../../db/statement.ts';
import { openChangeStreams } from '../../../kit/changeStreams.ts';
import { type Clock, SECOND } from '../../../kit/clock.ts';
import type { Log } from '../../../kit/log.ts';
import { dayOf } from '../../../usage/counters.ts';
import { dayAfter } from '../../../usage/read.ts';
import { outboxMark } from './outboxMark.ts';
import { operatorSessions, pageMarkOf, pageMarksOf } from './sql.ts';

/** What a page shows: one message, one connection, one webhook endpoint, or the whole shop. */
export interface ShownOnPage {
  messageId?: string | null;
  connectionId?: string | null;
  endpointId?: string | null;
}

/** An open page of the dashboard. */
interface OpenPage extends ShownOnPage {
  businessId: string;
  sessionId: string;
}

/** In place of a shop: the page shows the outbox, of all of them. */
export const OUTBOX_OF_ALL = '';

/** A push notifies nobody, because that would cost every push; one statement a second serves all open pages. */
const POLL_EVERY_MS = SECOND;
/** In a busy shop, and of all shops, every second brings a change, and each costs each open list a request. */
const SHOP_QUIET_MS = 10 * SECOND;
/** A store may call many times a second, and somebody waits for its first call. */
const CONNECTION_QUIET_MS = 2 * SECOND;
/** The same of deliveries. */
const ENDPOINT_QUIET_MS = 2 * SECOND;
const DASHBOARD_STREAMS_MAX = 1_000;
/** A browser opens six connections to a server at most. */
export const STREAMS_PER_SESSION_MAX = 6;

interface LiveDeps {
  pool: Queryable;
  clock: Clock;
}

/** Says to open pages of the dashboard that something changed on them. */
export function openDashboardLive({ pool, clock, log }: LiveDeps & { log: Log }) {
  const streams = openChangeStreams<OpenPage>({
    name: 'dashboard',
    log,
    async marksOf(pages) {
      const isOfShop = ({ businessId }: OpenPage): boolean => businessId !== OUTBOX_OF_ALL;
      const [ofShops, ofOutbox] = await Promise.all([
        marksInShops({ pool, clock }, pages.filter(isOfShop)),
        marksOfOutbox(
          { pool, clock },
          pages.filter((page) => !isOfShop(page)),
        ),
      ]);
      return new Map([...ofShops, ...ofOutbox]);
    },
    isOutage: isUnavailable,
    pollEveryMs: POLL_EVERY_MS,
    quietMsOf,
    streamsMax: DASHBOARD_STREAMS_MAX,
    perOwnerMax: STREAMS_PER_SESSION_MAX,
    ownerOf: ({ sessionId }) => sessionId,
    businessOf: ({ businessId }) => businessId,
  });
  return {
    ...streams,
    /** What a page shows now, as a short text. Read it before the page, so that no change falls between the two. */
    async markOf(businessId: string, { messageId, connectionId, endpointId }: ShownOnPage): Promise<string> {
      if (businessId === OUTBOX_OF_ALL) return outboxMark(pool, clock.now());
      const since = countedSince(clock.now());
      const [row] = await pageMarkOf(
        pool,
        businessId,
        messageId ?? '',
        since,
        connectionId ?? '',
        endpointId ?? '',
      );
      return row?.mark ?? '';
    },
  };
}

/** A day more: around midnight, what was decided yesterday is counted then. */
const countedSince = (now: Date): string => dayAfter(dayOf(now), -1);

type Marks = (readonly [OpenPage, string])[];

async function marksInShops({ pool, clock }: LiveDeps, pages: readonly OpenPage[]): Promise<Marks> {
  if (pages.length === 0) return [];
  const now = clock.now();
  const rows = await pageMarksOf(
    pool,
    pages.map(({ businessId }) => businessId),
    pages.map(({ messageId }) => messageId ?? ''),
    pages.map(({ sessionId }) => sessionId),
    now,
    countedSince(now),
    pages.map(({ connectionId }) => connectionId ?? ''),
    pages.map(({ endpointId }) => endpointId ?? ''),
  );
  return rows.flatMap(({ place, mark }) => {
    const page = pages[place - 1];
    return page === undefined ? [] : [[page, mark] as const];
  });
}

async function marksOfOutbox({ pool, clock }: LiveDeps, pages: readonly OpenPage[]): Promise<Marks> {
  if (pages.length === 0) return [];
  const now = clock.now();
  const sessionIds = pages.map(({ sessionId }) => sessionId);
  const [mark, rows] = await Promise.all([outboxMark(pool, now), operatorSessions(pool, sessionIds, now)]);
  const mayLook = new Set(rows.map(({ id }) => id));
  return pages.flatMap((page) => (mayLook.has(page.sessionId) ? [[page, mark] as const] : []));
}

function quietMsOf({ messageId, connectionId, endpointId }: OpenPage): number {
  if (endpointId != null) return ENDPOINT_QUIET_MS;
  if (connectionId != null) return CONNECTION_QUIET_MS;
  return messageId == null ? SHOP_QUIET_MS : 0;
}

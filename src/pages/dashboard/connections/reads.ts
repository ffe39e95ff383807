import { type CallEntry, readCalls } from '../../../connections/callLog.ts';
import { type Connection, findConnection } from '../../../connections/connections.ts';
import type { OrderFacts } from '../../../connections/facts.ts';
import type { StoreKind, TrackingKind } from '../../../connections/kinds/kind.ts';
import { isStoreKind, kindOf } from '../../../connections/kinds.ts';
import type { WouldPush } from '../../../connections/results.ts';
import { statusToldFor } from '../../../connections/settings.ts';
import type { Queryable } from '../../../db/statement.ts';
import { pageCursors } from '../../../kit/pageCursor.ts';
import { PAGE_SIZE, readListPage } from '../../kit/listPage.ts';
import { type CallBody, callBodies } from './sql.ts';

/** An owner reads so many before they switch to live. */
export const EXAMPLES_WANTED = 10;
const NEWEST_SHOWN = 5;
const BODY_SHOWN_MAX = 256 * 1024;

/** Null: the shop has no such connection. */
export async function readConnection(
  db: Queryable,
  { businessId, connectionId }: { businessId: string; connectionId: string },
): Promise<Connection | null> {
  const connection = await findConnection(db, connectionId);
  return connection?.businessId === businessId ? connection : null;
}

/** What a store said, and the messages that would go. */
export interface Example {
  call: CallEntry;
  messages: readonly { message: WouldPush; said: Said }[];
}

export interface Said {
  /** In the store's own words; null: we cannot tell any more. */
  status: string | null;
  at: Date | null;
  items: readonly { name: string; quantity: number }[];
}

/** A connection with what came of its newest calls. */
export async function readConnectionPage(db: Queryable, connection: Connection) {
  const of = { businessId: connection.businessId, connectionId: connection.id, order: null, before: null };
  const isWatching = connection.status === 'watching';
  const [watched, newest] = await Promise.all([
    isWatching ? readCalls(db, { ...of, outcome: 'would_push', limit: EXAMPLES_WANTED }) : [],
    readCalls(db, { ...of, limit: NEWEST_SHOWN }),
  ]);
  const ids = watched.map(({ id }) => id);
  const bodies =
    ids.length === 0 ? [] : await callBodies(db, connection.businessId, connection.id, ids, BODY_SHOWN_MAX);
  const examples = watched.map((call) => exampleOf(connection, call, bodies));
  return { connection, examples, newest };
}
export type ConnectionPage = Awaited<ReturnType<typeof readConnectionPage>>;

function exampleOf(connection: Connection, call: CallEntry, bodies: readonly CallBody[]): Example {
  const stored = bodies.find(({ id }) => id === call.id);
  const kind = kindOf(connection.kind);
  const facts = stored && isStoreKind(kind) ? orderFacts(kind, connection, stored) : null;
  const messages = (call.would_push ?? []).map((message) => ({
    message,
    said: facts && isStoreKind(kind) ? saidOf(kind, connection, facts, message) : NOTHING_SAID,
  }));
  return { call, messages };
}

const NOTHING_SAID: Said = { status: null, at: null, items: [] };

function orderFacts(kind: StoreKind, { settings }: Connection, stored: CallBody): OrderFacts | null {
  const { topic, headers, body, received_at: receivedAt } = stored;
  const reading = kind.read({ topic, headers, body, receivedAt }, { consentField: settings.consentField });
  return reading.kind === 'facts' ? reading.facts : null;
}

/** The store's word that makes this message, by today's table; where the table has changed since, its latest word. */
function saidOf(kind: StoreKind, { settings }: Connection, facts: OrderFacts, message: WouldPush): Said {
  const words = [...(facts.order?.statuses ?? []), ...facts.shipments];
  const tells = ({ status }: { status: string }) =>
    statusToldFor(kind.statuses, settings, status) === message.order_status;
  const word = words.findLast(tells) ?? words.at(-1);
  return { status: word?.status ?? null, at: word?.at ?? null, items: facts.order?.items ?? [] };
}

export interface LogFilter {
  order: string | null;
  outcome: CallEntry['outcome'];
  cursor: string | null;
}

const callCursors = pageCursors('calls of a connection');

/** The log of a connection, newest first. */
export const readLog = (
  db: Queryable,
  { businessId, id: connectionId }: Connection,
  { order, outcome, cursor }: LogFilter,
) =>
  readListPage(callCursors, cursor, PAGE_SIZE, (before, limit) =>
    readCalls(db, { businessId, connectionId, order, outcome, limit, before }),
  );
export type LogPage = Awaited<ReturnType<typeof readLog>>;

/** The rows of the table of statuses: the kind's own words, then those that the store has used. */
export function statusWords(
  kind: StoreKind | TrackingKind,
  { statusesSeen, settings }: Connection,
): string[] {
  if (!isStoreKind(kind)) return [];
  return [...new Set([...Object.keys(kind.statuses), ...statusesSeen, ...Object.keys(settings.statuses)])];
}

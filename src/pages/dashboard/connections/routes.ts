import type { FastifyRequest } from 'fastify';
import { REFERENCE_MAX } from '../../../config/limits.ts';
import { type Connection, listConnections } from '../../../connections/connections.ts';
import { isStoreKind, kindOf, knownKind } from '../../../connections/kinds.ts';
import type { Flashes } from '../../kit/flash.ts';
import { idFrom, paramOf, queryOf } from '../../kit/request.ts';
import { EMPTY_FORM, type RefusedForm } from '../../kit/typedForm.ts';
import { type Answer, type DashboardContext, markFor, type ShopRoute, type ShopVisit } from '../context.ts';
import { connectionGone } from '../notices.ts';
import { get, nothingHere, orNothingHere } from '../route.ts';
import { connectionPage } from './connection.tsx';
import { logPage } from './log.tsx';
import { type LogFilter, readConnection, readConnectionPage, readLog, statusWords } from './reads.ts';
import { knownOutcome } from './reasons.ts';
import { connectionSettingsPage } from './settings.tsx';
import { setupPage } from './setup.tsx';
import { connectionSecret } from './sql.ts';
import { statusesPage } from './statuses.tsx';
import { connectionsPage, kindsPage, newConnectionPage } from './views.tsx';

const LIST_FLASHES = {
  removed: ['good', 'The connection was removed, with its log and all that it knew of orders.'],
} satisfies Flashes;

const CONNECTION_FLASHES = {
  live: ['good', 'It is live: what the store tells from now on is sent.'],
  watching: ['good', 'It watches: nothing of it is sent.'],
  off: ['good', 'It is off.'],
  same: ['waiting', 'Nothing was changed: it was like this already.'],
  saved: ['good', 'Saved. It holds for the calls from now on.'],
  secret_saved: ['good', 'The secret was saved.'],
  ran_pushed: ['good', 'It was run again, and a message was sent.'],
  ran_would_push: ['good', 'It was run again: it shows what would be sent.'],
  ran_nothing_to_tell: [
    'waiting',
    'It was run again: there is still nothing to tell. Beside the call stands why.',
  ],
  ran_not_understood: ['bad', 'It was run again, and is still not understood. Beside the call stands why.'],
  ran_refused: ['bad', 'It was run again, and refused again. Beside the call stands why.'],
  ran: ['waiting', 'It is being run again. Look again in a moment.'],
} satisfies Flashes;
export type ConnectionFlash = keyof typeof CONNECTION_FLASHES;

export const BELOW = '/connections/:connection_id';

/** What a page shows and an action changes. */
export interface OnConnection {
  visit: ShopVisit;
  connection: Connection;
  request: FastifyRequest;
}

/** Finds the connection of the address; somebody else may have removed it since the page was made. */
export const onConnection =
  ({ pool }: DashboardContext, handle: (on: OnConnection) => Promise<Answer>): ShopRoute['handle'] =>
  async (visit, request) => {
    const connectionId = idFrom(paramOf(request, 'connection_id'));
    if (connectionId === null) return connectionGone(visit);
    const connection = await readConnection(pool, { businessId: visit.shop.id, connectionId });
    return connection === null ? connectionGone(visit) : handle({ visit, connection, request });
  };

/** The connections of a shop, and what each does. */
export function connectionRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock } = context;
  const listed = (visit: ShopVisit) => listConnections(pool, visit.shop.id);
  const on = (handle: (on: OnConnection) => Promise<Answer>) => onConnection(context, handle);
  const view = { action: 'shop.view', flashes: CONNECTION_FLASHES } as const;

  return [
    get('/connections', { action: 'shop.view', flashes: LIST_FLASHES }, async (visit) =>
      connectionsPage(visit, await listed(visit), clock.now()),
    ),
    get('/connections/new', 'connection.manage', async (visit) =>
      kindsPage(visit, (await listed(visit)).length),
    ),
    get('/connections/new/:kind', 'connection.manage', async (visit, request) =>
      newConnectionPage(visit, kindIn(request), EMPTY_FORM),
    ),
    get(
      BELOW,
      view,
      on(async ({ visit, connection, request }) => {
        const seen = await markOf(context, request, connection);
        const page = await readConnectionPage(pool, connection);
        const hasSecret = await readHasSecret(context, connection);
        return connectionPage(visit, { page, hasSecret, now: clock.now() }, seen);
      }),
    ),
    get(
      `${BELOW}/setup`,
      view,
      on((found) => showSetup(context, found, null)),
    ),
    get(
      `${BELOW}/statuses`,
      view,
      on(async (found) => showStatuses(found, EMPTY_FORM)),
    ),
    get(
      `${BELOW}/log`,
      view,
      on(async ({ visit, connection, request }) => {
        const seen = await markOf(context, request, connection);
        const filter = logFilterIn(queryOf(request));
        return logPage(visit, { connection, filter, log: await readLog(pool, connection, filter) }, seen);
      }),
    ),
    get(
      `${BELOW}/settings`,
      view,
      on(async ({ visit, connection }) => connectionSettingsPage(visit, { connection, form: EMPTY_FORM })),
    ),
  ];
}

/** The kind of a route's path. */
export const kindIn = (request: FastifyRequest) => orNothingHere(knownKind(paramOf(request, 'kind')));

const markOf = (context: DashboardContext, request: FastifyRequest, { businessId, id }: Connection) =>
  markFor(context, request, businessId, { connectionId: id });

async function readHasSecret({ pool }: DashboardContext, { id }: Connection): Promise<boolean> {
  const [row] = await connectionSecret(pool, id);
  return row?.has_secret ?? false;
}

/** `secret`: in the answer to the form that made it; a redirect would need it in an address. */
export async function showSetup(
  context: DashboardContext,
  { visit, connection, request }: OnConnection,
  secret: string | null,
  isNew = false,
) {
  const seen = await markOf(context, request, connection);
  const hasSecret = await readHasSecret(context, connection);
  return setupPage(visit, { connection, secret, hasSecret, now: context.clock.now() }, seen, isNew);
}

export function showStatuses({ visit, connection }: OnConnection, form: RefusedForm) {
  const kind = kindOf(connection.kind);
  if (!isStoreKind(kind)) throw nothingHere();
  return statusesPage(visit, { connection, kind, words: statusWords(kind, connection), form });
}

function logFilterIn({ order = '', outcome, cursor }: Record<string, string>): LogFilter {
  const typed = order.trim().slice(0, REFERENCE_MAX);
  return { order: typed === '' ? null : typed, outcome: knownOutcome(outcome), cursor: cursor ?? null };
}

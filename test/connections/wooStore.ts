import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { createBusiness } from '../../src/businesses/create.ts';
import { type CatchUpDeps, startCatchUp } from '../../src/connections/catchUp.ts';
import { addConnection, type Connection, findConnection } from '../../src/connections/connections.ts';
import { type Clock, later, systemClock } from '../../src/kit/clock.ts';
import { createSealer } from '../../src/kit/seal.ts';
import { createGuardedClient } from '../../src/webhooks/guardedClient.ts';
import { createAllowList } from '../../src/webhooks/publicAddress.ts';
import { testDatabase } from '../support/database.ts';
import { startLoopbackServer } from '../support/loopback.ts';
import { type LogLine, recordingLog } from '../support/recordingLog.ts';
import { SECRET_KEY } from '../support/secretKey.ts';

const KEY = { key: 'ck_made4tests', secret: 'cs_made4tests:%&' };
const AUTHORIZATION = `Basic ${Buffer.from(`${KEY.key}:${KEY.secret}`).toString('base64')}`;

export interface StoredOrder {
  id: number | string;
  date_modified_gmt: string;
  [field: string]: unknown;
}

type Answer = (query: URLSearchParams, response: ServerResponse, request: IncomingMessage) => void;

/**
 * A WooCommerce store on loopback with its orders, a connection that reads it, and a clock that can be moved. It answers as the store's
 * source does: later than `modified_after`, oldest change first, with the number of pages in a header.
 */
export async function wooStore({ path = '' } = {}) {
  const orders: StoredOrder[] = [];
  const requests: URL[] = [];
  const seams: { answer: Answer | null } = { answer: null };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://store.example');
    requests.push(url);
    if (seams.answer !== null) return seams.answer(url.searchParams, response, request);
    if (url.pathname !== `${path}/wp-json/wc/v3/orders`) return void response.writeHead(404).end('{}');
    if (request.headers.authorization !== AUTHORIZATION) return void response.writeHead(401).end('{}');
    listOrders(orders, url.searchParams, response);
  });
  const { port } = await startLoopbackServer(server);

  const database = await testDatabase();
  onTestFinished(() => database.drop());
  const { pool } = database;
  let aheadMs = 0;
  const clock: Clock = { now: () => later(systemClock.now(), aheadMs) };
  const logged: LogLine[] = [];
  const client = createGuardedClient({
    resolve: () => Promise.resolve([]),
    allowHosts: createAllowList([`127.0.0.1:${port}`]),
  });
  onTestFinished(() => client.destroy());
  const sealer = createSealer([SECRET_KEY]);
  let calls = 0;
  const onCalls = (): void => {
    calls += 1;
  };
  const deps: CatchUpDeps = { pool, clock, sealer, client, log: recordingLog(logged), onCalls, pauseMs: 0 };

  const { businessId } = await createBusiness(pool, clock, { name: 'Shop' });
  const { connection } = await addConnection(deps, {
    businessId,
    kind: 'woocommerce',
    name: null,
    secret: null,
    storeUrl: `http://127.0.0.1:${port}${path}`,
    credentials: KEY,
    actor: 'operator',
  });

  return {
    orders,
    requests,
    seams,
    pool,
    clock,
    deps,
    logged,
    connectionId: connection.id,
    port,
    woken: () => calls,
    advance(milliseconds: number): void {
      aheadMs += milliseconds;
    },
    /** The time of the store, some seconds from now. */
    time: (seconds = 0): string => wpTime(later(clock.now(), seconds * 1_000)),
    async connection(): Promise<Connection> {
      const found = await findConnection(pool, connection.id);
      if (found === null) throw new Error('the connection is gone');
      return found;
    },
    change: (sets: string): Promise<unknown> => pool.query(`update connections set ${sets}`),
    /** One process reads whatever is due, and ends. */
    async read(over: Partial<CatchUpDeps> = {}): Promise<void> {
      const loop = startCatchUp({ ...deps, ...over });
      await loop.drain();
      await loop.stop();
    },
    async stored(): Promise<{ topic: string; store_order: string; body: Record<string, unknown> }[]> {
      const { rows } = await pool.query(
        'select topic, store_order, body, is_watched from connection_calls order by id',
      );
      return rows.map((row) => ({ ...row, body: JSON.parse(row.body.toString()) }));
    },
    async storedIds(): Promise<string[]> {
      const { rows } = await pool.query('select store_order from connection_calls order by id');
      return rows.map(({ store_order }) => store_order);
    },
  };
}

const wpTime = (time: Date): string => time.toISOString().slice(0, 19);

export function listOrders(
  orders: readonly StoredOrder[],
  query: URLSearchParams,
  response: ServerResponse,
): void {
  if (query.get('dates_are_gmt') !== 'true' || query.get('orderby') !== 'modified')
    return void response.writeHead(400).end('{}');
  const after = query.get('modified_after') ?? '';
  const perPage = Number(query.get('per_page'));
  const page = Number(query.get('page'));
  const found = orders
    .filter(({ date_modified_gmt }) => date_modified_gmt > after)
    .sort((one, other) => (one.date_modified_gmt < other.date_modified_gmt ? -1 : 1));
  response.writeHead(200, {
    'content-type': 'application/json; charset=UTF-8',
    'x-wp-totalpages': String(Math.ceil(found.length / perPage)),
  });
  response.end(JSON.stringify(found.slice((page - 1) * perPage, page * perPage)));
}

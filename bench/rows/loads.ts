import { createBusiness } from '../../src/businesses/create.ts';
import { statement } from '../../src/db/statement.ts';
import { systemClock } from '../../src/kit/clock.ts';
import type { BenchDatabase } from '../environment.ts';
import type { RowLoad } from '../load/generator.ts';
import { getRequest, ORDERS_PATH, PUSH_PATH } from '../load/requests.ts';
import { alternate, type Compared, type Measured } from '../measure.ts';
import type { RoundPlan } from '../plan.ts';
import type { BenchServer } from '../program.ts';

const READERS = 16;
const VIEWED = 2_000;
const REPLAYED_KEYS = 1_000;
const BATCH_ITEMS = 100;
const BATCH_CLIENTS = 2;
const SHOPS = 64;
/** Few, so that both sides soon push to people whom they know. */
const RECIPIENTS_EACH = 1_000;
const CLIENTS_BESIDE = 16;

export const pushLoad = (
  { apiKey, recipients }: Pick<BenchDatabase, 'apiKey' | 'recipients'>,
  clients: number,
  path = PUSH_PATH,
): RowLoad => ({ clients, requests: { kind: 'push', path, apiKeys: [apiKey], recipients } });

/** A new process is slow until its code is compiled. */
export const warmUp = (server: BenchServer, path?: string): Promise<Measured> =>
  server.measure(pushLoad(server.database, 64, path), 6);

/** Pushes of 64 clients with a shop each. Creates the shops. */
export async function manyShopsLoad({ pool }: BenchDatabase): Promise<RowLoad> {
  const apiKeys: string[] = [];
  for (let number = 1; number <= SHOPS; number += 1) {
    const shop = await createBusiness(pool, systemClock, { name: `Shop ${number}`, credits: 1_000 });
    apiKeys.push(shop.apiKey);
  }
  const recipients = RECIPIENTS_EACH;
  return { clients: SHOPS, requests: { kind: 'push', path: PUSH_PATH, apiKeys, recipients } };
}

/** As many clients of one shop. */
export const oneShopLoad = ({ apiKey }: BenchDatabase): RowLoad =>
  pushLoad({ apiKey, recipients: RECIPIENTS_EACH }, SHOPS);

export const orderPushLoad = (
  { apiKey, recipients }: BenchDatabase,
  { shipment }: { shipment: boolean },
): RowLoad => ({ clients: READERS, requests: { kind: 'order_push', apiKey, recipients, shipment } });

export const trackingLoad = ({ apiKey, recipients }: BenchDatabase): RowLoad => ({
  clients: READERS,
  requests: { kind: 'tracking', apiKey, recipients },
});

/** Counts pushes. */
export const batchLoad = ({ apiKey, recipients }: BenchDatabase): RowLoad => ({
  clients: BATCH_CLIENTS,
  units: BATCH_ITEMS,
  requests: { kind: 'batch', apiKey, recipients, items: BATCH_ITEMS },
});

/** The generator pushes with every key before it counts. */
export const replayLoad = ({ apiKey, recipients }: BenchDatabase): RowLoad => ({
  clients: READERS,
  requests: { kind: 'replay', apiKey, recipients, keys: REPLAYED_KEYS },
});

export function getLoad({ apiKey }: BenchDatabase, paths: string[], clients = READERS): RowLoad {
  const requests = paths.map((path) => getRequest(path, `authorization: Bearer ${apiKey}`));
  return { clients, requests: { kind: 'written', requests } };
}

export const listLoad = (database: BenchDatabase): RowLoad => getLoad(database, [`${PUSH_PATH}?limit=50`]);
export const ordersLoad = (database: BenchDatabase): RowLoad =>
  getLoad(database, [`${ORDERS_PATH}?limit=50`]);

/** A random sample: merchants seldom read the message that was written last. */
export const someMessageIds = statement<[businessId: string, count: number], { id: string }>(`
  select id from messages where business_id = $1
  order by md5(id) limit $2`);

export async function viewLoad(database: BenchDatabase, under = PUSH_PATH): Promise<RowLoad> {
  const ids = await someMessageIds(database.pool, database.businessId, VIEWED);
  const paths = ids.map(({ id }) => `${under}/${id}`);
  return getLoad(database, paths);
}

const someReferences = statement<[businessId: string, count: number], { reference: string }>(`
  select reference from orders where business_id = $1
  order by md5(reference) limit $2`);

export async function orderLoad(database: BenchDatabase): Promise<RowLoad> {
  const orders = await someReferences(database.pool, database.businessId, VIEWED);
  const paths = orders.map(({ reference }) => `${ORDERS_PATH}/${encodeURIComponent(reference)}`);
  return getLoad(database, paths);
}

type Loaded = readonly [BenchServer, RowLoad];

/** Two servers under load, or one under two loads. */
export const compareLoads = (
  { seconds, rounds }: RoundPlan,
  [ours, load]: Loaded,
  [baseline, baselineLoad]: Loaded,
): Promise<Compared> =>
  alternate(
    rounds,
    () => ours.measure(load, seconds),
    () => baseline.measure(baselineLoad, seconds),
  );

/** Single pushes beside something else, against pushes alone. */
export async function comparePushesBeside(
  server: BenchServer,
  { seconds, rounds }: RoundPlan,
  begin: () => Promise<{ stop(): void }>,
): Promise<Compared> {
  const push = () => server.measure(pushLoad(server.database, CLIENTS_BESIDE), seconds);
  const pushBeside = async () => {
    const begun = await begin();
    try {
      return await push();
    } finally {
      begun.stop();
    }
  };
  await push();
  return alternate(rounds, pushBeside, push);
}

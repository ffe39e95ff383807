import type { RawCall } from '../../src/connections/kinds/kind.ts';
import { woocommerce } from '../../src/connections/kinds/woocommerce.ts';
import { storeCall } from '../../src/connections/storeCall.ts';
import type { SimulatedBusiness } from './businesses.ts';
import type { Simulation } from './simulation.ts';
import type { CommittedRecord } from './snapshot.ts';
import { LIVES, type StoreOrder } from './storeModel.ts';

/** What stores tell: late, twice, out of order, and again when nobody answered. */

/** Whom the orders of stores are for; a merchant may push to them, too. */
export const STORE_EMAIL = 'olive.numbat@example.com';
const ORDERS_MAX = 2;
const SHARE_WATCHED = 0.15;
const STATE_SECONDS = 10;
const STORE_BEGAN = Date.parse('2026-08-20T08:00:00.000Z');

interface Call {
  business: SimulatedBusiness;
  order: StoreOrder;
  place: number;
  raw: RawCall;
}

/** A store sends several calls at once. */
export async function callsFromStore(simulation: Simulation): Promise<void> {
  const { random, businesses } = simulation;
  const business = random.pick(businesses);
  for (let left = 1 + random.below(4); left > 0; left -= 1)
    await callOf(simulation, business, anyOrderOf(simulation, business));
}

/** An order goes on, skips a state, is saved again or comes late. */
async function callOf(simulation: Simulation, business: SimulatedBusiness, order: StoreOrder): Promise<void> {
  const { random } = simulation;
  const last = order.life.length - 1;
  const place = random.weighted([
    [10, Math.min(order.furthest + 1, last)],
    [2, Math.min(order.furthest + 2, last)],
    [4, random.below(Math.min(order.furthest + 1, last) + 1)],
  ]);
  const call = { business, order, place, raw: rawCall(order, place, random.chance(0.3) ? 1 : 0) };
  simulation.count(place < order.furthest ? 'store called late' : 'store called');
  await send(simulation, call);
  if (!random.chance(0.3)) return;
  simulation.count('store called twice');
  if (random.chance(0.5)) await send(simulation, call);
  else simulation.redeliveries.push(() => send(simulation, call));
}

function anyOrderOf(simulation: Simulation, { store }: SimulatedBusiness): StoreOrder {
  const { random } = simulation;
  if (store.orders.length === ORDERS_MAX || (store.orders.length > 0 && random.chance(0.7)))
    return random.pick(store.orders);
  const isWatched = random.chance(SHARE_WATCHED);
  return store.add({ id: simulation.nextNumber(), isWatched, life: random.pick(LIVES) });
}

async function send(simulation: Simulation, call: Call): Promise<void> {
  const { business, order, place, raw } = call;
  const { pool } = simulation.testBed;
  const { store } = business;
  store.send(order, place);
  const process = simulation.anyProcess();
  simulation.note(`${process.name} hears of ${order.number}: ${order.life[place]?.word}`);
  const status = order.isWatched ? ('watching' as const) : ('live' as const);
  const connection = { id: store.connectionId, businessId: business.id, status };
  await simulation.start(
    `store ${order.number}`,
    process,
    async () => {
      const description = woocommerce.describe(raw);
      const outcome = await storeCall(pool, simulation.clock, connection, {
        description,
        headers: {},
        body: raw.body,
        isPing: false,
      });
      simulation.count(`store call ${outcome}`);
    },
    {
      effect: () => store.store(order, place),
      lost: () => simulation.redeliveries.push(() => send(simulation, call)),
    },
  );
}

function rawCall({ id, number, life }: StoreOrder, place: number, savedAgain: number): RawCall {
  const modified = new Date(STORE_BEGAN + (place * STATE_SECONDS + savedAgain) * 1_000);
  const order = {
    id,
    number,
    status: life[place]?.word,
    date_modified_gmt: modified.toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length),
    billing: { email: STORE_EMAIL, first_name: 'Olive' },
    line_items: [{ name: 'Red mug', quantity: 1 }],
  };
  return {
    header: (name) => (name === 'x-wc-webhook-topic' ? 'order.updated' : undefined),
    query: new URLSearchParams(),
    body: Buffer.from(JSON.stringify(order)),
  };
}

/** Those of stores are our own, with a key that no merchant can have. */
export const isOfStore = ({ scope, key }: CommittedRecord): boolean =>
  scope === 'push' && key.startsWith('connection\n');

/** A status that is told is a push as any other. */
export function updateModelFromStore(simulation: Simulation, record: CommittedRecord): void {
  const business = simulation.businesses.find(({ id }) => id === record.business_id);
  const pushed: { id: string; created: boolean; subject: string; updated_at: string } = JSON.parse(
    record.response,
  );
  const { id, subject, created } = pushed;
  const at = Date.parse(pushed.updated_at);
  const told = business?.store.tell(subject, at) ?? null;
  if (!business || told === null) {
    simulation.fail(`the store did not say: ${subject}`);
    return;
  }
  if (told.wrong !== null) simulation.fail(told.wrong);
  simulation.count(`store told ${told.status}`);
  const { messages, people, orders } = business;
  const message = {
    email: STORE_EMAIL,
    subject,
    kind: 'updateable' as const,
    notify: true,
    obsoletes: [],
    reference: told.order.number,
    orderStatus: told.status,
    milestoneAt: null,
  };
  const match = messages.match(message);
  if (created !== (match === null) || (match !== null && match !== id))
    simulation.fail(`${told.status} of ${told.order.number} should have ${match ?? 'a message of its own'}`);
  people.push({ email: STORE_EMAIL, phone: null, optIn: false });
  for (const named of [messages.byId.get(id)?.reference ?? null, told.order.number])
    orders.touch(named, simulation.commits);
  messages.push(id, message, at);
}

/** After healing: nothing waits, and what must be told is told. */
export async function checkStores(simulation: Simulation): Promise<void> {
  const { monitor } = simulation.testBed.connections;
  const { rows } = await monitor.query<{ waiting: number }>(
    'select count(*)::int as waiting from connection_calls where due_at is not null',
  );
  if (rows[0]?.waiting !== 0) simulation.fail(`${rows[0]?.waiting} calls of stores still wait`);
  for (const { store } of simulation.businesses)
    for (const status of store.untold()) simulation.fail(`${status} is never told`);
}

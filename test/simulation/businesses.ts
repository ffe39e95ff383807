import { createBusiness } from '../../src/businesses/create.ts';
import type { SettingsChange } from '../../src/businesses/settings.ts';
import { changeSettings } from '../../src/businesses/settingsChange.ts';
import { addConnection, changeConnection } from '../../src/connections/connections.ts';
import { type EventType, typesByDefault } from '../../src/contract/eventTypes.ts';
import { type TrackingStatus, trackingStatuses } from '../../src/contract/orders.ts';
import { transaction } from '../../src/db/transaction.ts';
import { createEndpoint } from '../../src/webhooks/endpoints.ts';
import { createAllowList } from '../../src/webhooks/publicAddress.ts';
import { MessagesModel } from './messagesModel.ts';
import { OrdersModel } from './ordersModel.ts';
import { RecipientsModel } from './recipientsModel.ts';
import type { Simulation } from './simulation.ts';
import { StoreModel } from './storeModel.ts';

export interface SimulatedBusiness {
  id: string;
  /** Never revoked, so that a merchant always has a key. */
  apiKey: string;
  keyId: string;
  /** Keys minted later, active or revoked. */
  minted: { id: string; key: string }[];
  people: RecipientsModel;
  messages: MessagesModel;
  orders: OrdersModel;
  store: StoreModel;
  /** The tracking statuses that nudge. */
  nudging: readonly TrackingStatus[];
}

const LOW_BALANCE = 3;

/** Of the second merchant, whose customers hear of every milestone, by text if need be. */
const TRACKING: (Pick<SettingsChange, 'trackingChannels' | 'trackingEscalateMinutes'> & {
  trackingNudges?: TrackingStatus[];
})[] = [
  {},
  {
    trackingNudges: trackingStatuses.filter((status) => status !== 'returned'),
    trackingChannels: ['sms'],
    trackingEscalateMinutes: 5,
  },
];
const NUDGING_BY_DEFAULT: readonly TrackingStatus[] = [
  'out_for_delivery',
  'delivery_attempted',
  'available_for_pickup',
  'delivered',
  'delayed',
];

/** The first merchant's endpoint names no types; the second's names all, and so follows orders. */
const EVENT_TYPES: EventType[][] = [[], [...typesByDefault, 'order.updated']];

/** A merchant with an account, a first key and an endpoint. */
export async function addBusiness(simulation: Simulation, credits: number): Promise<void> {
  const { pool } = simulation.testBed;
  const [process] = simulation.processes;
  if (!process) throw new Error('there is no process');
  const number = simulation.businesses.length;
  const tracking = TRACKING[number] ?? {};
  await simulation.start('set up', process, async () => {
    const made = await createBusiness(pool, simulation.clock, { name: `Shop ${number}`, credits });
    await transaction(pool, (tx) =>
      changeSettings(
        tx,
        simulation.clock.now(),
        made.businessId,
        {
          lowBalanceThreshold: LOW_BALANCE,
          replyForward: 'full',
          replyAckCredits: 2,
          contactEmail: 'contact@shop.example',
          ...tracking,
        },
        'operator',
      ),
    );
    await addEndpoint(simulation, made, EVENT_TYPES[number] ?? []);
    const messages = new MessagesModel();
    simulation.businesses.push({
      id: made.businessId,
      apiKey: made.apiKey,
      keyId: made.keyId,
      minted: [],
      people: new RecipientsModel(),
      messages,
      orders: new OrdersModel(messages),
      store: new StoreModel(await connectStore(simulation, made.businessId)),
      nudging: tracking.trackingNudges ?? NUDGING_BY_DEFAULT,
    });
  });
  await simulation.settle();
}

/** Answers the id of its connection. */
async function connectStore(simulation: Simulation, businessId: string): Promise<string> {
  const { pool, sealer } = simulation.testBed;
  const deps = { pool, clock: simulation.clock, sealer };
  const asked = { kind: 'woocommerce', name: null, secret: null, storeUrl: null, credentials: null } as const;
  const { connection } = await addConnection(deps, { ...asked, businessId, actor: 'operator' });
  await changeConnection(deps, connection, { status: 'live' }, 'operator');
  return connection.id;
}

async function addEndpoint(
  simulation: Simulation,
  { businessId, keyId }: { businessId: string; keyId: string },
  eventTypes: EventType[],
): Promise<void> {
  const { pool, sealer } = simulation.testBed;
  const { secret } = await createEndpoint(
    {
      pool,
      clock: simulation.clock,
      sealer,
      hosts: {
        resolve: async () => [],
        allowHosts: createAllowList(['receiver.test:9000']),
        unresolved: 'refuse',
      },
    },
    { businessId, keyId, url: `http://receiver.test:9000/${businessId}`, eventTypes, description: '' },
  );
  simulation.secrets.set(`/${businessId}`, secret);
}

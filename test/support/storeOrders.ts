import { decideCall } from '../../src/connections/decide.ts';
import type { OrderFacts, StoreShipment } from '../../src/connections/facts.ts';
import { type KnownOrder, withTold } from '../../src/connections/knownOrder.ts';
import type { OrderStatus } from '../../src/contract/orderStatuses.ts';
import { later, MINUTE } from '../../src/kit/clock.ts';
import { isObject } from '../../src/kit/json.ts';

export const NOW = new Date('2026-08-20T09:15:00.000Z');

interface OrderChoice {
  statuses?: readonly string[];
  /** After NOW, when the store wrote the order. */
  minute?: number;
  statusAt?: Date | null;
  createdAt?: Date;
  email?: string | null;
  isTest?: boolean;
  total?: number | null;
  shipments?: readonly StoreShipment[];
}

/** What a store says of its order 7. */
export const orderFacts = (choice: OrderChoice): OrderFacts => {
  const { statuses = [], minute = 0, statusAt = NOW, createdAt = NOW, email = 'ann@example.com' } = choice;
  return {
    storeOrder: '7',
    order: {
      number: '1007',
      modifiedAt: later(NOW, minute * MINUTE),
      createdAt,
      isTest: choice.isTest ?? false,
      email,
      phone: null,
      permitsTexts: false,
      firstName: 'Ann',
      language: null,
      url: null,
      items: [],
      statuses: statuses.map((status) => ({ status, at: statusAt })),
      total: choice.total ?? null,
    },
    shipments: choice.shipments ?? [],
    events: [],
    refunds: [],
  };
};

export const shipmentFacts = (id: string, trackingNumber: string): StoreShipment => ({
  id,
  status: 'tracking_added',
  at: NOW,
  modifiedAt: null,
  isQuiet: false,
  parcels: [{ trackingNumber, carrier: 'DPD', trackingUrl: null }],
});

export type StoryCall = OrderFacts & {
  isWatched?: boolean;
  isAgain?: boolean;
  /** What the shop has chosen by then. */
  settings?: Record<string, OrderStatus | null>;
};

interface StoryRules {
  tellsEachShipment?: boolean;
  statuses?: Record<string, OrderStatus | null>;
}

const DEFAULTS: Record<string, OrderStatus | null> = {
  processing: 'confirmed',
  completed: 'shipped',
  cancelled: 'cancelled',
  refunded: 'refunded',
  tracking_added: 'shipped',
};

/** Decides calls one after another, each of whose messages is pushed. */
export function play(
  calls: readonly StoryCall[],
  { tellsEachShipment = false, statuses = {} }: StoryRules = {},
) {
  const story = {
    told: [] as string[],
    /** The names of the changes that were told, and of those that would have been. */
    changes: [] as string[],
    watchedChanges: [] as string[],
    watched: [] as string[],
    quiet: [] as string[],
    events: [] as string[],
    reasons: [] as (string | null)[],
  };
  let known: KnownOrder | null = null;
  for (const { isWatched = false, isAgain = false, settings = {}, ...facts } of calls) {
    const verdict = decideCall(
      known,
      facts,
      {
        defaults: { ...DEFAULTS, ...statuses },
        settings: { statuses: settings },
        tellsEachShipment,
        trackingNudges: ['delivered', 'delayed'],
      },
      { isWatched, isAgain, receivedAt: NOW },
    );
    const said = verdict.messages.map(({ status, parcels }) =>
      [status, ...parcels.map(({ trackingNumber }) => trackingNumber)].join(' '),
    );
    story[isWatched ? 'watched' : 'told'].push(...said);
    story[isWatched ? 'watchedChanges' : 'changes'].push(
      ...verdict.messages.flatMap(({ changes }) => changes),
    );
    story.quiet.push(...verdict.quietParcels.map(({ trackingNumber }) => trackingNumber));
    story.events.push(...verdict.events.map(({ trackingNumber, status }) => `${trackingNumber} ${status}`));
    story.reasons.push(said.length > 0 ? null : verdict.reason);
    known = verdict.known;
    if (!isWatched)
      for (const message of verdict.messages)
        known = withTold(known, message, { email: 'ann@example.com', subject: message.status });
    known = asStored(known);
  }
  return story;
}

/** The database answers the fields of JSON in an order of its own. */
const asStored = (known: KnownOrder): KnownOrder =>
  JSON.parse(JSON.stringify(known, (_, value: unknown) => (isObject(value) ? reversed(value) : value)));

const reversed = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).reverse());

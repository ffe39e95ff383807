import { IDEMPOTENCY_MEMORY_MS } from '../../src/config/limits.ts';
import type { OrderStatus } from '../../src/contract/orderStatuses.ts';
import { dictionaries } from '../../src/language/dictionaries.ts';

/** A state of an order in the store, in its own word. */
interface StoreState {
  word: string;
  /** The status that it is told as; null: it is not told. */
  tells: OrderStatus | null;
}

const PENDING: StoreState = { word: 'pending', tells: null };
const PROCESSING: StoreState = { word: 'processing', tells: 'confirmed' };
const COMPLETED: StoreState = { word: 'completed', tells: 'shipped' };
const CANCELLED: StoreState = { word: 'cancelled', tells: 'cancelled' };
const REFUNDED: StoreState = { word: 'refunded', tells: 'refunded' };

export const LIVES: readonly (readonly StoreState[])[] = [
  [PENDING, PROCESSING, COMPLETED],
  [PROCESSING, COMPLETED],
  [PROCESSING, CANCELLED],
  [PROCESSING, COMPLETED, REFUNDED],
];

export interface StoreOrder {
  id: number;
  number: string;
  /** All its calls come while the connection is watching. */
  isWatched: boolean;
  life: readonly StoreState[];
  /** The furthest place in its life that a call has named, answered or not. */
  furthest: number;
  /** What must be told: it was stored before a call named anything newer. */
  must: Set<OrderStatus>;
  /** What was told, and when. */
  told: Map<OrderStatus, number>;
}

/** The model of a connected store: what its calls said, and which statuses are told once. */
export class StoreModel {
  readonly connectionId: string;
  readonly orders: StoreOrder[] = [];

  constructor(connectionId: string) {
    this.connectionId = connectionId;
  }

  add(order: Pick<StoreOrder, 'id' | 'isWatched' | 'life'>): StoreOrder {
    const number = `W-${order.id}`;
    const added = { ...order, number, furthest: -1, must: new Set<OrderStatus>(), told: new Map() };
    this.orders.push(added);
    return added;
  }

  /** A call is sent. */
  send(order: StoreOrder, place: number): void {
    order.furthest = Math.max(order.furthest, place);
  }

  /** A call is stored, perhaps not for the first time. */
  store(order: StoreOrder, place: number): void {
    const tells = order.life[place]?.tells ?? null;
    if (place === order.furthest && tells !== null && !order.isWatched) order.must.add(tells);
  }

  /** A message with this subject was pushed. Answers what it tells, and why that is wrong; null: that is right. */
  tell(subject: string, at: number): { order: StoreOrder; status: OrderStatus; wrong: string | null } | null {
    for (const order of this.orders)
      for (const { tells } of order.life) {
        if (tells === null || subjectOf(tells, order.number) !== subject) continue;
        const wrong = whyWrong(order, tells, at);
        order.told.set(tells, at);
        return { order, status: tells, wrong };
      }
    return null;
  }

  untold(): string[] {
    return this.orders.flatMap(({ number, must, told }) =>
      [...must].filter((status) => !told.has(status)).map((status) => `${status} of ${number}`),
    );
  }
}

function whyWrong({ number, isWatched, told, furthest, life }: StoreOrder, status: OrderStatus, at: number) {
  if (isWatched) return `${status} of ${number} is told, and was watched`;
  const before = told.get(status);
  // A key is forgotten after a day.
  if (before !== undefined && at - before < IDEMPOTENCY_MEMORY_MS)
    return `${status} of ${number} is told a second time`;
  if (status === 'confirmed' && told.has('shipped')) return `${number} is confirmed after it was shipped`;
  const place = life.findIndex(({ tells }) => tells === status);
  return place > furthest ? `${status} of ${number} is told, and the store did not say so` : null;
}

function subjectOf(status: OrderStatus, number: string): string {
  const news = dictionaries.en[`order.${status}`].replace('{reference}', number);
  return `${news.charAt(0).toUpperCase()}${news.slice(1)}`;
}

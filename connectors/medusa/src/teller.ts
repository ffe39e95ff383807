import { IdempotencyKeyReusedError, Waypost, WaypostError } from '@waypost/client';
import { at } from '../../../src/kit/json.ts';
import type { PluginOptions } from './options.ts';
import { OrderQueue } from './orderQueue.ts';
import { type Passing, passingTime, persist } from './persist.ts';
import { type Query, readOrder, readShopName } from './readOrder.ts';
import type { StoreEvent } from './storeEvents.ts';
import { storeOrderFrom } from './storeOrder.ts';
import { type Update, updateOf } from './update.ts';

/** Medusa's logger. It gets ids and codes, never a person's data. */
export interface Logger {
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}

export interface Shop {
  query: Query;
  logger: Logger;
}

export interface Teller {
  /** Resolves when the order was read and its update is queued; `told` resolves when it was told, or given up. */
  hear(shop: Shop, event: StoreEvent, data: unknown): Promise<{ told: Promise<void> }>;
}

/** One attempt; between attempts of its own the client waits at most five seconds. */
const ATTEMPT_DEADLINE_MS = 20_000;
const READ_PAUSES_MS = [1_000, 5_000, 30_000];
/** An order that waits takes some kilobytes. */
const WAITING_ORDERS_MAX = 20_000;
/** The name that texts show if neither the options nor Medusa name the shop. */
const NAMELESS_SHOP = 'Your shop';

type Pushable = Extract<Update, { kind: 'push' }>;

export function createTeller(options: PluginOptions, time: Passing = passingTime): Teller {
  const { apiKey, baseUrl } = options;
  const waypost = new Waypost({ apiKey, baseUrl, deadlineMs: ATTEMPT_DEADLINE_MS });
  const queue = new OrderQueue();

  async function tell({ push, idempotencyKey, moreParcels }: Pushable): Promise<void> {
    await waypost.messages.push(push, { idempotencyKey });
    for (const { tracking_number, ...facts } of moreParcels)
      await waypost.orders.putShipment(push.reference ?? '', tracking_number, facts);
  }

  /** No bus repeats an event by itself, and a database may be away for a moment. */
  async function reading<T>(read: () => Promise<T>): Promise<T> {
    for (const pauseMs of READ_PAUSES_MS)
      try {
        return await read();
      } catch {
        await time.sleep(pauseMs);
      }
    return read();
  }

  /** Never rejects. */
  async function deliver(update: Pushable, about: string, logger: Logger, isOvertaken: () => boolean) {
    // A confirmation that is late says nothing any more, and would take the order's status back.
    const isWanted = () => update.status !== 'confirmed' || !isOvertaken();
    try {
      const outcome = await persist(() => tell(update), { isWanted, time });
      if (outcome === 'unwanted') logger.info(`waypost: ${about} tells nothing: late`);
    } catch (error) {
      // The same event once more, of an order that has changed since.
      if (error instanceof IdempotencyKeyReusedError)
        logger.info(`waypost: ${about} tells nothing: already_told`);
      else logger.error(`waypost: ${about} was not told: ${described(error)}`);
    }
  }

  return {
    async hear({ query, logger }, event, data) {
      const silence = (reason: string) => {
        logger.info(`waypost: ${event} tells nothing: ${reason}`);
        return { told: Promise.resolve() };
      };
      const found = await reading(() => readOrder(query, event, data));
      const order = found === null ? null : storeOrderFrom(found.record, options.consentField);
      if (found === null || order === null) return silence('no_order');
      const shopName = options.shopName ?? ((await reading(() => readShopName(query))) || NAMELESS_SHOP);
      const isQuiet = at(data, 'no_notification') === true;
      const { fulfilmentId } = found;
      const update = updateOf({ event, isQuiet, fulfilmentId, order, shopName }, options);
      if (update.kind === 'nothing') return silence(update.reason);
      const about = `${event} of ${order.id}`;
      if (queue.size < WAITING_ORDERS_MAX)
        return { told: queue.add(order.id, (isOvertaken) => deliver(update, about, logger, isOvertaken)) };
      logger.error(`waypost: ${about} is lost: ${WAITING_ORDERS_MAX} orders wait already`);
      return { told: Promise.resolve() };
    },
  };
}

/** An error's own message can repeat what was sent. */
const described = (error: unknown): string =>
  error instanceof WaypostError
    ? `${error.code} (request ${error.requestId ?? 'without an answer'})`
    : error instanceof Error
      ? error.name
      : 'unknown';

import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { inParallel } from '../bench/measure.ts';
import { monotonicMs, SECOND } from '../src/kit/clock.ts';
import type { SeededRandom } from '../test/support/seededRandom.ts';
import type { PushResults } from './merchants.ts';

/** A WooCommerce store that tells of its orders. Unlike the real one it repeats what was not answered with 2xx. */
export interface StoreOptions {
  /** Of its connection. */
  address: string;
  secret: string;
  chance: SeededRandom;
}

/** What became of an order in the store, and what was told of it to us. */
export interface ToldOrder {
  number: string;
  email: string;
  /** Which messages may tell of it, in their order. */
  may: readonly string[];
  /** Which of these must: what was answered before anything newer was sent, and the last. */
  must: readonly string[];
  trackingNumber: string | null;
}

export interface StoreResults extends Pick<PushResults, 'unexpected' | 'statuses'> {
  orders: ToldOrder[];
  calls: number;
}

interface State {
  status: string;
  tracking: string | null;
  /** The order status that it is told as; null: none. */
  tells: string | null;
}

const AT_ONCE = 32;
const TIMEOUT_MS = 15 * SECOND;
const RETRY_AFTER_MS = 150;
const PAUSE_MAX_MS = 2 * SECOND;
/** The shares of states that are overtaken by the next, saved again without a change, sent again later, and sent twice at once. */
const OVERTAKEN = 0.15;
const SAVED_AGAIN = 0.2;
const REPEATED = 0.2;
const TWICE = 0.1;

/** Orders begin spread over `overMs`; each runs through its life. */
export async function runStore(
  orders: number,
  overMs: number,
  { address, secret, chance }: StoreOptions,
): Promise<StoreResults> {
  const dispatcher = new Agent({ connections: AT_ONCE });
  const began = monotonicMs();
  const results: StoreResults = { orders: [], calls: 0, unexpected: [], statuses: {} };

  const send = async (body: string): Promise<void> => {
    const signature = createHmac('sha256', secret).update(body).digest('base64');
    results.calls += 1;
    for (;;) {
      const { status, text } = await post(dispatcher, address, body, signature);
      results.statuses[status] = (results.statuses[status] ?? 0) + 1;
      if (status === 200) return;
      if (![0, 429, 503].includes(status)) results.unexpected.push(`${status} ${text.slice(0, 200)}`);
      await sleep(RETRY_AFTER_MS * (1 + chance.next()));
    }
  };
  await inParallel(orders, AT_ONCE, async (at) => {
    await sleep(Math.max(0, began + (overMs * at) / orders - monotonicMs()));
    results.orders.push(await liveThrough(at + 1, send, chance));
  });
  await dispatcher.destroy();
  return results;
}

async function liveThrough(
  id: number,
  send: (body: string) => Promise<void>,
  chance: SeededRandom,
): Promise<ToldOrder> {
  const states = lifeOf(id, chance);
  const plan = planOf(states, chance);
  const sent: string[] = [];
  const must = new Set<string>();
  let newest = 0;
  for (const { state, place, second } of plan) {
    const isNewest = place >= newest;
    newest = Math.max(newest, place);
    const body = JSON.stringify(orderBody(id, state, second));
    await Promise.all((chance.happens(TWICE) ? [body, body] : [body]).map(send));
    if (isNewest && state.tells !== null) must.add(state.tells);
    sent.push(body);
    const again = chance.happens(REPEATED) ? chance.oneOf(sent) : null;
    if (again !== null) await send(again);
    await sleep(PAUSE_MAX_MS * chance.next());
  }
  return {
    number: numberOf(id),
    email: emailOf(id),
    may: [...new Set(states.flatMap(({ tells }) => tells ?? []))],
    must: [...must],
    trackingNumber: states.at(-1)?.tracking ?? null,
  };
}

const PENDING: State = { status: 'pending', tracking: null, tells: null };
const PROCESSING: State = { status: 'processing', tracking: null, tells: 'confirmed' };
const CANCELLED: State = { status: 'cancelled', tracking: null, tells: 'cancelled' };
const COMPLETED: State = { status: 'completed', tracking: null, tells: 'shipped' };

/** Some are paid at once, some are cancelled, and some get their tracking number after they were completed. */
function lifeOf(id: number, chance: SeededRandom): State[] {
  const tracked = { ...COMPLETED, tracking: `JD${1_000_000 + id}` };
  const first = chance.happens(0.5) ? [PENDING, PROCESSING] : [PROCESSING];
  const last = chance.oneOf([[tracked], [tracked], [tracked], [COMPLETED, tracked], [CANCELLED]]) ?? [];
  return [...first, ...last];
}

/** In the order in which they are sent, each with the second in which the store wrote it. */
function planOf(states: readonly State[], chance: SeededRandom) {
  const plan = states.map((state, place) => ({ state, place, second: place * 10 }));
  for (let at = 0; at + 1 < plan.length; at += 2)
    if (chance.happens(OVERTAKEN)) plan.splice(at, 2, ...plan.slice(at, at + 2).reverse());
  return plan.flatMap((one) =>
    chance.happens(SAVED_AGAIN) ? [one, { ...one, second: one.second + 1 }] : [one],
  );
}

const numberOf = (id: number): string => `W-${id}`;
const emailOf = (id: number): string => `customer${id}@example.com`;
const STORE_BEGAN = Date.now();

/** As the store writes its times. */
const secondOf = (second: number): string =>
  new Date(STORE_BEGAN + second * SECOND).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);

const orderBody = (id: number, { status, tracking }: State, second: number) => ({
  id,
  number: numberOf(id),
  status,
  date_created_gmt: secondOf(0),
  date_modified_gmt: secondOf(second),
  billing: { email: emailOf(id), first_name: 'Ann' },
  line_items: [{ name: 'Red mug', quantity: 1 }],
  meta_data:
    tracking === null
      ? []
      : [
          {
            key: '_wc_shipment_tracking_items',
            value: [{ tracking_provider: 'dpd', tracking_number: tracking }],
          },
        ],
});

async function post(dispatcher: Agent, address: string, body: string, signature: string) {
  try {
    const answer = await request(address, {
      dispatcher,
      method: 'POST',
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      headers: {
        'content-type': 'application/json',
        'x-wc-webhook-topic': 'order.updated',
        'x-wc-webhook-signature': signature,
      },
      body,
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  } catch (error) {
    return { status: 0, text: String(error) };
  }
}

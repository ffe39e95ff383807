import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { inParallel } from '../bench/measure.ts';
import { monotonicMs, SECOND } from '../src/kit/clock.ts';
import { listAt, parseJsonText, textAt } from '../src/kit/json.ts';
import type { SeededRandom } from '../test/support/seededRandom.ts';
import { postMessages } from './pushClient.ts';

export interface PushResults {
  /** Pushes that got a 2xx response. */
  acknowledged: { shop: number; subject: string; messageId: string }[];
  /** Keys of calls that got different responses to two requests. */
  inconsistent: string[];
  /** Responses other than 2xx, 409 in progress, 429 and 503. */
  unexpected: string[];
  /** By status; 0: no response. */
  statuses: Record<number, number>;
}

export interface MerchantsOptions {
  baseUrl: string;
  /** By the shop's number. */
  apiKeys: readonly string[];
  chance: SeededRandom;
}

const AT_ONCE = 48;
const TIMEOUT_MS = 15 * SECOND;
const RETRY_AFTER_MS = 150;
/** Of `pushUntil`. */
const PUSHES_MAX = 60_000;
const CALLS_PER_ROUND = 170;
const ROUND_MS = 2 * SECOND;
/** The share of calls that are sent twice at once, as some merchants' programs do. */
const TWICE = 0.05;

/**
 * Spreads the calls over `overMs`, and retries each with the same key until it succeeds, as the interface asks of
 * merchants.
 */
export async function pushAll(
  calls: readonly PushCall[],
  overMs: number,
  { baseUrl, apiKeys, chance }: MerchantsOptions,
  pushed: PushResults = { acknowledged: [], inconsistent: [], unexpected: [], statuses: {} },
): Promise<PushResults> {
  const dispatcher = new Agent({ connections: AT_ONCE });
  const began = monotonicMs();

  const pushUntilAccepted = async ({ shop, key, orders, batch }: PushCall): Promise<string> => {
    const client = { baseUrl, apiKey: apiKeys[shop] ?? '', dispatcher };
    const bodies = orders.map(({ body }) => body);
    for (;;) {
      const [path, body] = batch ? ['/batch', { items: bodies }] : ['', bodies[0]];
      const { status, text } = await postMessages(client, path, key, body, TIMEOUT_MS);
      pushed.statuses[status] = (pushed.statuses[status] ?? 0) + 1;
      if (status === (batch ? 200 : 201)) return text;
      if (![0, 409, 429, 503].includes(status)) pushed.unexpected.push(`${status} ${text.slice(0, 200)}`);
      await sleep(RETRY_AFTER_MS * (1 + chance.next()));
    }
  };
  await inParallel(calls.length, AT_ONCE, async (at) => {
    const call = calls[at];
    if (!call) return;
    const startAt = began + (overMs * at) / calls.length;
    await sleep(Math.max(0, startAt - monotonicMs()));
    const times = chance.happens(TWICE) ? [call, call] : [call];
    const [first = '', second = first] = await Promise.all(times.map(pushUntilAccepted));
    if (first !== second) pushed.inconsistent.push(call.key);
    pushed.acknowledged.push(...acknowledgedBy(call, first));
  });
  await dispatcher.destroy();
  return pushed;
}

/** Rounds of pushes of one shop follow each other until it is over, and one more. */
export async function pushUntil(isOver: () => boolean, options: MerchantsOptions): Promise<PushResults> {
  const calls = callsFor(PUSHES_MAX, 1);
  const all = await pushAll([], 0, options);
  for (let isLast = false; !isLast && calls.length > 0; ) {
    isLast = isOver();
    await pushAll(calls.splice(0, CALLS_PER_ROUND), ROUND_MS, options, all);
  }
  return all;
}

export const pushFigures = ({ acknowledged, statuses }: PushResults) => ({
  'pushes acknowledged': acknowledged.length,
  'answers by status (0: none)': statusesOf(statuses),
});

export const statusesOf = (statuses: Readonly<Record<number, number>>): string =>
  Object.entries(statuses)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ');

function acknowledgedBy({ shop, orders, batch }: PushCall, text: string): PushResults['acknowledged'] {
  const body = parseJsonText(text);
  const ids = batch
    ? listAt(body, 'items').map((item) => textAt(item, 'result', 'id'))
    : [textAt(body, 'id')];
  return orders.map(({ subject }, index) => ({ shop, subject, messageId: ids[index] ?? 'no id' }));
}

/** One call: a single push, or a batch of them. */
interface PushCall {
  readonly shop: number;
  readonly key: string;
  readonly orders: readonly ReturnType<typeof order>[];
  readonly batch: boolean;
}

const BATCH_OF = 20;
/** One push in this many is part of a batch. */
const BATCHES_EVERY = 5;
const PUSHES_PER_PERSON = 4;

export function callsFor(pushes: number, shops: number): PushCall[] {
  const calls: PushCall[] = [];
  for (let n = 0; n < pushes; ) {
    const batch = n % (BATCH_OF * BATCHES_EVERY) === 0;
    const size = batch ? Math.min(BATCH_OF, pushes - n) : 1;
    const orders = Array.from({ length: size }, (_, index) => order(n + index));
    calls.push({ shop: calls.length % shops, key: `call-${calls.length}`, orders, batch });
    n += size;
  }
  return calls;
}

/** A push of the run. Its number determines everything, so that the audit can find it; the subject is unique in the run. */
function order(n: number) {
  const person = Math.floor(n / PUSHES_PER_PERSON);
  const subject = `Order ${n}`;
  const body = {
    recipient_email: `person${person}@example.com`,
    recipient_phone: `+447400${100_000 + person}`,
    subject,
    body: 'It left our warehouse this morning.',
    reference: `#${n}`,
    order_status: 'shipped',
    ...channelsOf(n),
  };
  return { subject, body };
}

/** Of ten pushes, six have only an email, two also a text, and two also WhatsApp with a text as the fallback. */
function channelsOf(n: number): Record<string, unknown> {
  const kind = n % 10;
  if (kind < 6) return {};
  if (kind < 8) return { channels: ['email', 'sms'] };
  const optIn = { whatsapp_opt_in: { source: 'checkout' }, sms_if_whatsapp_fails: true };
  return { channels: ['email', 'whatsapp'], ...optIn };
}

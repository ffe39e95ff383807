import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { monotonicMs, SECOND } from '../src/kit/clock.ts';
import { listAt, parseJsonText, textAt } from '../src/kit/json.ts';
import { callsFor, type PushCall } from './orders.ts';
import type { SeededRandom } from './seededRandom.ts';

/** A push that got a 2xx response. */
export interface AcknowledgedPush {
  shop: number;
  subject: string;
  messageId: string;
}

export interface PushResults {
  acknowledged: AcknowledgedPush[];
  /** Keys of calls that got different responses to two requests. */
  inconsistent: string[];
  /** Responses other than 2xx, 409 in progress, 429 and 503. */
  unexpected: string[];
  /** By status; 0: no response. */
  statuses: Record<number, number>;
}

const AT_ONCE = 48;
const TIMEOUT_MS = 15_000;
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
  options: { baseUrl: string; apiKeys: readonly string[]; overMs: number; chance: SeededRandom },
): Promise<PushResults> {
  const { baseUrl, apiKeys, overMs, chance } = options;
  const agent = new Agent({ connections: AT_ONCE, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  const pushed: PushResults = { acknowledged: [], inconsistent: [], unexpected: [], statuses: {} };
  const began = monotonicMs();
  let next = 0;

  const attempt = async (call: PushCall): Promise<string | null> => {
    const url = `${baseUrl}/api/v1/messages${call.batch ? '/batch' : ''}`;
    const [only] = call.orders;
    const body = JSON.stringify(call.batch ? { items: call.orders.map(({ body }) => body) } : only?.body);
    const headers = {
      authorization: `Bearer ${apiKeys[call.shop]}`,
      'content-type': 'application/json',
      'idempotency-key': call.key,
    };
    try {
      const response = await request(url, { dispatcher: agent, method: 'POST', headers, body });
      const text = await response.body.text();
      const status = response.statusCode;
      pushed.statuses[status] = (pushed.statuses[status] ?? 0) + 1;
      if (status === (call.batch ? 200 : 201)) return text;
      if (![409, 429, 503].includes(status)) pushed.unexpected.push(`${status} ${text.slice(0, 200)}`);
    } catch {
      pushed.statuses[0] = (pushed.statuses[0] ?? 0) + 1;
    }
    return null;
  };
  const retryUntilAccepted = async (call: PushCall): Promise<string> => {
    for (;;) {
      const text = await attempt(call);
      if (text !== null) return text;
      await sleep(RETRY_AFTER_MS * (1 + chance.next()));
    }
  };
  const shopper = async (): Promise<void> => {
    for (let at = next++; at < calls.length; at = next++) {
      const call = calls[at];
      if (!call) return;
      const startAt = began + (overMs * at) / calls.length;
      await sleep(Math.max(0, startAt - monotonicMs()));
      const [first = '', second = first] = await Promise.all(
        chance.happens(TWICE)
          ? [retryUntilAccepted(call), retryUntilAccepted(call)]
          : [retryUntilAccepted(call)],
      );
      if (first !== second) pushed.inconsistent.push(call.key);
      pushed.acknowledged.push(...acknowledgedBy(call, first));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, shopper));
  await agent.destroy();
  return pushed;
}

/** Rounds of pushes of one shop follow each other until it is over, and one more. */
export async function pushUntil(
  isOver: () => boolean,
  { baseUrl, apiKey, chance }: { baseUrl: string; apiKey: string; chance: SeededRandom },
): Promise<PushResults> {
  const calls = callsFor(PUSHES_MAX, 1);
  const all: PushResults = { acknowledged: [], inconsistent: [], unexpected: [], statuses: {} };
  for (let at = 0, isLast = false; !isLast && at < calls.length; at += CALLS_PER_ROUND) {
    isLast = isOver();
    const options = { baseUrl, apiKeys: [apiKey], overMs: ROUND_MS, chance };
    const round = await pushAll(calls.slice(at, at + CALLS_PER_ROUND), options);
    all.acknowledged.push(...round.acknowledged);
    all.inconsistent.push(...round.inconsistent);
    all.unexpected.push(...round.unexpected);
    for (const [status, count] of Object.entries(round.statuses))
      all.statuses[Number(status)] = (all.statuses[Number(status)] ?? 0) + count;
  }
  return all;
}

export const statusesOf = ({ statuses }: PushResults): string =>
  Object.entries(statuses)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ');

function acknowledgedBy(call: PushCall, text: string): AcknowledgedPush[] {
  const body = parseJsonText(text);
  const results = call.batch
    ? listAt(body, 'items').map((item) => textAt(item, 'result', 'id'))
    : [textAt(body, 'id')];
  return call.orders.map(({ subject, shop }, index) => ({
    shop,
    subject,
    messageId: results[index] ?? 'no id',
  }));
}

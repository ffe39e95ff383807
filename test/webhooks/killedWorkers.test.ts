import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { WEBHOOK_RETRIES_MS } from '../../src/config/limits.ts';
import { advanceDatabaseTime } from '../../src/db/databaseClockSql.ts';
import { monotonicMs, SECOND, systemClock } from '../../src/kit/clock.ts';
import { JITTER } from '../../src/webhooks/retrySchedule.ts';
import { verify } from '../../src/webhooks/signature.ts';
import { type Merchant, openMerchant, type Receiver, sampleEvent } from './merchant.ts';

const EVENTS = 5_000;
const ENDPOINTS = 4;
const WORKERS = 3;
const KILLS = 4;
const FAULTS = 0.3;
/** Faults of one event end before its attempts do, so that every event can arrive. */
const MOST_FAULTS = 6;

const PROGRAM = fileURLToPath(new URL('./workerProcess.mjs', import.meta.url));

async function startWorker(shop: Merchant, receivers: readonly Receiver[]): Promise<ChildProcess> {
  const ports = receivers.map(({ port }) => String(port));
  const child = spawn(process.execPath, [PROGRAM, shop.database.url, ...ports], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) await kill(child);
  });
  await once(child.stdout, 'data');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** Whether the nth request for an event fails, and how: the same on every run. */
function faultOf(id: string, nth: number): 'status' | 'reset' | 'redirect' | null {
  if (nth > MOST_FAULTS) return null;
  const dice = createHash('sha256').update(`${id} ${nth}`).digest();
  if (dice.readUInt32BE(0) / 2 ** 32 >= FAULTS) return null;
  return (['status', 'reset', 'redirect'] as const)[(dice[4] ?? 0) % 3] ?? 'status';
}

/** Until nothing is due at the clock's present time, but for what a dead worker still has the lease of. */
async function quiet(shop: Merchant): Promise<void> {
  const now = "clock_timestamp() + (select offset_ms from service_clock) * interval '1 millisecond'";
  for (const began = monotonicMs(); ; await sleep(50)) {
    const [row] = await shop.rows(
      `select count(*)::int as due, count(*) filter (where lease is null)::int as free from webhook_deliveries where due_at <= ${now}`,
    );
    if (row?.due === 0 || (row?.free === 0 && monotonicMs() - began > 3_000)) return;
    if (monotonicMs() - began > 60_000) throw new Error('the workers do not come to rest');
  }
}

test(`${EVENTS} events arrive although 30% of the attempts fail and workers are killed and stopped`, async () => {
  const shop = await openMerchant();
  const nth = new Map<string, number>();
  const arrived = new Map<string, number>();
  const receivers = await Promise.all(
    Array.from({ length: ENDPOINTS }, () =>
      shop.receiver(({ id }, response) => {
        const count = (nth.get(id) ?? 0) + 1;
        nth.set(id, count);
        const fault = faultOf(id, count);
        if (fault === null) arrived.set(id, (arrived.get(id) ?? 0) + 1);
        if (fault === 'reset') response.socket?.resetAndDestroy();
        else response.writeHead(fault === 'status' ? 500 : fault === 'redirect' ? 302 : 200).end();
      }),
    ),
  );
  const types = ['message.delivered', 'message.opened', 'message.bounced', 'message.complained'] as const;
  const secrets: string[] = [];
  for (const [index, { url }] of receivers.entries()) {
    secrets.push((await shop.endpoint(url, { eventTypes: [types[index] ?? 'ping'] })).secret);
  }

  const workers = await Promise.all(Array.from({ length: WORKERS }, () => startWorker(shop, receivers)));
  const told = new Set<string>();
  const tellSome = async (count: number) => {
    const events = Array.from({ length: count }, (_, index) =>
      sampleEvent(shop.businessId, undefined, types[index % types.length]),
    );
    // The workers follow the database's clock.
    shop.advance(systemClock.now().getTime() - shop.clock.now().getTime());
    for (const id of await shop.tellOf(...events)) told.add(id);
  };
  for (let turn = 0; turn < KILLS; turn += 1) {
    await tellSome(EVENTS / (KILLS + 1));
    await sleep(400);
    const [victim] = workers.splice(0, 1);
    if (victim) await kill(victim);
    workers.push(await startWorker(shop, receivers));
  }
  const [stalled] = workers;
  await tellSome(EVENTS / (KILLS + 1));
  await sleep(200);
  stalled?.kill('SIGSTOP');

  // The clock of everyone is moved from one round of retries to the next, rather than waited for.
  for (const delay of [0, 30 * SECOND, ...WEBHOOK_RETRIES_MS]) {
    await advanceDatabaseTime(shop.pool, Math.ceil(delay * (1 + JITTER)));
    await sleep(200);
    await quiet(shop);
    if (delay > WEBHOOK_RETRIES_MS[2]) stalled?.kill('SIGCONT');
  }

  expect(told.size).toBe(EVENTS);
  expect(new Set(arrived.keys())).toEqual(told);
  const requests = receivers.flatMap(({ received }, index) =>
    received.map((one) => ({ ...one, secret: secrets[index] ?? '' })),
  );
  const now = systemClock.now().getTime() / SECOND;
  const unverified = requests.filter(
    ({ secret, headers, body }) => !verify(secret, headers['x-service-signature'] ?? '', body, now, 3_600),
  );
  expect(unverified).toEqual([]);
  const bodies = new Map<string, Set<string>>();
  for (const { id, body } of requests) bodies.set(id, (bodies.get(id) ?? new Set()).add(body));
  expect([...bodies.values()].filter((variants) => variants.size > 1)).toEqual([]);
  expect(requests.every(({ id, body }) => JSON.parse(body).id === id)).toBe(true);

  const states = await shop.rows(
    'select state, count(*)::int as count from webhook_deliveries group by state',
  );
  expect(states).toEqual([{ state: 'delivered', count: EVENTS }]);
  const [early] = await shop.rows(
    `select count(*)::int as count from (
       select attempt, extract(epoch from at - lag(at) over (partition by event_id order by attempt)) * 1000 as waited
       from webhook_attempts) a
     where attempt > 1 and waited < ($1::bigint[])[attempt - 1]`,
    [...WEBHOOK_RETRIES_MS],
  );
  expect(early).toEqual({ count: 0 });
  const [numbers] = await shop.rows(
    `select count(*)::int as count from (select event_id, count(*) as attempts, max(attempt) as last from webhook_attempts group by 1) a
     where attempts <> last`,
  );
  expect(numbers).toEqual({ count: 0 });
  // Twice only what was under way, or being written down, when a worker died or stood still.
  const twice = [...arrived.values()].filter((count) => count > 1).length;
  expect(twice).toBeLessThan(EVENTS / 4);
}, 240_000);

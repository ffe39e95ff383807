import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { WEBHOOK_RETRIES_MS } from '../../src/config/limits.ts';
import { advanceDatabaseTime } from '../../src/db/sql.ts';
import { monotonicMs, SECOND, systemClock } from '../../src/kit/clock.ts';
import { DELIVERY_LEASE_MS } from '../../src/webhooks/claim.ts';
import { JITTER } from '../../src/webhooks/retrySchedule.ts';
import { buildPart } from '../support/program.ts';
import { SECRET_KEY } from '../support/secretKey.ts';
import { shortOrLong } from '../support/shortOrLong.ts';
import { verify } from '../support/verifySignature.ts';
import { type Merchant, type MerchantReceiver, openMerchant, sampleEvent } from './merchant.ts';

const EVENTS = shortOrLong(600, 5_000);
const ENDPOINTS = 4;
const WORKERS = 3;
const KILLS = shortOrLong(2, 4);
const FAULTS = 0.3;
/** Faults of one event end before its attempts do, so that every event can arrive. */
const MOST_FAULTS = 6;

/** Says to the receiver which process made a request. */
const WORKER_HEADER = 'x-test-worker';
let program: string;
beforeAll(async () => {
  program = await buildPart(new URL('workerProcess.mjs', import.meta.url));
}, 120_000);

async function startWorker(shop: Merchant, receivers: readonly MerchantReceiver[]): Promise<ChildProcess> {
  const ports = receivers.map(({ port }) => String(port));
  const child = spawn(process.execPath, [program, shop.database.url, SECRET_KEY, WORKER_HEADER, ...ports], {
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

test(`${EVENTS} events arrive although 30% of the attempts fail and workers are killed and stopped as they deliver`, async () => {
  const shop = await openMerchant();
  const nth = new Map<string, number>();
  const arrived = new Map<string, number>();
  /** The first request past this number of arrivals is not answered, and its worker is the busy one. */
  let answeredUntil = Number.POSITIVE_INFINITY;
  let busyPid = '';
  const receivers = await Promise.all(
    Array.from({ length: ENDPOINTS }, () =>
      shop.receiver(({ id, headers }, response) => {
        const count = (nth.get(id) ?? 0) + 1;
        nth.set(id, count);
        const fault = faultOf(id, count);
        if (fault === null) arrived.set(id, (arrived.get(id) ?? 0) + 1);
        if (fault === null && arrived.size > answeredUntil) {
          answeredUntil = Number.POSITIVE_INFINITY;
          busyPid = headers[WORKER_HEADER] ?? '';
          return;
        }
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
  let movedMs = 0;
  /** The clock of everyone is moved, rather than waited for. */
  const move = async (milliseconds: number): Promise<void> => {
    movedMs += milliseconds;
    await advanceDatabaseTime(shop.pool, milliseconds);
  };
  const tellSome = async (count: number) => {
    const events = Array.from({ length: count }, (_, index) =>
      sampleEvent(shop.businessId, undefined, types[index % types.length]),
    );
    // The workers follow the database's clock.
    shop.advance(systemClock.now().getTime() + movedMs - shop.clock.now().getTime());
    for (const id of await shop.emit(...events)) told.add(id);
  };
  /** Tells some events, and finds the worker that is in the middle of delivering them. */
  const busyWorker = async (): Promise<ChildProcess> => {
    busyPid = '';
    answeredUntil = arrived.size + 100;
    await tellSome(EVENTS / (KILLS + 1));
    await expect.poll(() => busyPid, { interval: 5, timeout: 30_000 }).not.toBe('');
    const busy = workers.find(({ pid }) => String(pid) === busyPid);
    if (!busy) throw new Error('nobody delivers');
    return busy;
  };
  for (let turn = 0; turn < KILLS; turn += 1) {
    const victim = await busyWorker();
    await kill(victim);
    await move(DELIVERY_LEASE_MS);
    workers.splice(workers.indexOf(victim), 1, await startWorker(shop, receivers));
  }
  const stalled = await busyWorker();
  stalled.kill('SIGSTOP');

  // Past the leases of the one that stands still, then from one round of retries to the next.
  for (const delay of [DELIVERY_LEASE_MS, ...WEBHOOK_RETRIES_MS]) {
    await move(Math.ceil(delay * (1 + JITTER)));
    await sleep(200);
    await quiet(shop);
    if (delay > WEBHOOK_RETRIES_MS[2]) stalled.kill('SIGCONT');
  }

  expect(told.size).toBe(EVENTS);
  expect(new Set(arrived.keys())).toEqual(told);
  const requests = receivers.flatMap(({ received }, index) =>
    received.map((one) => ({ ...one, secret: secrets[index] ?? '' })),
  );
  const unverified = requests.filter(
    ({ secret, headers, body, at }) =>
      !verify(secret, headers['x-service-signature'] ?? '', body, at.getTime() / SECOND),
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
  // The kills hit: attempts were made that nobody could write down, and made again.
  const [logged] = await shop.rows('select count(*)::int as attempts from webhook_attempts');
  expect(requests.length).toBeGreaterThan(Number(logged?.attempts));
  // Twice only what was under way, or being written down, when a worker died or stood still.
  const twice = [...arrived.values()].filter((count) => count > 1).length;
  expect(twice).toBeLessThan(EVENTS / 4);
}, 240_000);

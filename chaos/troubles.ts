import { setTimeout as sleep } from 'node:timers/promises';
import { timeOf } from '../bench/measure.ts';
import { monotonicMs, SECOND } from '../src/kit/clock.ts';
import { groupBy } from '../src/kit/groupBy.ts';
import type { FaultProxy } from './faultProxy.ts';
import type { Fleet } from './fleet.ts';
import type { ChaosPostgres } from './postgres.ts';
import { moveClock } from './settle.ts';

/* What goes wrong while others work. */

const KILL_EVERY_MS = 2 * SECOND;
const CUT_EVERY_MS = SECOND / 2;
const CUT_PART = 0.03;
/** A worker's lease is 30 s. */
const STALL_MS = 40 * SECOND;

export async function kill(fleet: Fleet, isOver: () => boolean): Promise<void> {
  for (; !isOver(); await sleep(KILL_EVERY_MS)) fleet.killOne();
}

export async function cut(proxies: readonly FaultProxy[], isOver: () => boolean): Promise<void> {
  for (; !isOver(); await sleep(CUT_EVERY_MS)) for (const proxy of proxies) proxy.cut(CUT_PART);
}

/** Resolves to how long the database was away. */
export async function crashAt(postgres: ChaosPostgres, at: number): Promise<number> {
  await sleep(at - monotonicMs());
  return timeOf(postgres.crash);
}

/** When the run is shorter than a lease, the clock is moved over the rest of the lease. */
export async function stall(fleet: Fleet, { pool }: ChaosPostgres, at: number, until: number): Promise<void> {
  await sleep(at - monotonicMs());
  let resume = fleet.stallWorker();
  for (; resume === null && monotonicMs() < until; resume = fleet.stallWorker()) await sleep(CUT_EVERY_MS);
  const forMs = Math.min(STALL_MS, (until - monotonicMs()) * 0.6);
  await sleep(forMs);
  if (forMs < STALL_MS) await moveClock(pool, STALL_MS - forMs);
  await sleep(SECOND);
  resume?.();
}

export function cutsBySide(proxies: readonly FaultProxy[]): Record<string, number> {
  const sides = groupBy(proxies, ({ name }) => name);
  const cuts = (side: readonly FaultProxy[]) => side.reduce((sum, { counts }) => sum + counts.cut, 0);
  return Object.fromEntries(Array.from(sides, ([name, side]) => [`connections cut: ${name}`, cuts(side)]));
}

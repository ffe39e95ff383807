import { Claimer } from '../../src/outbox/claim.ts';
import { keyArrays } from '../../src/outbox/send.ts';
import { releaseSendClaims } from '../../src/outbox/sendsSql.ts';
import type { BenchDatabase, BenchEnvironment } from '../environment.ts';
import type { Load } from '../load/generator.ts';
import { alternate, type Compared, type Measured } from '../measure.ts';
import type { BenchServer } from '../program.ts';
import { underLoad } from '../underLoad.ts';
import { type RoundPlan, viewPaths } from './reads.ts';

export interface Sized {
  program: BenchServer;
  database: BenchDatabase;
}

export const SIZED_WORK = ['list', 'view', 'push', 'claim'] as const;
export type SizedWork = (typeof SIZED_WORK)[number];

/** One kind of work on a large table, against the same on a small one. */
export function compareSizes(
  world: BenchEnvironment,
  work: SizedWork,
  large: Sized,
  small: Sized,
  { seconds, rounds }: RoundPlan,
): Promise<Compared> {
  return alternate(
    rounds,
    () => measureSized(world, work, large, seconds),
    () => measureSized(world, work, small, seconds),
  );
}

export async function measureSized(
  world: BenchEnvironment,
  work: SizedWork,
  { program, database }: Sized,
  seconds: number,
): Promise<Measured> {
  if (work === 'claim') return measureClaims(database, seconds);
  return underLoad(world, program, { clients: 1, seconds, requests: await requestsFor(work, database) });
}

async function requestsFor(
  work: 'list' | 'view' | 'push',
  database: BenchDatabase,
): Promise<Load['requests']> {
  const { apiKey, recipients } = database;
  switch (work) {
    case 'list':
      return { kind: 'get', apiKey, paths: ['/api/v1/messages?limit=50'] };
    case 'view':
      return { kind: 'get', apiKey, paths: await viewPaths(database) };
    case 'push':
      return { kind: 'push', path: '/api/v1/messages', apiKey, recipients };
  }
}

const CLAIMED = 50;
const CAPACITY = { channels: ['email' as const], limit: CLAIMED, full: [] };

/** Claims and releases fifty due sends, repeatedly; only the claim is timed. */
async function measureClaims({ pool }: BenchDatabase, seconds: number): Promise<Measured> {
  const claimer = new Claimer(pool);
  const times: number[] = [];
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    const now = new Date();
    const began = performance.now();
    const { lease, sends } = await claimer.claim(CAPACITY, now);
    times.push(performance.now() - began);
    if (sends.length < CLAIMED) throw new Error('too little was due');
    await releaseSendClaims(pool, lease, ...keyArrays(sends), now);
  }
  const total = times.reduce((sum, time) => sum + time, 0);
  return { perSecond: (times.length * 1_000) / total };
}

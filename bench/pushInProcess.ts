import { randomBytes } from 'node:crypto';
import { startDatabaseClock } from '../src/db/databaseClock.ts';
import type { Pool } from '../src/db/pool.ts';
import { SECOND } from '../src/kit/clock.ts';
import { newId } from '../src/kit/ids.ts';
import { createHasher } from '../src/kit/seal.ts';
import type { ApiKeyRef } from '../src/push/callers.ts';
import { createPushes } from '../src/push/pushes.ts';
import { request as pushRequest } from '../test/support/pushState.ts';
import { atEnd } from './cleanup.ts';
import { recipientEmail, SAMPLE_PUSH } from './load/requests.ts';
import { measuredTimes, openLoop, timeOf } from './measure.ts';

export type PushDeps = Awaited<ReturnType<typeof openPushDeps>>;

const RECIPIENTS = 1_000;
const BYTES = 300;
/** As many as a bench that pushes in this process needs. */
export const IN_PROCESS_CONNECTIONS = 28;

export async function openPushDeps(pool: Pool) {
  const clock = await startDatabaseClock(pool, () => {});
  atEnd(clock.stop);
  return { pool, clock, hash: createHasher(randomBytes(32)) };
}

/** Pushes one message to the next recipient, without HTTP. */
export function createPushOne(deps: PushDeps): (caller: ApiKeyRef) => Promise<unknown> {
  const pushes = createPushes({
    ...deps,
    render: (result) => JSON.stringify(result),
    onSendsOf: () => {},
    onEvents: () => {},
  });
  const { order_status: orderStatus, ...content } = SAMPLE_PUSH;
  let number = 0;
  return ({ businessId, keyId }) => {
    number += 1;
    const to = recipientEmail(number % RECIPIENTS);
    const request = pushRequest({ ...content, orderStatus, recipientEmail: to });
    const key = newId(deps.clock.now());
    return pushes.push({ businessId, keyId, key, fingerprint: '00', bytes: BYTES, request });
  };
}

/** Pushes of one shop at a steady rate. Returns the milliseconds of each. */
export function createSteadyPushes(deps: PushDeps, caller: ApiKeyRef, perSecond: number) {
  const push = createPushOne(deps);
  return (isOver: () => boolean): Promise<number[]> =>
    openLoop(SECOND / perSecond, isOver, () => timeOf(() => push(caller)));
}

export function latencyOf(times: readonly number[]) {
  const { p50, p99 } = measuredTimes(times);
  return { pushes: times.length, p50, p99, max: Math.max(...times) };
}

import { randomBytes } from 'node:crypto';
import { startDatabaseClock } from '../src/db/databaseClock.ts';
import type { Pool } from '../src/db/pool.ts';
import { type Clock, monotonicMs, SECOND } from '../src/kit/clock.ts';
import { newId } from '../src/kit/ids.ts';
import { createHasher, type Hasher } from '../src/kit/seal.ts';
import type { ApiKeyRef } from '../src/push/callers.ts';
import { createPushes } from '../src/push/pushes.ts';
import { atEnd } from './cleanup.ts';
import { recipientEmail, SAMPLE_PUSH } from './load/requests.ts';
import { measuredTimes, openLoop } from './measure.ts';

export interface PushDeps {
  pool: Pool;
  clock: Clock;
  hash: Hasher;
}

const RECIPIENTS = 1_000;
const BYTES = 300;
/** As many as a bench that pushes in this process needs. */
export const IN_PROCESS_CONNECTIONS = 28;

export async function openPushDeps(pool: Pool): Promise<PushDeps> {
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
  let number = 0;
  return ({ businessId, keyId }) => {
    number += 1;
    const request = { ...REQUEST, recipientEmail: recipientEmail(number % RECIPIENTS) };
    const key = newId(deps.clock.now());
    return pushes.push({ businessId, keyId, key, fingerprint: '00', bytes: BYTES, request });
  };
}

/** Pushes of one shop at a steady rate. Returns the milliseconds of each. */
export function createSteadyPushes(deps: PushDeps, caller: ApiKeyRef, perSecond: number) {
  const push = createPushOne(deps);
  return (isOver: () => boolean): Promise<number[]> =>
    openLoop(SECOND / perSecond, isOver, async () => {
      const began = monotonicMs();
      await push(caller);
      return monotonicMs() - began;
    });
}

export function latencyOf(times: readonly number[]) {
  const { p50, p99 } = measuredTimes(times);
  return { pushes: times.length, p50, p99, max: Math.max(...times) };
}

const REQUEST = {
  subject: SAMPLE_PUSH.subject,
  body: SAMPLE_PUSH.body,
  phone: null,
  channels: null,
  whatsappOptIn: null,
  smsIfWhatsappFails: false,
  reference: SAMPLE_PUSH.reference,
  orderStatus: SAMPLE_PUSH.order_status,
  kind: 'one_off',
  notify: null,
  sendAt: null,
  escalateMinutes: null,
  obsoletes: [],
  language: null,
} as const;

import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../../test/support/statistics.ts';
import type { BenchDatabase } from '../environment.ts';
import { type Span, startPauseProbe, undisturbed } from '../hostPauses.ts';
import { openLoadConnection } from '../load/connection.ts';
import { requestWriter } from '../load/requests.ts';
import type { Measured } from '../measure.ts';
import { isCaptured } from './latencySql.ts';

const PAUSE_MS = 15;
const POLL_MS = 1;

/** The time from a push's first byte to the commit of its captured nudge, one at a time on an idle server. */
export async function measureNudges(
  { port }: { port: number },
  { apiKey, recipients, pool }: BenchDatabase,
  pushes: number,
): Promise<{ all: Measured; undisturbed: Measured }> {
  const probe = await startPauseProbe();
  const connection = await openLoadConnection(port);
  const next = requestWriter({ kind: 'push', path: '/api/v1/messages', apiKey, recipients });
  const waits: Span[] = [];
  try {
    for (let number = -WARM_UP; number < pushes; number += 1) {
      const from = now();
      const { body } = await connection.request(next());
      const { id } = JSON.parse(body.toString());
      while ((await isCaptured(pool, id)).length === 0) await sleep(POLL_MS);
      if (number >= 0) waits.push({ from, to: now() });
      await sleep(PAUSE_MS);
    }
    const { spans } = await probe.read();
    return { all: summary(waits), undisturbed: summary(undisturbed(waits, spans)) };
  } finally {
    connection.close();
    await probe.stop();
  }
}

/** By the wall clock, as the pause probe does. */
const now = (): number => performance.timeOrigin + performance.now();

function summary(waits: readonly Span[]): Measured {
  const times = waits.map(({ from, to }) => to - from);
  const total = times.reduce((sum, time) => sum + time, 0);
  return {
    perSecond: (times.length * 1_000) / total,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
  };
}

const WARM_UP = 30;

import { setTimeout as sleep } from 'node:timers/promises';
import type { Span } from '../bench/hostPauses.ts';
import { SECOND } from '../src/kit/clock.ts';
import { type AnsweredPush, type PushClient, pushTo } from './pushClient.ts';

export interface MeasuredShop {
  businessId: string;
  client: PushClient;
}

/** An open loop: each shop pushes once per `everyMs`, even when earlier responses are late. */
export async function pushAtSteadyRate(
  shops: readonly MeasuredShop[],
  name: string,
  { everyMs, seconds }: { everyMs: number; seconds: number },
): Promise<AnsweredPush[]> {
  const calls: Promise<AnsweredPush>[] = [];
  const pause = everyMs / shops.length;
  for (let n = 0; n < (seconds * SECOND) / pause; n += 1) {
    const shop = shops[n % shops.length];
    if (shop) calls.push(pushTo(shop.client, `${name} ${n}`, 'A quiet one.'));
    await sleep(pause);
  }
  return Promise.all(calls);
}

/** The share of the periods that the spans take. */
export function shareWithin(periods: readonly Span[], spans: readonly Span[]): number {
  const within = (period: Span): number =>
    spans.reduce(
      (sum, span) => sum + Math.max(0, Math.min(span.to, period.to) - Math.max(span.from, period.from)),
      0,
    );
  const total = periods.reduce((sum, period) => sum + durationOf(period), 0);
  return total === 0 ? 0 : periods.reduce((sum, period) => sum + within(period), 0) / total;
}

export const durationOf = ({ from, to }: Span): number => to - from;

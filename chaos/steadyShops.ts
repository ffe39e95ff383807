import { Agent } from 'undici';
import { atEnd } from '../bench/cleanup.ts';
import { durationOf, type Span, shareOfTime, undisturbed, wallMs } from '../bench/hostPauses.ts';
import { after, openLoop } from '../bench/measure.ts';
import { createBusiness } from '../src/businesses/create.ts';
import { systemClock } from '../src/kit/clock.ts';
import { startProgram } from '../test/support/program.ts';
import { startPostgres } from './postgres.ts';
import { type AnsweredPush, type PushClient, percentileMs, pushTo } from './pushClient.ts';

export interface MeasuredShop {
  businessId: string;
  client: PushClient;
}

/** One process on its own Postgres, and shops that push over these many connections. */
export async function startOneProgram(env: Record<string, string>, connections: number) {
  const { pool, url } = await startPostgres();
  const dispatcher = new Agent({ connections, pipelining: 1 });
  atEnd(() => dispatcher.destroy());
  const secret = 'the same secret for every process';
  const settings = { DATABASE_URL: url, SECRET_KEY: secret, LOG_LEVEL: 'silent', ...env };
  const program = await startProgram(settings);
  atEnd(() => program.end('SIGKILL'));
  return {
    program,
    pool,
    async openShop(name: string): Promise<MeasuredShop> {
      const { businessId, apiKey } = await createBusiness(pool, systemClock, { name });
      return { businessId, client: { baseUrl: program.url, apiKey, dispatcher } };
    },
  };
}

/** Each shop pushes once per `everyMs`. */
export const pushAtSteadyRate = (
  shops: readonly MeasuredShop[],
  name: string,
  { everyMs, seconds }: { everyMs: number; seconds: number },
): Promise<AnsweredPush[]> => {
  const [first] = shops;
  if (first === undefined) return Promise.resolve([]);
  return openLoop(everyMs / shops.length, after(seconds), (n) => {
    const { client } = shops[n % shops.length] ?? first;
    return pushTo(client, `${name} ${n}`, 'A steady one.');
  });
};

/** Does some work, and notes when. */
export async function during<T>(periods: Span[], work: () => Promise<T>): Promise<T> {
  const from = wallMs();
  const done = await work();
  periods.push({ from, to: wallMs() });
  return done;
}

export const spansOf = (pushes: readonly AnsweredPush[]): Span[] =>
  pushes.map(({ at, ms }) => ({ from: at, to: at + ms }));

export function percentileOfSpans(spans: readonly Span[], share: number): number {
  const times = spans.map((span) => ({ ms: durationOf(span) }));
  return percentileMs(times, share);
}

/** The share of the time that the host paused, and the p99 of what it did not disturb, for each part of a run. */
export function pauseFigures(
  parts: readonly { periods: readonly Span[]; spans: readonly Span[] }[],
  pauses: readonly Span[],
): Record<string, string> {
  const shares = parts.map(({ periods }) => `${Math.round(shareOfTime(periods, pauses) * 100)}%`);
  const calm = parts.map(({ spans }) => percentileOfSpans(undisturbed(spans, pauses), 0.99));
  return {
    'share of time lost to host pauses': shares.join(', '),
    'the same p99 without host pauses, ms': calm.join(', '),
  };
}

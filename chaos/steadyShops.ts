import { Agent } from 'undici';
import { atEnd } from '../bench/cleanup.ts';
import { type Span, shareOfTime, startPauseProbe, undisturbed } from '../bench/hostPauses.ts';
import { openLoop } from '../bench/measure.ts';
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
  const openShop = async (name: string): Promise<MeasuredShop> => {
    const { businessId, apiKey } = await createBusiness(pool, systemClock, { name });
    return { businessId, client: { baseUrl: program.url, apiKey, dispatcher } };
  };
  const openShops = (count: number, name: string): Promise<MeasuredShop[]> =>
    Promise.all(Array.from({ length: count }, (_, n) => openShop(`${name} ${n}`)));
  return { program, pool, openShop, openShops };
}

/** Each shop pushes once per `everyMs`. */
export async function pushAtSteadyRate(
  shops: readonly MeasuredShop[],
  name: string,
  everyMs: number,
  isOver: () => boolean,
): Promise<AnsweredPush[]> {
  const [first] = shops;
  if (first === undefined) return [];
  return openLoop(everyMs / shops.length, isOver, (n) => {
    const { client } = shops[n % shops.length] ?? first;
    return pushTo(client, `${name} ${n}`, 'A steady one.');
  });
}

/** The steady shops alone, or beside something else. */
export interface Part {
  readonly answers: AnsweredPush[];
  /** When they pushed. */
  readonly periods: Span[];
  /** What is measured; without it, the answers. */
  spans?: Span[];
}

/**
 * Rounds alternate between the parts, since the machine's speed varies. Together they have enough samples for a p99. Resolves to the
 * host's pauses meanwhile.
 */
export async function pushInRounds<Each extends Part>(
  rounds: number,
  parts: readonly Each[],
  push: (part: Each, name: string) => Promise<AnsweredPush[]>,
): Promise<Span[]> {
  const probe = await startPauseProbe();
  for (let round = 1; round <= rounds; round += 1)
    for (const part of parts) {
      const pushes = await push(part, `Round ${round}`);
      part.answers.push(...pushes);
      const [from, to] = [pushes[0]?.from ?? 0, Math.max(0, ...pushes.map((answer) => answer.to))];
      part.periods.push({ from, to });
    }
  return probe.read();
}

/** The share of the time that the host paused, and the p99 of what it did not disturb, for each part of a run. */
export function pauseFigures(parts: readonly Part[], pauses: readonly Span[]): Record<string, string> {
  const shares = parts.map(({ periods }) => `${Math.round(shareOfTime(periods, pauses) * 100)}%`);
  const calm = parts.map(({ answers, spans = answers }) => percentileMs(undisturbed(spans, pauses), 0.99));
  return {
    'share of time lost to host pauses': shares.join(', '),
    'the same p99 without host pauses, ms': calm.join(', '),
  };
}

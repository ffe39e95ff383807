import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { type Span, startPauseProbe, undisturbed } from '../../bench/hostPauses.ts';
import { createBusiness } from '../../src/businesses/create.ts';
import { monotonicMs, SECOND, systemClock } from '../../src/kit/clock.ts';
import { startProgram } from '../../test/support/program.ts';
import { eventually } from '../../test/support/waiting.ts';
import { submitSpans } from '../auditSql.ts';
import { runFolder } from '../cleanup.ts';
import { startPostgres } from '../postgres.ts';
import { type AnsweredPush, percentileMs, pushTo } from '../pushClient.ts';
import { check, type ScenarioReport } from '../report.ts';
import { durationOf, type MeasuredShop, pushAtSteadyRate, shareWithin } from '../steadyShops.ts';

/**
 * Rounds alternate between alone and beside the loud shop, since the machine's speed varies. Together they have enough
 * samples for a p99.
 */
const ROUNDS = 5;
const SECONDS = 15;
/** At full volume, by another shop: a new process is slow until its code is compiled. */
const WARM_UP_SECONDS = 10;
/** Each quiet shop pushes once per second. */
const QUIET_SHOPS = 10;
const QUIET_EVERY_MS = 1_000;
/**
 * The loud shop's rate as a multiple of a quiet one's: none; as the promise says; the sustained rate limit; and beyond it, so
 * that a burst of ten seconds is used up in four and the rest is refused.
 */
const TIMES_AS_LOUD = [0, 100, 200, 500] as const;
const PROMISED = 100;
const LOUDEST = 500;
const LOUD_EVERY_MS = 10;
const CONNECTIONS = 100;

interface Part {
  times: number;
  shops: MeasuredShop[];
  quiet: AnsweredPush[];
  loud: AnsweredPush[];
  periods: Span[];
}

/** Eleven shops on one process with default limits; one of them pushes a hundred times as often as each other. */
export async function runNoisy(): Promise<ScenarioReport> {
  const folder = await runFolder();
  const postgres = await startPostgres(folder.path);
  const dispatcher = new Agent({ connections: CONNECTIONS });
  const probe = await startPauseProbe();
  try {
    const program = await startProgram({
      DATABASE_URL: postgres.url,
      SECRET_KEY: 'the same secret for every process',
      LOG_LEVEL: 'silent',
    });
    const open = async (name: string): Promise<MeasuredShop> => {
      const { businessId, apiKey } = await createBusiness(postgres.pool, systemClock, { name });
      return { businessId, client: { baseUrl: program.url, apiKey, dispatcher } };
    };
    const waitsOf = async (shops: readonly MeasuredShop[]): Promise<Span[]> =>
      (
        await Promise.all(shops.map(({ businessId }) => sentBy(() => submitSpans(postgres.pool, businessId))))
      ).flat();

    const [warm, noisy] = [await open('Warm'), await open('Noisy')];
    const parts: Part[] = [];
    for (const times of TIMES_AS_LOUD) {
      const shops = await Promise.all(Array.from({ length: QUIET_SHOPS }, (_, n) => open(`Quiet ${n}`)));
      parts.push({ times, shops, quiet: [], loud: [], periods: [] });
    }
    await pushLoudly(warm, LOUDEST, WARM_UP_SECONDS);
    await waitsOf([warm]);
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const part of parts) {
        const from = wallMs();
        const [quiet, loud] = await Promise.all([
          pushAtSteadyRate(part.shops, `Round ${round}`, { everyMs: QUIET_EVERY_MS, seconds: SECONDS }),
          pushLoudly(noisy, part.times, SECONDS),
        ]);
        part.quiet.push(...quiet);
        part.loud.push(...loud);
        part.periods.push({ from, to: wallMs() });
        await waitsOf([noisy]);
      }
    }
    const waits = await Promise.all(parts.map(({ shops }) => waitsOf(shops)));
    const { spans } = await probe.read();
    return report(parts, waits, spans);
  } finally {
    await probe.stop();
    await dispatcher.destroy();
    await postgres.stop();
    await folder.remove();
  }
}

/** The time from each push to its submit, once all are sent. */
const sentBy = (read: () => Promise<{ from: number; to: number | null }[]>): Promise<Span[]> =>
  eventually(async () =>
    (await read()).map(({ from, to }) => {
      if (to === null) throw new Error('not all of them were sent');
      return { from, to };
    }),
  );

function report(parts: Part[], waits: Span[][], still: Span[]): ScenarioReport {
  const loud = parts.flatMap((part) => part.loud);
  const quiet = parts.flatMap((part) => part.quiet);
  const each = (figure: (part: Part, waits: Span[]) => number | string): string =>
    parts.map((part, place) => figure(part, waits[place] ?? [])).join(', ');
  const p99 = (of: readonly Span[]): number => percentileMs(of.map(durationOf), 0.99);
  const [alone = [], promised = []] = [0, PROMISED].map(
    (times) => waits[parts.findIndex((part) => part.times === times)],
  );
  return {
    scenario: 'One shop a hundred times as loud as others',
    figures: {
      'calls a second of the loud shop': each(({ times }) => (times * SECOND) / QUIET_EVERY_MS),
      'calls of the quiet shops beside it': each((part) => part.quiet.length),
      'calls of the loud shop': each((part) => part.loud.length),
      'of them refused with 429': each((part) => part.loud.filter(({ status }) => status === 429).length),
      'quiet shops, push answered: p99, ms': each((part) =>
        percentileMs(
          part.quiet.map(({ ms }) => ms),
          0.99,
        ),
      ),
      'quiet shops, push to submit: median, ms': each((_, of) => percentileMs(of.map(durationOf), 0.5)),
      'quiet shops, push to submit: p99, ms': each((_, of) => p99(of)),
      'share of time lost to host pauses': each(
        ({ periods }) => `${Math.round(shareWithin(periods, still) * 100)}%`,
      ),
      'the same p99 without host pauses, ms': each((_, of) => p99(undisturbed(of, still))),
    },
    checks: [
      check(
        'every push of the quiet shops is taken',
        quiet.filter(({ status }) => status !== 201).map(({ text }) => text),
      ),
      check(
        'beside one a hundred times as loud their p99 from push to submit less than doubles',
        p99(promised) < 2 * p99(alone) ? [] : [`${p99(alone)} ms alone, ${p99(promised)} ms beside it`],
      ),
      check(
        'the loud one is told to slow down, with Retry-After',
        loud
          .filter(({ status, retryAfter }) => status !== 201 && !(status === 429 && retryAfter))
          .map(({ text }) => text),
      ),
      check(
        'past its limit the loud one was really held back',
        loud.some(({ status }) => status === 429) ? [] : ['every call was taken'],
      ),
    ],
  };
}

/** By the wall clock, as the pause probe does. */
const wallMs = (): number => systemClock.now().getTime();

async function pushLoudly({ client }: MeasuredShop, times: number, seconds: number): Promise<AnsweredPush[]> {
  const calls: Promise<AnsweredPush>[] = [];
  const atOnce = (times * LOUD_EVERY_MS) / QUIET_EVERY_MS;
  const began = monotonicMs();
  for (let beat = 0; beat < (seconds * SECOND) / LOUD_EVERY_MS; beat += 1) {
    // Against the clock, since on a busy machine a pause takes longer than its time.
    await sleep(Math.max(0, began + beat * LOUD_EVERY_MS - monotonicMs()));
    for (let n = 0; n < atOnce; n += 1) calls.push(pushTo(client, `Loud ${beat}.${n}`, 'A loud one.'));
  }
  return Promise.all(calls);
}

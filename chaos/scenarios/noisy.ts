import { type Span, startPauseProbe } from '../../bench/hostPauses.ts';
import type { Pool } from '../../src/db/pool.ts';
import { SECOND } from '../../src/kit/clock.ts';
import { eventually } from '../../test/support/waiting.ts';
import { submitSpans } from '../auditSql.ts';
import { type AnsweredPush, answersOf, isTaken, percentileMs } from '../pushClient.ts';
import { type ScenarioResult, unless } from '../report.ts';
import {
  during,
  type MeasuredShop,
  pauseFigures,
  percentileOfSpans,
  pushAtSteadyRate,
  startOneProgram,
} from '../steadyShops.ts';

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
const CONNECTIONS = 100;

interface Part {
  times: number;
  shops: MeasuredShop[];
  quiet: AnsweredPush[];
  loud: AnsweredPush[];
  periods: Span[];
  /** Of the quiet shops, from push to submit. */
  spans: Span[];
}

/** Eleven shops on one process with default limits; one of them pushes a hundred times as often as each other. */
export async function runNoisy(): Promise<ScenarioResult> {
  const probe = await startPauseProbe();
  const { pool, openShop } = await startOneProgram({}, CONNECTIONS);
  const [warm, noisy] = [await openShop('Warm'), await openShop('Noisy')];
  const parts: Part[] = [];
  for (const times of TIMES_AS_LOUD) {
    const shops = await Promise.all(Array.from({ length: QUIET_SHOPS }, (_, n) => openShop(`Quiet ${n}`)));
    parts.push({ times, shops, quiet: [], loud: [], periods: [], spans: [] });
  }
  await pushLoudly(warm, LOUDEST, WARM_UP_SECONDS);
  await untilSubmitted(pool, [warm]);
  for (let round = 1; round <= ROUNDS; round += 1)
    for (const part of parts) {
      const steady = { everyMs: QUIET_EVERY_MS, seconds: SECONDS };
      const [quiet, loud] = await during(part.periods, () =>
        Promise.all([
          pushAtSteadyRate(part.shops, `Round ${round}`, steady),
          pushLoudly(noisy, part.times, SECONDS),
        ]),
      );
      part.quiet.push(...quiet);
      part.loud.push(...loud);
      await untilSubmitted(pool, [noisy]);
    }
  for (const part of parts) part.spans = await untilSubmitted(pool, part.shops);
  return found(parts, await probe.read());
}

/** The time from each push to its submit, once all are sent. */
const untilSubmitted = async (pool: Pool, shops: readonly MeasuredShop[]): Promise<Span[]> => {
  const submitted = ({ businessId }: MeasuredShop): Promise<Span[]> =>
    eventually(async () =>
      (await submitSpans(pool, businessId)).map(({ from, to }) => {
        if (to === null) throw new Error('not all of them were sent');
        return { from, to };
      }),
    );
  return (await Promise.all(shops.map(submitted))).flat();
};

function found(parts: Part[], pauses: Span[]): ScenarioResult {
  const loud = parts.flatMap((part) => part.loud);
  const quiet = parts.flatMap((part) => part.quiet);
  const each = (figure: (part: Part) => number): string => parts.map(figure).join(', ');
  const [alone = 0, beside = 0] = [0, PROMISED].map((times) =>
    percentileOfSpans(parts.find((part) => part.times === times)?.spans ?? [], 0.99),
  );
  const isHeldBack = ({ status, retryAfter }: AnsweredPush): boolean => status === 429 && retryAfter !== null;
  return {
    figures: {
      'calls a second of the loud shop': each(({ times }) => (times * SECOND) / QUIET_EVERY_MS),
      'calls of the quiet shops beside it': each((part) => part.quiet.length),
      'calls of the loud shop': each((part) => part.loud.length),
      'of them refused with 429': each((part) => part.loud.filter(({ status }) => status === 429).length),
      'quiet shops, push answered: p99, ms': each((part) => percentileMs(part.quiet, 0.99)),
      'quiet shops, push to submit: median, ms': each(({ spans }) => percentileOfSpans(spans, 0.5)),
      'quiet shops, push to submit: p99, ms': each(({ spans }) => percentileOfSpans(spans, 0.99)),
      ...pauseFigures(parts, pauses),
    },
    broken: {
      'every push of the quiet shops is taken': answersOf(quiet.filter((push) => !isTaken(push))),
      'beside one a hundred times as loud their p99 from push to submit less than doubles': unless(
        beside < 2 * alone,
        `${alone} ms alone, ${beside} ms beside it`,
      ),
      'the loud one is told to slow down, with Retry-After': answersOf(
        loud.filter((push) => !isTaken(push) && !isHeldBack(push)),
      ),
      'past its limit the loud one was really held back': unless(
        loud.some(isHeldBack),
        'every call was taken',
      ),
    },
  };
}

const pushLoudly = (shop: MeasuredShop, times: number, seconds: number): Promise<AnsweredPush[]> =>
  pushAtSteadyRate(times === 0 ? [] : [shop], 'Loud', { everyMs: QUIET_EVERY_MS / times, seconds });

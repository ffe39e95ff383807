import type { Span } from '../../bench/hostPauses.ts';
import { after } from '../../bench/measure.ts';
import type { Pool } from '../../src/db/pool.ts';
import { SECOND } from '../../src/kit/clock.ts';
import { eventually } from '../../test/support/waiting.ts';
import { submitSpans } from '../auditSql.ts';
import { type AnsweredPush, answersOf, isHeldBack, isRefused, percentileMs } from '../pushClient.ts';
import { type ScenarioResult, unless } from '../report.ts';
import {
  type MeasuredShop,
  type Part,
  pauseFigures,
  pushAtSteadyRate,
  pushInRounds,
  startOneProgram,
} from '../steadyShops.ts';

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

/** The rounds of ten quiet shops beside the loud one. */
interface QuietPart extends Part {
  times: number;
  shops: MeasuredShop[];
  loud: AnsweredPush[];
  /** From push to submit. */
  spans: Span[];
}

/** Eleven shops on one process with default limits; one of them pushes a hundred times as often as each other. */
export async function runNoisy(): Promise<ScenarioResult> {
  const { pool, openShop, openShops } = await startOneProgram({}, CONNECTIONS);
  const [warm, noisy] = [await openShop('Warm'), await openShop('Noisy')];
  const parts: QuietPart[] = [];
  for (const times of TIMES_AS_LOUD)
    parts.push({
      times,
      shops: await openShops(QUIET_SHOPS, 'Quiet'),
      answers: [],
      periods: [],
      loud: [],
      spans: [],
    });
  await pushLoudly(warm, LOUDEST, WARM_UP_SECONDS);
  await untilSubmitted(pool, [warm]);
  const pauses = await pushInRounds(ROUNDS, parts, async ({ shops, times, loud }, name) => {
    const [quiet, answers] = await Promise.all([
      pushAtSteadyRate(shops, name, QUIET_EVERY_MS, after(SECONDS)),
      pushLoudly(noisy, times, SECONDS),
    ]);
    loud.push(...answers);
    await untilSubmitted(pool, [noisy]);
    return quiet;
  });
  for (const part of parts) part.spans = await untilSubmitted(pool, part.shops);
  return found(parts, pauses);
}

/** The time from each push to its submit, once all are sent. */
const untilSubmitted = (pool: Pool, shops: readonly MeasuredShop[]): Promise<Span[]> =>
  eventually(async () => {
    const emails = await Promise.all(shops.map(({ businessId }) => submitSpans(pool, businessId)));
    return emails.flat().map(({ from, to }) => {
      if (to === null) throw new Error('not all of them were sent');
      return { from, to };
    });
  });

function found(parts: QuietPart[], pauses: Span[]): ScenarioResult {
  const loud = parts.flatMap((part) => part.loud);
  const refused = parts.flatMap(({ answers }) => answers.filter(isRefused));
  const each = (figure: (part: QuietPart) => number): string => parts.map(figure).join(', ');
  const [alone = 0, beside = 0] = [0, PROMISED].map((times) =>
    percentileMs(parts.find((part) => part.times === times)?.spans ?? [], 0.99),
  );
  return {
    figures: {
      'calls a second of the loud shop': each(({ times }) => (times * SECOND) / QUIET_EVERY_MS),
      'calls of the quiet shops beside it': each(({ answers }) => answers.length),
      'calls of the loud shop': each((part) => part.loud.length),
      'of them refused with 429': each((part) => part.loud.filter(({ status }) => status === 429).length),
      'quiet shops, push answered: p99, ms': each(({ answers }) => percentileMs(answers, 0.99)),
      'quiet shops, push to submit: median, ms': each(({ spans }) => percentileMs(spans, 0.5)),
      'quiet shops, push to submit: p99, ms': each(({ spans }) => percentileMs(spans, 0.99)),
      ...pauseFigures(parts, pauses),
    },
    broken: {
      'every push of the quiet shops is taken': answersOf(refused),
      'beside one a hundred times as loud their p99 from push to submit less than doubles': unless(
        beside < 2 * alone,
        `${alone} ms alone, ${beside} ms beside it`,
      ),
      'a refusal of the loud one is a 429 with Retry-After': answersOf(
        loud.filter((push) => isRefused(push) && !isHeldBack(push, 429)),
      ),
      'past its limit the loud one was really held back': unless(
        loud.some((push) => isHeldBack(push, 429)),
        'every call was taken',
      ),
    },
  };
}

const pushLoudly = (shop: MeasuredShop, times: number, seconds: number): Promise<AnsweredPush[]> =>
  pushAtSteadyRate(times === 0 ? [] : [shop], 'Loud', QUIET_EVERY_MS / times, after(seconds));

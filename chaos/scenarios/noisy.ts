import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { outside, type Span, startPulse } from '../../bench/standstills.ts';
import { createBusiness } from '../../src/businesses/create.ts';
import { monotonicMs, SECOND, systemClock } from '../../src/kit/clock.ts';
import { startProgram } from '../../test/helpers/program.ts';
import { eventually } from '../../test/helpers/waiting.ts';
import { submitSpans } from '../auditSql.ts';
import { runFolder } from '../leftovers.ts';
import { startPostgres } from '../postgres.ts';
import { check, type ScenarioReport } from '../report.ts';
import { type Answered, percentile, pushTo, type Visitor } from '../visitor.ts';

/**
 * Alone and beside in turn, since the machine is not the same from one minute to the next; together long enough that a
 * percentile of five pushes a second is more than its second worst.
 */
const ROUNDS = 5;
const SECONDS = 20;
/** As loud as it will be, by a shop of its own: a process that has just begun is still compiling what it runs. */
const WARM_UP_SECONDS = 10;
const QUIET_EVERY_MS = 200;
/** A hundred calls for each one of the quiet shop's, at an even pace, whether they are taken or not. */
const TIMES_AS_LOUD = 100;
const LOUD_EVERY_MS = 10;
const LOUD_AT_ONCE = (TIMES_AS_LOUD * LOUD_EVERY_MS) / QUIET_EVERY_MS;
const CONNECTIONS = 100;

/** Two shops on one process with the limits it has by default; one of them calls a hundred times as often. */
export async function runNoisy(): Promise<ScenarioReport> {
  const folder = await runFolder();
  const postgres = await startPostgres(folder.path);
  const dispatcher = new Agent({ connections: CONNECTIONS });
  const pulse = await startPulse();
  try {
    const program = await startProgram({
      DATABASE_URL: postgres.url,
      SECRET_KEY: 'the same secret for every process',
      LOG_LEVEL: 'silent',
    });
    const open = async (name: string) => {
      const { businessId, apiKey } = await createBusiness(postgres.pool, systemClock, { name });
      const visitor: Visitor = { baseUrl: program.url, apiKey, dispatcher };
      return { businessId, visitor };
    };
    const waitsOf = (businessId: string): Promise<Span[]> =>
      eventually(async () => {
        const all = await submitSpans(postgres.pool, businessId);
        return all.map(({ from, to }) => {
          if (to === null) throw new Error('not all of them were sent');
          return { from, to };
        });
      });
    const warm = await open('Warm');
    const [alone, beside, noisy] = [await open('Alone'), await open('Beside'), await open('Noisy')];

    await loudly(warm.visitor, WARM_UP_SECONDS);
    await waitsOf(warm.businessId);
    const [calm, together, noise]: [Answered[], Answered[], Answered[]] = [[], [], []];
    for (let round = 1; round <= ROUNDS; round += 1) {
      calm.push(...(await quietly(alone.visitor, `Alone ${round}`)));
      const [quiet, loud] = await Promise.all([
        quietly(beside.visitor, `Beside ${round}`),
        loudly(noisy.visitor, SECONDS),
      ]);
      together.push(...quiet);
      noise.push(...loud);
      await waitsOf(noisy.businessId);
    }
    const calmWaits = await waitsOf(alone.businessId);
    const besideWaits = await waitsOf(beside.businessId);
    const { spans, share } = await pulse.read();
    const taken = noise.filter(({ status }) => status === 201).length;
    const quiet = [...calm, ...together];
    const p99 = (values: readonly number[]): number => percentile(values, 0.99);
    const both = (part: number, pick = (waits: Span[]) => waits): string =>
      [calmWaits, besideWaits].map((waits) => percentile(pick(waits).map(lasting), part)).join(', ');
    return {
      scenario: 'One shop a hundred times as loud as another',
      figures: {
        'calls of the quiet shop': together.length,
        'calls of the loud shop': noise.length,
        'of them taken': taken,
        'of them refused with 429': noise.filter(({ status }) => status === 429).length,
        'quiet shop, push answered: p99 alone and beside, ms': `${p99(calm.map(({ ms }) => ms))}, ${p99(together.map(({ ms }) => ms))}`,
        'quiet shop, push to submit: median alone and beside, ms': both(0.5),
        'quiet shop, push to submit: p99 alone and beside, ms': both(0.99),
        'part of the time in which the machine itself stood still': `${Math.round(share * 100)}%`,
        'the same p99 without those moments, ms': both(0.99, (waits) => outside(waits, spans)),
      },
      checks: [
        check(
          'every push of the quiet shop is taken',
          quiet.filter(({ status }) => status !== 201).map(({ text }) => text),
        ),
        check(
          'the loud one is told to slow down, with Retry-After',
          noise
            .filter(({ status, retryAfter }) => status !== 201 && !(status === 429 && retryAfter))
            .map(({ text }) => text),
        ),
        check('the loud one was really held back', taken < noise.length ? [] : ['every call was taken']),
      ],
    };
  } finally {
    await pulse.stop();
    await dispatcher.destroy();
    await postgres.stop();
    await folder.remove();
  }
}

const lasting = ({ from, to }: Span): number => to - from;

/** At an even pace, whatever the answers take. */
async function quietly(visitor: Visitor, name: string): Promise<Answered[]> {
  const calls: Promise<Answered>[] = [];
  for (let n = 0; n < (SECONDS * SECOND) / QUIET_EVERY_MS; n += 1) {
    calls.push(pushTo(visitor, `${name} ${n}`, 'A quiet one.'));
    await sleep(QUIET_EVERY_MS);
  }
  return Promise.all(calls);
}

async function loudly(visitor: Visitor, seconds: number): Promise<Answered[]> {
  const calls: Promise<Answered>[] = [];
  const began = monotonicMs();
  for (let beat = 0; beat < (seconds * SECOND) / LOUD_EVERY_MS; beat += 1) {
    // By the clock rather than by pauses, which on a busy machine take longer than they are asked to.
    await sleep(Math.max(0, began + beat * LOUD_EVERY_MS - monotonicMs()));
    for (let n = 0; n < LOUD_AT_ONCE; n += 1) calls.push(pushTo(visitor, `Loud ${beat}.${n}`, 'A loud one.'));
  }
  return Promise.all(calls);
}

import { peakMegabytesOf } from '../../bench/cost.ts';
import { after } from '../../bench/measure.ts';
import { allMessages } from '../auditSql.ts';
import {
  type AnsweredPush,
  answersOf,
  isHeldBack,
  isRefused,
  isTaken,
  percentileMs,
  pushTo,
} from '../pushClient.ts';
import { type ScenarioResult, unless } from '../report.ts';
import { type MeasuredShop, startOneProgram } from '../steadyShops.ts';

/** More concurrent calls than the service queues for the database. */
const AT_ONCE = 4_000;
const SECONDS = 10;
const AFTERWARDS = 20;
const MEMORY_MIB = 1_024;

/** One API process with far more callers than it can serve, and no rate limit. */
export async function runOverload(): Promise<ScenarioResult> {
  const env = { ROLES: 'api', RATE_LIMIT_PER_SECOND: '0' };
  const { program, pool, openShop } = await startOneProgram(env, AT_ONCE);
  const shop = await openShop('Acme Books');
  const answers = await flood(shop);
  const mostMemory = Math.round(peakMegabytesOf(program.child.pid ?? 0));
  const afterwards: AnsweredPush[] = [];
  for (let n = 0; n < AFTERWARDS; n += 1)
    afterwards.push(await pushTo(shop.client, `After ${n}`, 'Calm again.'));

  const stored = new Set((await allMessages(pool)).map(({ id }) => id));
  const taken = [...answers, ...afterwards].filter(isTaken);
  const refused = answers.filter(isRefused);
  const medianAndP99 = (pushes: readonly AnsweredPush[]): string =>
    `${percentileMs(pushes, 0.5)}, ${percentileMs(pushes, 0.99)}`;
  return {
    figures: {
      'callers at once': AT_ONCE,
      'pushes taken in a second': Math.round(taken.length / SECONDS),
      'pushes refused in a second': Math.round(refused.length / SECONDS),
      'taken: median and p99, ms': medianAndP99(taken),
      'refused: median and p99, ms': medianAndP99(refused),
      'first push afterwards, ms': percentileMs(afterwards.slice(0, 1), 1),
      'most memory of the process, MiB': mostMemory,
    },
    broken: {
      'every acknowledged push is stored': answersOf(taken.filter(({ messageId }) => !stored.has(messageId))),
      'a push that is not taken is refused with 429 or 503 and Retry-After': answersOf(
        refused.filter((push) => !isHeldBack(push, 429, 503)),
      ),
      'the next push is taken as soon as the callers are gone': answersOf(afterwards.filter(isRefused)),
      [`memory stays below ${MEMORY_MIB} MiB`]: unless(mostMemory < MEMORY_MIB, `${mostMemory} MiB`),
    },
  };
}

async function flood({ client }: MeasuredShop): Promise<AnsweredPush[]> {
  const answers: AnsweredPush[] = [];
  const isOver = after(SECONDS);
  let n = 0;
  const caller = async (): Promise<void> => {
    while (!isOver()) answers.push(await pushTo(client, `Flood ${n++}`, 'Everyone at once.'));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  return answers;
}

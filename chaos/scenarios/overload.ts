import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from 'undici';
import { createBusiness } from '../../src/businesses/create.ts';
import { monotonicMs, SECOND, systemClock } from '../../src/kit/clock.ts';
import { startProgram } from '../../test/support/program.ts';
import { allMessages } from '../auditSql.ts';
import { runFolder } from '../cleanup.ts';
import { startPostgres } from '../postgres.ts';
import { type AnsweredPush, type PushClient, percentileMs, pushTo } from '../pushClient.ts';
import { check, type ScenarioReport } from '../report.ts';

/** More concurrent calls than the service queues for the database. */
const AT_ONCE = 4_000;
const SECONDS = 10;
const AFTERWARDS = 20;
const MEMORY_MIB = 1_024;
const SAMPLE_EVERY_MS = 100;

/** One API process with far more callers than it can serve, and no rate limit. */
export async function runOverload(): Promise<ScenarioReport> {
  const folder = await runFolder();
  const postgres = await startPostgres(folder.path);
  const dispatcher = new Agent({ connections: AT_ONCE, pipelining: 1 });
  try {
    const program = await startProgram({
      DATABASE_URL: postgres.url,
      SECRET_KEY: 'the same secret for every process',
      ROLES: 'api',
      RATE_LIMIT_PER_SECOND: '0',
      LOG_LEVEL: 'silent',
    });
    const { apiKey } = await createBusiness(postgres.pool, systemClock, { name: 'Acme Books' });
    const client: PushClient = { baseUrl: program.url, apiKey, dispatcher };
    const memory = watchMemory(program.child.pid ?? 0);
    const answers = await flood(client);
    const mostMemory = memory.stop();
    const after: AnsweredPush[] = [];
    for (let n = 0; n < AFTERWARDS; n += 1) after.push(await pushTo(client, `After ${n}`, 'Calm again.'));

    const stored = new Set((await allMessages(postgres.pool)).map(({ id }) => id));
    const taken = [...answers, ...after].filter(({ status }) => status === 201);
    const refused = answers.filter(({ status }) => status !== 201);
    const waited = (list: readonly AnsweredPush[]) => list.map(({ ms }) => ms);
    return {
      scenario: 'More callers than can be served',
      figures: {
        'callers at once': AT_ONCE,
        'pushes taken in a second': Math.round(taken.length / SECONDS),
        'pushes refused in a second': Math.round(refused.length / SECONDS),
        'taken: median and p99, ms': `${percentileMs(waited(taken), 0.5)}, ${percentileMs(waited(taken), 0.99)}`,
        'refused: median and p99, ms': `${percentileMs(waited(refused), 0.5)}, ${percentileMs(waited(refused), 0.99)}`,
        'first push afterwards, ms': Math.round(after[0]?.ms ?? 0),
        'most memory of the process, MiB': mostMemory,
      },
      checks: [
        check(
          'every acknowledged push is stored',
          taken.filter(({ messageId }) => !stored.has(messageId)).map(({ text }) => text),
        ),
        check(
          'a push that is not taken is refused with 429 or 503 and Retry-After',
          refused
            .filter(({ status, retryAfter }) => ![429, 503].includes(status) || !retryAfter)
            .map(({ text }) => text),
        ),
        check(
          'the next push is taken as soon as the callers are gone',
          after.filter(({ status }) => status !== 201).map(({ text }) => text),
        ),
        check(`memory stays below ${MEMORY_MIB} MiB`, mostMemory < MEMORY_MIB ? [] : [`${mostMemory} MiB`]),
      ],
    };
  } finally {
    await dispatcher.destroy();
    await postgres.stop();
    await folder.remove();
  }
}

async function flood(client: PushClient): Promise<AnsweredPush[]> {
  const answers: AnsweredPush[] = [];
  const until = monotonicMs() + SECONDS * SECOND;
  let n = 0;
  const caller = async (): Promise<void> => {
    while (monotonicMs() < until) answers.push(await pushTo(client, `Flood ${n++}`, 'Everyone at once.'));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  return answers;
}

/** `stop` returns the highest RSS sample in MiB. */
function watchMemory(pid: number): { stop(): number } {
  let most = 0;
  const sample = (): void => {
    const status = readFileSync(join('/proc', String(pid), 'status'), 'utf8');
    most = Math.max(most, Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024));
  };
  const timer = setInterval(sample, SAMPLE_EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return most;
    },
  };
}

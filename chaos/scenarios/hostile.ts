import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { startChild } from '../../bench/children.ts';
import { type Span, startPauseProbe, undisturbed } from '../../bench/hostPauses.ts';
import { createBusiness } from '../../src/businesses/create.ts';
import { createKey } from '../../src/businesses/keys.ts';
import { SECOND, systemClock } from '../../src/kit/clock.ts';
import { startProgram } from '../../test/support/program.ts';
import { runFolder } from '../cleanup.ts';
import type { Tally } from '../hostileProcess.ts';
import { startPostgres } from '../postgres.ts';
import { type AnsweredPush, percentileMs } from '../pushClient.ts';
import { check, type ScenarioReport } from '../report.ts';
import { durationOf, type MeasuredShop, pushAtSteadyRate, shareWithin } from '../steadyShops.ts';

/** Rounds alternate between alone and beside the hostile shops, since the machine's speed varies. */
const SECONDS = 15;
const WARM_UP_SECONDS = 15;
const SHOPS = 10;
const EVERY_MS = 500;
const KEYS = 20;

interface Part {
  hostile: boolean;
  answers: AnsweredPush[];
  periods: Span[];
}

/**
 * Ten shops that each push twice per second, on one API process with default limits, alone and beside three hostile shops: one
 * announces large bodies and does not send them, one streams endless bodies, one pushes with all its keys at full speed.
 */
export async function runHostile({ rounds }: { rounds: number }): Promise<ScenarioReport> {
  const folder = await runFolder();
  const postgres = await startPostgres(folder.path);
  const dispatcher = new Agent({ connections: 100 });
  const probe = await startPauseProbe();
  try {
    const program = await startProgram({
      DATABASE_URL: postgres.url,
      SECRET_KEY: 'the same secret for every process',
      ROLES: 'api',
      LOG_LEVEL: 'silent',
    });
    const open = async (name: string): Promise<MeasuredShop> => {
      const { businessId, apiKey } = await createBusiness(postgres.pool, systemClock, { name });
      return { businessId, client: { baseUrl: program.url, apiKey, dispatcher } };
    };
    const keysOf = async ({ businessId, client }: MeasuredShop): Promise<string[]> => {
      const keys = [client.apiKey];
      while (keys.length < KEYS) {
        const request = { businessId, mintedBy: null, name: null, detach: false };
        keys.push((await createKey(postgres.pool, systemClock, request)).key);
      }
      return keys;
    };
    const shops = await Promise.all(Array.from({ length: SHOPS }, (_, n) => open(`Well-behaved ${n}`)));
    const { hostname, port } = new URL(program.url);
    const hostile = await startChild('../chaos/hostileProcess.ts', {
      host: hostname,
      port: Number(port),
      announcing: await keysOf(await open('Announcing')),
      streaming: await keysOf(await open('Streaming')),
      hammering: await keysOf(await open('Hammering')),
    });
    const parts: [Part, Part] = [
      { hostile: false, answers: [], periods: [] },
      { hostile: true, answers: [], periods: [] },
    ];
    try {
      const calls = { everyMs: EVERY_MS, seconds: SECONDS };
      // A new process is slow until its code is compiled.
      await hostile.call('start');
      await pushAtSteadyRate(shops, 'Warm-up', { ...calls, seconds: WARM_UP_SECONDS });
      await hostile.call('stop');
      for (let round = 1; round <= rounds; round += 1) {
        for (const part of parts) {
          if (part.hostile) await hostile.call('start');
          // Lets the hostile requests reach the service.
          await sleep(SECOND);
          const from = systemClock.now().getTime();
          const name = `Round ${round} ${part.hostile ? 'beside' : 'alone'}`;
          part.answers.push(...(await pushAtSteadyRate(shops, name, calls)));
          part.periods.push({ from, to: systemClock.now().getTime() });
          if (part.hostile) await hostile.call('stop');
        }
      }
      const tally = await hostile.call<Tally>('stop');
      const { spans } = await probe.read();
      return report(parts, tally, spans);
    } finally {
      await hostile.stop();
    }
  } finally {
    await probe.stop();
    await dispatcher.destroy();
    await postgres.stop();
    await folder.remove();
  }
}

function report(parts: [Part, Part], tally: Tally, still: Span[]): ScenarioReport {
  const [alone, beside] = parts;
  const each = (figure: (part: Part) => number | string): string => parts.map(figure).join(', ');
  const p = ({ answers }: Part, part: number): number =>
    percentileMs(
      answers.map(({ ms }) => ms),
      part,
    );
  const calm = ({ answers }: Part): number =>
    percentileMs(undisturbed(answers.map(spanOf), still).map(durationOf), 0.99);
  const answered = (who: string): string =>
    Object.entries(tally[who] ?? {})
      .map(([status, count]) => `${status}: ${count}`)
      .join(', ') || 'none ended';
  return {
    scenario: 'Hostile shops beside well-behaved ones',
    figures: {
      'well-behaved shops alone and beside the hostile ones: calls': each(({ answers }) => answers.length),
      'push answered: median, ms': each((part) => p(part, 0.5)),
      'push answered: p99, ms': each((part) => p(part, 0.99)),
      'share of time lost to host pauses': each(
        ({ periods }) => `${Math.round(shareWithin(periods, still) * 100)}%`,
      ),
      'the same p99 without host pauses, ms': each(calm),
      'shop that announces 8 MiB on 64 sockets and stalls, by status (0: cut, 1: begun)':
        answered('announcing'),
      'shop that streams bodies without end on 64 sockets, by status': answered('streaming'),
      'shop that pushes with 20 keys on 160 sockets at full speed, by status': answered('hammering'),
    },
    checks: [
      check(
        'every push of the well-behaved shops is taken',
        parts.flatMap(({ answers }) =>
          answers.filter(({ status }) => status !== 201).map(({ text }) => text),
        ),
      ),
      check(
        'beside the hostile shops their p99 at most doubles',
        p(beside, 0.99) <= 2 * p(alone, 0.99)
          ? []
          : [`${p(alone, 0.99)} ms alone, ${p(beside, 0.99)} ms beside them`],
      ),
      check(
        'the hostile shops were really there',
        tally.hammering?.[201] && tally.streaming?.[1] && tally.announcing?.[1]
          ? []
          : [JSON.stringify(tally)],
      ),
    ],
  };
}

const spanOf = ({ at, ms }: AnsweredPush): Span => ({ from: at, to: at + ms });

import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../../bench/children.ts';
import type { Span } from '../../bench/hostPauses.ts';
import { after } from '../../bench/measure.ts';
import { createKey } from '../../src/businesses/keys.ts';
import { SECOND, systemClock } from '../../src/kit/clock.ts';
import type { HostileOptions, Tally } from '../hostileProcess.ts';
import { statusesOf } from '../merchants.ts';
import { answersOf, isRefused, percentileMs } from '../pushClient.ts';
import { type ScenarioResult, unless } from '../report.ts';
import { type Part, pauseFigures, pushAtSteadyRate, pushInRounds, startOneProgram } from '../steadyShops.ts';

const EVERY_MS = 500;
const SECONDS = 15;
const SHOPS = 10;
const KEYS = 20;
const CONNECTIONS = 100;

/**
 * Ten shops that each push twice per second, on one API process with default limits, alone and beside three hostile shops: one
 * announces large bodies and does not send them, one streams endless bodies, one pushes with all its keys at full speed.
 */
export async function runHostile({ rounds }: { rounds: number }): Promise<ScenarioResult> {
  const { program, pool, openShop, openShops } = await startOneProgram({ ROLES: 'api' }, CONNECTIONS);
  const openKeys = async (name: string): Promise<string[]> => {
    const { businessId, client } = await openShop(name);
    const keys = [client.apiKey];
    while (keys.length < KEYS) {
      const request = { businessId, mintedBy: null, name: null, detach: false };
      keys.push((await createKey(pool, systemClock, request)).key);
    }
    return keys;
  };
  const shops = await openShops(SHOPS, 'Well-behaved');
  const push = (name: string) => pushAtSteadyRate(shops, name, EVERY_MS, after(SECONDS));
  const options: HostileOptions = {
    baseUrl: program.url,
    announcing: await openKeys('Announcing'),
    streaming: await openKeys('Streaming'),
    hammering: await openKeys('Hammering'),
  };
  const hostile = await startChild('../chaos/hostileProcess.ts', options);
  const pushBeside = async (name: string) => {
    await hostile.call('start');
    // Lets the hostile requests reach the service.
    await sleep(SECOND);
    const answers = await push(`${name} beside`);
    await hostile.call('stop');
    return answers;
  };
  // A new process is slow until its code is compiled.
  await pushBeside('Warm-up');
  const [alone, beside]: [Part, Part] = [
    { answers: [], periods: [] },
    { answers: [], periods: [] },
  ];
  const pauses = await pushInRounds(rounds, [alone, beside], (part, name) =>
    part === beside ? pushBeside(name) : push(`${name} alone`),
  );
  return found([alone, beside], await hostile.call<Tally>('stop'), pauses);
}

function found(parts: Part[], tally: Tally, pauses: Span[]): ScenarioResult {
  const [alone = 0, beside = 0] = parts.map(({ answers }) => percentileMs(answers, 0.99));
  const each = (figure: (part: Part) => number): string => parts.map(figure).join(', ');
  const answered = (who: string): string => statusesOf(tally[who] ?? {}) || 'none ended';
  const refused = parts.flatMap(({ answers }) => answers.filter(isRefused));
  return {
    figures: {
      'well-behaved shops alone and beside the hostile ones: calls': each(({ answers }) => answers.length),
      'push answered: median, ms': each(({ answers }) => percentileMs(answers, 0.5)),
      'push answered: p99, ms': each(({ answers }) => percentileMs(answers, 0.99)),
      ...pauseFigures(parts, pauses),
      'shop that announces 8 MiB on 64 sockets and stalls, by status (0: cut, 1: begun)':
        answered('announcing'),
      'shop that streams bodies without end on 64 sockets, by status': answered('streaming'),
      'shop that pushes with 20 keys on 160 sockets at full speed, by status': answered('hammering'),
    },
    broken: {
      'every push of the well-behaved shops is taken': answersOf(refused),
      'beside the hostile shops their p99 at most doubles': unless(
        beside <= 2 * alone,
        `${alone} ms alone, ${beside} ms beside them`,
      ),
      'the hostile shops were really there': unless(
        Boolean(tally.hammering?.[201] && tally.streaming?.[1] && tally.announcing?.[1]),
        tally,
      ),
    },
  };
}

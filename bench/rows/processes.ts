import type { BenchDatabase, BenchEnvironment } from '../environment.ts';
import { alternate, type Compared, compare, type Measured } from '../measure.ts';
import type { BenchServer } from '../program.ts';
import { underLoad } from '../underLoad.ts';

type Side = BenchServer & { database: BenchDatabase };

/** The same pushes to a program with two processes and to one with one. */
export function compareProcesses(
  world: BenchEnvironment,
  { two, one }: { two: Side; one: Side },
  { clients, seconds, rounds }: { clients: number; seconds: number; rounds: number },
): Promise<Compared> {
  const push = (server: Side): Promise<Measured> => {
    const { apiKey, recipients } = server.database;
    const requests = { kind: 'push' as const, path: '/api/v1/messages', apiKey, recipients };
    return underLoad(world, server, { clients, seconds, requests });
  };
  return alternate(
    rounds,
    () => push(two),
    () => push(one),
  );
}

/** Pushes per second of CPU time, in the program and in Postgres, instead of per second. */
export const perCpuSecond = ({ rounds }: Compared): Compared =>
  compare(rounds.map(({ ours, baseline }) => ({ ours: byCpuSecond(ours), baseline: byCpuSecond(baseline) })));

const byCpuSecond = ({ perSecond, cpu }: Measured): Measured => ({
  perSecond: cpu === undefined ? 0 : perSecond / (cpu.process + cpu.postgres),
});

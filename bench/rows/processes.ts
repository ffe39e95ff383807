import type { BenchEnvironment } from '../environment.ts';
import { compare, type Measured } from '../measure.ts';
import { FEWER_RECIPIENTS, MORE_ROUNDS } from '../plan.ts';
import { API_ONLY, type BenchServer, startBenchServer } from '../program.ts';
import type { Reporter } from '../report/row.ts';
import { compareLoads, pushLoad, warmUp } from './loads.ts';

/** Two API processes beside one, each on its own database. On two cores they share what one has for itself. */
export async function measureProcesses(world: BenchEnvironment, report: Reporter): Promise<void> {
  const start = async (name: string, env: Record<string, string>): Promise<BenchServer> =>
    startBenchServer(world, await world.database(name, FEWER_RECIPIENTS), { ...API_ONLY, ...env });
  const two = await start('two_processes', { PROCESSES: '2' });
  const one = await start('one_process', {});
  await warmUp(two);
  await warmUp(one);
  const pushes = (server: BenchServer) => [server, pushLoad(server.database, 64)] as const;
  const compared = await compareLoads(MORE_ROUNDS, pushes(two), pushes(one));
  report.compared('single pushes, 64 clients, PROCESSES=2', 'the same in one process', null, compared);
  const efficiency = compare(
    compared.rounds.map(({ ours, baseline }) => ({
      ours: perCpuSecond(ours),
      baseline: perCpuSecond(baseline),
    })),
  );
  report.compared('the same: pushes per second of CPU time', 'in one process', null, efficiency);
}

/** Pushes per second of CPU time, in the program and in Postgres, instead of per second. */
const perCpuSecond = ({ perSecond, cpu }: Measured): Measured => ({
  perSecond: cpu === undefined ? 0 : perSecond / (cpu.process + cpu.postgres),
});

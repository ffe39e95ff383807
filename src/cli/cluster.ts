import { type DistributionStep, distributeDatabase, planDistribution } from '../db/cluster/distribute.ts';
import { count } from '../kit/typedValues.ts';
import { command, type Report } from './command.ts';
import { table } from './layout.ts';

/** A cluster cannot grow beyond a worker per shard; but what the shops of one shard do shares its cost, so few are cheaper. */
const SHARDS = 8;
const SHARDS_MAX = 1_024;
const DISTRIBUTED = 'All tables are distributed.';

const distribute = command({
  path: 'cluster distribute',
  about: 'Distributes the tables over the workers of a Citus cluster, while no process of Waypost runs',
  arguments: {},
  flags: {
    plan: { about: 'only show what would be done' },
    shards: { value: 'NUMBER', about: `how many shards, ${SHARDS} if not given; it cannot be changed later` },
  },
  async run(input, cli) {
    const shards = input.flag('shards', count(1, SHARDS_MAX)) ?? SHARDS;
    const url = cli.config.databaseDirectUrl ?? (await cli.databaseUrl());
    if (input.isGiven('plan')) return show(await planDistribution(url), 'would_do');
    return show(await distributeDatabase(url, shards), 'done');
  },
});

function show(
  { citus, workers, steps }: { citus: string; workers: number; steps: DistributionStep[] },
  name: 'done' | 'would_do',
): Report {
  return {
    json: { citus, workers, [name]: steps },
    text: table(
      ['table', name === 'done' ? 'is now' : 'would be'],
      steps.map(({ table, how }) => [table, how]),
      DISTRIBUTED,
    ),
  };
}

export const clusterCommands = [distribute];

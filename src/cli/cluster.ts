import { distributeDatabase, planDistribution } from '../db/cluster/distribute.ts';
import { count } from '../kit/typedValues.ts';
import { command, flag, toggle } from './command.ts';
import { table } from './layout.ts';

/** A cluster cannot grow beyond a worker per shard; but what the shops of one shard do shares its cost, so few are cheaper. */
const SHARDS = 8;
const SHARDS_MAX = 1_024;

export const distribute = command({
  path: 'cluster distribute',
  about: 'Distributes the tables over the workers of a Citus cluster, while no process of Waypost runs',
  flags: {
    plan: toggle('only show what would be done'),
    shards: flag(
      'NUMBER',
      `how many shards, ${SHARDS} if not given; it cannot be changed later`,
      count(1, SHARDS_MAX),
    ),
  },
  async run({ plan, shards = SHARDS }, cli) {
    const url = cli.config.databaseDirectUrl ?? (await cli.databaseUrl());
    const { citus, workers, steps } = await (plan ? planDistribution(url) : distributeDatabase(url, shards));
    const rows = steps.map(({ table, how }) => [table, how]);
    return {
      json: { citus, workers, [plan ? 'would_do' : 'done']: steps },
      text: table(['table', plan ? 'would be' : 'is now'], rows, 'All tables are distributed.'),
    };
  },
});

import { migrate } from '../db/migrate.ts';
import { command } from './command.ts';
import { table } from './layout.ts';

const migrateNow = command({
  path: 'migrate',
  about: 'Migrates the database to the current schema',
  arguments: {},
  flags: {},
  async run(_input, cli) {
    const applied = await migrate(cli.config.databaseDirectUrl ?? (await cli.databaseUrl()));
    return {
      json: { applied },
      text: table(
        ['applied'],
        applied.map((name) => [name]),
        'The database is up to date.',
      ),
    };
  },
});

export const migrateCommands = [migrateNow];

import { migrate } from '../db/migrate.ts';
import { command } from './command.ts';
import { table } from './layout.ts';

const migrateNow = command({
  path: 'migrate',
  about: 'Brings the schema of the database up to date',
  arguments: {},
  flags: {},
  async run(_given, cli) {
    const applied = await migrate(await cli.databaseUrl());
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

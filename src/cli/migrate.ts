import { migrate, planMigrations } from '../db/migrate.ts';
import { command, toggle } from './command.ts';
import { table } from './layout.ts';

const UP_TO_DATE = 'The database is up to date.';

export const migrateNow = command({
  path: 'migrate',
  about: 'Migrates the database to the current schema',
  flags: { plan: toggle('only show what would be applied') },
  async run({ plan }, cli) {
    const url = cli.config.databaseDirectUrl ?? (await cli.databaseUrl());
    if (!plan) {
      const applied = await migrate(url);
      const rows = applied.map((name) => [name]);
      return { json: { applied }, text: table(['applied'], rows, UP_TO_DATE) };
    }
    const pending = await planMigrations(url);
    const rows = pending.map(({ name, in_transaction, about }) => [
      name,
      in_transaction ? 'in a transaction' : 'beside running statements',
      about,
    ]);
    return { json: { pending }, text: table(['would apply', 'how', 'what'], rows, UP_TO_DATE) };
  },
});

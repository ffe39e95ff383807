import { migrate, planMigrations } from '../db/migrate.ts';
import { command, type Report } from './command.ts';
import { table } from './layout.ts';

const UP_TO_DATE = 'The database is up to date.';

const migrateNow = command({
  path: 'migrate',
  about: 'Migrates the database to the current schema',
  arguments: {},
  flags: { plan: { about: 'only show what would be applied' } },
  async run(input, cli) {
    const url = cli.config.databaseDirectUrl ?? (await cli.databaseUrl());
    if (input.isGiven('plan')) return showPlan(url);
    const applied = await migrate(url);
    return {
      json: { applied },
      text: table(
        ['applied'],
        applied.map((name) => [name]),
        UP_TO_DATE,
      ),
    };
  },
});

async function showPlan(url: string): Promise<Report> {
  const pending = await planMigrations(url);
  return {
    json: { pending },
    text: table(
      ['would apply', 'how', 'what'],
      pending.map(({ name, in_transaction, about }) => [
        name,
        in_transaction ? 'in a transaction' : 'beside running statements',
        about,
      ]),
      UP_TO_DATE,
    ),
  };
}

export const migrateCommands = [migrateNow];

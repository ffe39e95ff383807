import { explainDatabaseError } from '../db/faults.ts';
import { finding } from '../providers/askApi.ts';
import { checkConfiguration } from './check/configuration.ts';
import { checkDatabase } from './check/database.ts';
import { about, type PartFinding } from './check/findings.ts';
import { checkProviders } from './check/providers.ts';
import { type Cli, command, type Report } from './command.ts';
import { table } from './layout.ts';

const WORDS = { good: 'ok', warning: 'warning', wrong: 'WRONG' } as const;

const check = command({
  path: 'check',
  about: 'Checks the configuration, the database and each provider, without sending anything',
  arguments: {},
  flags: {},
  readsConfig: false,
  async run(_input, cli) {
    const { config, findings } = checkConfiguration(cli.env);
    const found = about('configuration', findings);
    if (config !== null) {
      const [ofDatabase, ofProviders] = await Promise.all([databaseFindings(cli), checkProviders(config)]);
      found.push(...ofDatabase, ...ofProviders);
    }
    return reportOf(found, config === null);
  },
});

async function databaseFindings(cli: Cli): Promise<PartFinding[]> {
  try {
    return about('database', await checkDatabase(cli.config, await cli.databaseUrl()));
  } catch (error) {
    // The embedded one did not start.
    return about('database', [finding.wrong(explainDatabaseError(error).message)]);
  }
}

function reportOf(findings: readonly PartFinding[], wasCutShort: boolean): Report {
  const failed = findings.some(({ state }) => state === 'wrong');
  const rows = findings.map(({ state, part, says }) => [WORDS[state], part, says]);
  const last = wasCutShort
    ? 'The database and the providers are checked once the configuration can be read.'
    : failed
      ? 'Put right what is marked WRONG, and check again.'
      : 'Nothing is wrong.';
  return {
    json: { ok: !failed, findings },
    text: `${table(['', 'part', 'found'], rows, '')}\n\n${last}`,
    failed,
  };
}

export const checkCommands = [check];

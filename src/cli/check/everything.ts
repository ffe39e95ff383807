import { resolve } from 'node:path';
import { hasEmbedded } from '../../db/embedded/location.ts';
import { explainDatabaseError } from '../../db/faults.ts';
import { finding } from '../../providers/askApi.ts';
import type { Cli } from '../command.ts';
import { checkConfiguration } from './configuration.ts';
import { checkDatabase } from './database.ts';
import { about, type PartFinding } from './findings.ts';
import { checkProviders } from './providers.ts';

/** What was found of every part; `wasCutShort` where the configuration cannot be read, which the other parts need. */
export async function checkEverything(cli: Cli): Promise<{ found: PartFinding[]; wasCutShort: boolean }> {
  const { config, findings } = checkConfiguration(cli.env);
  const found = about('configuration', findings);
  if (config === null) return { found, wasCutShort: true };
  const [ofDatabase, ofProviders] = await Promise.all([databaseFindings(cli), checkProviders(config)]);
  return { found: [...found, ...ofDatabase, ...ofProviders], wasCutShort: false };
}

async function databaseFindings(cli: Cli): Promise<PartFinding[]> {
  const { databaseUrl, dataDir } = cli.config;
  try {
    if (databaseUrl === null && !hasEmbedded(dataDir)) {
      const none = `There is no database in ${resolve(dataDir)} (DATA_DIR) yet, and DATABASE_URL is not set`;
      return about('database', [finding.warning(`${none}: the first start makes one there.`)]);
    }
    return about('database', await checkDatabase(cli.config, await cli.databaseUrl()));
  } catch (error) {
    // The embedded one did not start.
    return about('database', [finding.wrong(explainDatabaseError(error).message)]);
  }
}

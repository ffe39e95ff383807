import { findingsAbout } from '../../businesses/domains/check.ts';
import { listDomains } from '../../businesses/domains/sql.ts';
import { withClient } from '../../db/client.ts';
import { pendingMigrations } from '../../db/migrate.ts';
import { type Finding, finding } from '../../providers/askApi.ts';
import type { Cli } from '../command.ts';
import { connectionTo } from './database.ts';

const DOMAINS_MAX = 100;

/**
 * What DNS says now about the domains of shops. It changes nothing and is never wrong: a shop's records are its own to put right, and
 * until then its mails go out from the shared sender.
 */
export async function checkDomains({ config, nameServers }: Cli, url: string): Promise<Finding[]> {
  // Without the newest schema there may be no such table.
  if ((await pendingMigrations(config.databaseDirectUrl ?? url)).length > 0) return [];
  const stored = await withClient(connectionTo(url), (client) => listDomains(client, DOMAINS_MAX + 1));
  const found = await Promise.all(
    stored.slice(0, DOMAINS_MAX).map(async (domain) => {
      const findings = await findingsAbout(domain, nameServers);
      return findings
        .filter(({ record, state }) => record === 'dkim' || state !== 'good')
        .map(({ state, says }) => (state === 'good' ? finding.good(says) : finding.warning(says)));
    }),
  );
  const more = stored.length > DOMAINS_MAX ? [finding.good(MORE)] : [];
  return [...found.flat(), ...more];
}

const MORE = `More than ${DOMAINS_MAX} shops have a domain of their own: the others are checked every day, and by sender check.`;

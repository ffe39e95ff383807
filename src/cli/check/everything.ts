import { resolve } from 'node:path';
import { withClient } from '../../db/client.ts';
import { hasEmbedded } from '../../db/embedded/location.ts';
import { explainDatabaseError } from '../../db/faults.ts';
import { planMigrations } from '../../db/migrate.ts';
import type { Config } from '../../environment/config.ts';
import { smsSendersTo } from '../../environment/smsRoutes.ts';
import { IssuerFault, openIssuer } from '../../members/oidcIssuer.ts';
import { type Finding, finding } from '../../providers/askApi.ts';
import { type ApiDeps, createHttpClient } from '../../providers/http.ts';
import { emailProvider, smsProvider, whatsappProvider } from '../../providers/kinds.ts';
import type { Cli } from '../command.ts';
import { checkConfiguration } from './configuration.ts';
import { checkDatabase, connectionTo } from './database.ts';
import { checkDomains } from './domains.ts';
import { senderWarnings } from './senders.ts';
import { sendersInUse } from './sendersSql.ts';

interface PartFinding extends Finding {
  part: 'configuration' | 'database' | 'sign-in' | 'email' | 'sms' | 'whatsapp';
}

const about = (part: PartFinding['part'], findings: readonly Finding[]): PartFinding[] =>
  findings.map((found) => ({ part, ...found }));

/** What was found of every part; `wasCutShort` where the configuration cannot be read, which the other parts need. */
export async function checkEverything(cli: Cli): Promise<{ findings: PartFinding[]; wasCutShort: boolean }> {
  const { config, findings } = checkConfiguration(cli.env);
  const ofConfiguration = about('configuration', findings);
  if (config === null) return { findings: ofConfiguration, wasCutShort: true };
  const [ofDatabase, ofSignIn, ofProviders] = await Promise.all([
    databaseFindings(cli),
    issuerFindings(config),
    providerFindings(config),
  ]);
  const all = [...ofConfiguration, ...ofDatabase, ...ofSignIn, ...ofProviders];
  return { findings: all, wasCutShort: false };
}

async function databaseFindings(cli: Cli): Promise<PartFinding[]> {
  const { databaseUrl, dataDir } = cli.config;
  try {
    if (databaseUrl !== null || hasEmbedded(dataDir)) {
      const url = await cli.databaseUrl();
      const findings = await checkDatabase(cli.config, url);
      const isWrong = findings.some(({ state }) => state === 'wrong');
      return [
        ...about('database', findings),
        ...about('email', isWrong ? [] : await checkDomains(cli, url)),
        ...about('sms', isWrong ? [] : await senderFindings(cli.config, url)),
      ];
    }
    const none = `There is no database in ${resolve(dataDir)} (DATA_DIR) yet, and DATABASE_URL is not set`;
    return about('database', [finding.warning(`${none}: the first start makes one there.`)]);
  } catch (error) {
    // The embedded one did not start.
    return about('database', [finding.wrong(explainDatabaseError(error).message)]);
  }
}

/** The sandbox sends nothing, whatever the sender, and before the first start there are no shops. */
async function senderFindings(config: Config, url: string): Promise<Finding[]> {
  if (config.providerSettings.sms.length === 0) return [];
  if ((await planMigrations(config.databaseDirectUrl ?? url)).length > 0) return [];
  const used = await withClient(connectionTo(url), (client) => sendersInUse(client));
  const uses = used.map(({ address: from, by_provider: byProvider, countries }) => ({
    sendersTo: (country: string) => smsSendersTo(country, { from, fromAt: byProvider ?? {} }, config),
    countries,
  }));
  return senderWarnings(uses).map(finding.warning);
}

/** Asks the issuer of members' sign-ins for its metadata, as the first sign-in does. */
async function issuerFindings({ oidc, publicUrl, port }: Config): Promise<PartFinding[]> {
  if (oidc === null) return [];
  const client = createHttpClient();
  const issuer = openIssuer(oidc, { client, publicUrl: publicUrl ?? `http://localhost:${port}` });
  try {
    await issuer.discover();
    const says = `${issuer.host} answers. It must know the redirect address ${issuer.callbackUrl}.`;
    return about('sign-in', [finding.good(says)]);
  } catch (error) {
    if (!(error instanceof IssuerFault)) throw error;
    const says = `${issuer.host} has no metadata that can be used (${error.code}): check the network and OIDC_ISSUER.`;
    return about('sign-in', [finding.wrong(says)]);
  } finally {
    await client.close();
  }
}

/** Asks each chosen provider, all at once. The sandbox has nothing to ask. */
async function providerFindings({ providerSettings }: Config): Promise<PartFinding[]> {
  const { email, sms, whatsapp } = providerSettings;
  const client = createHttpClient();
  const deps: ApiDeps = { client };
  const checks = (providers: readonly { check(deps: ApiDeps): Promise<Finding[]> }[]) =>
    Promise.all(providers.map((provider) => provider.check(deps)));
  try {
    const [ofEmail, ofSms, ofWhatsapp] = await Promise.all([
      checks(email.map(emailProvider)),
      checks(sms.map(smsProvider)),
      checks(whatsapp.map(whatsappProvider)),
    ]);
    return [
      ...about('email', ofEmail.flat()),
      ...about('sms', ofSms.flat()),
      ...about('whatsapp', ofWhatsapp.flat()),
    ];
  } finally {
    await client.close();
  }
}

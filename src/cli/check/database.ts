import type pg from 'pg';
import { withClient } from '../../db/client.ts';
import { explainDatabaseError } from '../../db/faults.ts';
import { opensPepper } from '../../db/instanceSecrets.ts';
import { planMigrations } from '../../db/migrate.ts';
import { describeRoute, findRoute } from '../../db/route.ts';
import { describeServer, type ServerDescription } from '../../db/sql.ts';
import type { Config } from '../../environment/config.ts';
import { secretKeys } from '../../environment/secretKey.ts';
import { SECOND, systemClock } from '../../kit/clock.ts';
import { OperatorError } from '../../kit/errors.ts';
import { createSealer } from '../../kit/seal.ts';
import { HELD_SENTENCE, readGuard } from '../../outbox/restoreGuardSql.ts';
import { type Finding, finding } from '../../providers/askApi.ts';
import { connectionsOfAll } from '../../server/processLayout.ts';

const TIMEOUT_MS = 10 * SECOND;
/** Beyond this AWS refuses a signature; long before, the dates of mails look odd. */
const CLOCKS_DIFFER_MS = 5 * SECOND;

/** Everything that a start needs of the database, without a change to it. */
export async function checkDatabase(config: Config, url: string): Promise<Finding[]> {
  try {
    const [server, direct] = await Promise.all([
      describe(url),
      config.databaseDirectUrl === null ? null : describe(config.databaseDirectUrl),
    ]);
    const findings = judgeServer(server, config);
    if (direct !== null && direct.identity !== server.identity)
      findings.push(finding.wrong(ANOTHER_DATABASE));
    if (findings.some(({ state }) => state === 'wrong')) return findings;
    findings.push(...(await judgeRoute(config, url)));
    findings.push(...(await judgeSchema(config, url)));
    return findings;
  } catch (error) {
    return [finding.wrong(explainDatabaseError(error).message)];
  }
}

interface Described extends ServerDescription {
  /** How far its clock is ahead of ours. */
  ahead_ms: number;
}

const describe = async (url: string): Promise<Described> =>
  withClient(connectionTo(url), async (client) => {
    const asked = systemClock.now().getTime();
    const [server] = await describeServer(client);
    if (server === undefined) throw new OperatorError('The database did not describe itself.');
    return { ...server, ahead_ms: server.now_ms - (asked + systemClock.now().getTime()) / 2 };
  });

export const connectionTo = (url: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: 'waypost check',
  connectionTimeoutMillis: TIMEOUT_MS,
  query_timeout: TIMEOUT_MS,
});

function judgeServer(server: Described, config: Config): Finding[] {
  const { version, encoding, may_create, ahead_ms } = server;
  const findings = [finding.good(`Postgres ${version} answers.`)];
  if (encoding !== 'UTF8')
    findings.push(finding.wrong(`The database has the encoding ${encoding}: create one with UTF8.`));
  if (!may_create) findings.push(finding.wrong(MAY_NOT_CREATE));
  if (Math.abs(ahead_ms) > CLOCKS_DIFFER_MS) {
    const seconds = Math.round(Math.abs(ahead_ms) / SECOND);
    const differ = `The database’s clock is ${seconds} seconds ${ahead_ms > 0 ? 'ahead of' : 'behind'} this machine’s`;
    findings.push(finding.warning(`${differ}: set both by time servers.`));
  }
  if (config.databaseUrl !== null) findings.push(...judgeConnections(server, config));
  return findings;
}

const MAY_NOT_CREATE =
  'The role of DATABASE_URL may not create tables: grant it a schema or a database of its own.';
const ANOTHER_DATABASE =
  'DATABASE_DIRECT_URL leads to another database than DATABASE_URL: let both name the same one.';
const ANOTHER_KEY =
  'SECRET_KEY is not the one that this database’s secrets were sealed with: set that one, or keep it after the new one (new,old).';

function judgeConnections(server: Described, config: Config): Finding[] {
  const needed = connectionsOfAll(config);
  const most = server.max_connections - server.reserved_connections;
  const tooMany = `This program may open ${needed} connections, and the database has ${most}`;
  return needed > most ? [finding.warning(`${tooMany}: set DATABASE_POOL_MAX, or use a pooler.`)] : [];
}

async function judgeRoute(config: Config, url: string): Promise<Finding[]> {
  const route = await findRoute(url, config.databaseDirectUrl);
  const found = describeRoute(route);
  if (found === null) return [];
  return [route.directUrl === null ? finding.warning(found) : finding.good(found)];
}

async function judgeSchema(config: Config, url: string): Promise<Finding[]> {
  const pending = await planMigrations(config.databaseDirectUrl ?? url);
  if (pending.length > 0)
    return [
      finding.warning(
        `${pending.length} migrations are not applied yet: the next start applies them; migrate --plan lists them.`,
      ),
    ];
  const sealer = createSealer(await secretKeys(config));
  const [opens, [guard]] = await withClient(connectionTo(url), async (client) => [
    await opensPepper(client, sealer),
    await readGuard(client),
  ]);
  return [
    finding.good('The schema is current.'),
    ...(guard?.held ? [finding.wrong(HELD_SENTENCE)] : []),
    ...(opens ? [] : [finding.wrong(ANOTHER_KEY)]),
  ];
}

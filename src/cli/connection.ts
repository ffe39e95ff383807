import { startDatabaseClock } from '../db/databaseClock.ts';
import { joinEmbedded } from '../db/embedded/embedded.ts';
import { loadPepper } from '../db/instanceSecrets.ts';
import { migrate, pendingMigrations } from '../db/migrate.ts';
import { connectPool } from '../db/route.ts';
import { type Config, type Environment, readConfig } from '../environment/config.ts';
import { secretKeys } from '../environment/secretKey.ts';
import { MINUTE } from '../kit/clock.ts';
import { OperatorError } from '../kit/errors.ts';
import { createHasher, createSealer } from '../kit/seal.ts';
import type { Cli, OpenDatabase } from './command.ts';

/** A command runs one transaction after another. */
const CONNECTIONS = 2;
/** Long: an operator waits for a long list, and nobody else waits for the connection. */
const STATEMENT_TIMEOUT_MS = 5 * MINUTE;

/** The server's database, opened on demand, even while no server runs. None is made. */
export function openCli(
  env: Environment,
  { input, nameServers }: Pick<Cli, 'input'> & { nameServers?: readonly string[] },
): Cli & { close(): Promise<void> } {
  const closers: (() => Promise<void>)[] = [];
  let read: Config | null = null;
  const settings = (): Config => {
    read ??= readConfig(env);
    return read;
  };

  const databaseUrl = async (): Promise<string> => {
    const config = settings();
    if (config.databaseUrl !== null) return config.databaseUrl;
    const embedded = await joinEmbedded({ dataDir: config.dataDir });
    closers.push(() => embedded.stop());
    return embedded.url;
  };

  return {
    env,
    input,
    nameServers,
    get config() {
      return settings();
    },
    databaseUrl,
    async open(): Promise<OpenDatabase> {
      const config = settings();
      const url = await databaseUrl();
      await migrateOrRefuse(config, config.databaseDirectUrl ?? url);
      const { pool } = await connectPool(
        { url, directUrl: config.databaseDirectUrl },
        { max: CONNECTIONS, name: 'cli', onError: () => {}, statementTimeoutMs: STATEMENT_TIMEOUT_MS },
      );
      closers.push(() => pool.end());
      const clock = await startDatabaseClock(pool, () => {});
      closers.push(async () => clock.stop());
      const keys = () => secretKeys(config);
      const sealer = async () => createSealer(await keys());
      const hasher = async () => createHasher(await loadPepper(pool, await sealer()));
      return { pool, clock, hasher, sealer, secretKeys: keys };
    },
    async close() {
      for (const close of closers.splice(0).reverse()) await close();
    },
  };
}

/** An embedded database is migrated automatically; a shared one only by its operator. */
async function migrateOrRefuse(config: Config, url: string): Promise<void> {
  if (config.databaseUrl === null) {
    await migrate(url);
  } else if ((await pendingMigrations(url)).length > 0) {
    throw new OperatorError('The schema of the database is not up to date: run the command migrate first.');
  }
}

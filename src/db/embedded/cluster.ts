import { chmod, chown, mkdir, open, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OperatorError } from '../../kit/errors.ts';
import { randomText } from '../../kit/ids.ts';
import type { Account } from './account.ts';
import { type Binaries, ensureBinaries } from './binaries.ts';
import { asideIn, isCode, isFileSystemError, removeAbandoned, unusable } from './files.ts';
import { type Location, locate } from './location.ts';
import { newPasswords, type Passwords, readPasswords, writePasswords } from './passwords.ts';
import { run } from './run.ts';
import { isDurable, type ServerSettings } from './settings.ts';

/** An initialised database cluster on disk. */
export interface Cluster {
  readonly home: string;
  readonly data: string;
  readonly log: string;
  readonly passwords: Passwords;
  readonly account: Account;
  readonly binaries: Binaries;
}

export const ADMINISTRATOR = 'postgres';
export const ROLE = 'waypost';
export const DATABASE = 'waypost';

const INIT_TIMEOUT_MS = 120_000;

/** The cluster in `dataDir`, created on the first call. */
export async function ensureCluster(dataDir: string, settings: ServerSettings): Promise<Cluster> {
  const location = locate(dataDir);
  try {
    await removeAbandoned(location.place);
    const binaries = await ensureBinaries(location);
    const home = location.home ?? (await makeHome(location, binaries, isDurable(settings)));
    if (home === null) return ensureCluster(dataDir, settings); // another start created it first
    return {
      home,
      data: join(home, 'data'),
      log: join(home, 'log'),
      passwords: await readPasswords(home),
      account: location.account,
      binaries,
    };
  } catch (error) {
    throw isFileSystemError(error) ? unusable(dataDir, error) : error;
  }
}

async function makeHome(location: Location, binaries: Binaries, durable: boolean): Promise<string | null> {
  const { account, entry, place } = location;
  const aside = asideIn(place);
  try {
    // As root, only data/ belongs to the database's user, who must not own the files that root reads and writes
    // beside it.
    await mkdir(aside);
    await chmod(aside, account === null ? 0o700 : 0o755);
    await mkdir(join(aside, 'data'), { mode: 0o700 });
    if (account !== null) await chown(join(aside, 'data'), account.uid, account.gid);
    await initialise(aside, binaries, account, durable);
    return await publish(aside, entry, place);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

async function initialise(
  home: string,
  binaries: Binaries,
  account: Account,
  durable: boolean,
): Promise<void> {
  const data = join(home, 'data');
  const passwords = newPasswords();
  const step = async (program: string, args: string[], input = ''): Promise<void> => {
    const outcome = await run(program, args, { account, cwd: data, input, timeoutMs: INIT_TIMEOUT_MS });
    if (outcome.code !== 0) throw setUpFailure(home, outcome.lastOutput);
  };
  await step(binaries.initdb, [
    ...['-D', data, `--username=${ADMINISTRATOR}`, '--auth=reject', '--encoding=UTF8'],
    // Sorts by code point, the same on every machine, and knows the letters of every script.
    ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...['--no-sync', '--no-instructions'],
  ]);
  await writeFile(join(data, 'pg_hba.conf'), 'local all all scram-sha-256\n');
  await step(
    binaries.postgres,
    ['--single', '-D', data, '-c', 'exit_on_error=on', '-c', 'log_min_error_statement=panic', 'postgres'],
    `${[
      `ALTER ROLE ${ADMINISTRATOR} PASSWORD '${passwords.administrator}'`,
      `CREATE ROLE ${ROLE} LOGIN PASSWORD '${passwords.waypost}'`,
      `CREATE DATABASE ${DATABASE} OWNER ${ROLE}`,
    ].join('\n')}\n`,
  );
  if (durable) await step(binaries.initdb, ['--sync-only', '-D', data]);
  await writePasswords(home, passwords);
  await syncFolder(home);
}

const setUpFailure = (home: string, reason: string): OperatorError =>
  new OperatorError(
    `The embedded Postgres could not be set up in ${dirname(home)}: ${reason.replace(/\.$/, '')}; set DATA_DIR to another folder, or DATABASE_URL to a Postgres of your own.`,
  );

/** The one atomic step that publishes the home; null if another start was first. */
async function publish(aside: string, entry: string, place: string): Promise<string | null> {
  const linked = dirname(entry) !== place;
  const home = linked ? join(place, randomText(16)) : entry;
  try {
    await rename(aside, home);
    if (linked) await symlink(home, entry);
    await syncFolder(place);
    if (linked) await syncFolder(dirname(entry));
    return home;
  } catch (error) {
    if (!isCode(error, 'EEXIST', 'ENOTEMPTY', 'ENOTDIR')) throw error;
    if (linked) await rm(home, { recursive: true, force: true });
    return null;
  }
}

/**
 * Without fsync on the folder, a power cut could lose a file's name, and with the cluster's name every
 * acknowledged commit.
 */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

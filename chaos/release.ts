import { execFile } from 'node:child_process';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describeCommit } from '../bench/otherCheckout.ts';
import { NEXT_MIGRATIONS } from '../test/support/nextMigrations.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const run = promisify(execFile);

/** A version of the program, built. */
type Release = ReturnType<typeof releaseIn>;

const releaseIn = (folder: string, name: string) => ({
  name,
  server: join(folder, 'dist', 'program', 'start.js'),
  cli: join(folder, 'dist', 'program', 'cli.js'),
});

/** This tree, or another checkout. Both are built already. */
export const releaseAt = async (checkout: string | null): Promise<Release> =>
  checkout === null ? releaseIn(ROOT, 'this version') : releaseIn(checkout, await describeCommit(checkout));

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

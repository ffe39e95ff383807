import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const run = promisify(execFile);

/** Another version of the program, built. */
export interface Release {
  /** As it was asked for, and the commit that it is. */
  name: string;
  server: string;
  cli: string;
}

const RELEASE_TAG = /^v?\d+\.\d+\.\d+$/;

/** The newest release of this repository; null where there is no git or no tag. */
export async function newestRelease(): Promise<string | null> {
  const tags = await run('git', ['tag', '--sort=-version:refname'], { cwd: ROOT }).catch(() => null);
  return tags?.stdout.split('\n').find((tag) => RELEASE_TAG.test(tag)) ?? null;
}

/**
 * Builds a version into a folder from what git has of it. It runs with the packages of this tree: a release that needs others
 * would have to be installed.
 */
export async function buildRelease(ref: string, folder: string): Promise<Release> {
  const { stdout: commit } = await run('git', ['rev-parse', '--short', `${ref}^{commit}`], { cwd: ROOT });
  await mkdir(folder, { recursive: true });
  const archive = join(folder, 'source.tar');
  await run('git', ['archive', `--output=${archive}`, ref], { cwd: ROOT });
  await run('tar', ['-xf', archive, '-C', folder]);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const tsc = join(ROOT, 'node_modules', 'typescript-native', 'bin', 'tsc');
  await run(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--noCheck', '--noResolve'], {
    cwd: folder,
  });
  return {
    name: `${ref} (${commit.trim()})`,
    server: join(folder, 'dist', 'server', 'start.js'),
    cli: join(folder, 'dist', 'cli', 'main.js'),
  };
}

/** This tree, which is built already. */
export const thisVersion: Release = {
  name: 'this version',
  server: join(ROOT, 'dist', 'program', 'start.js'),
  cli: join(ROOT, 'dist', 'program', 'cli.js'),
};

/** Runs a command of a version. */
export async function runCommand(
  { cli }: Release,
  env: Record<string, string>,
  ...args: string[]
): Promise<Record<string, unknown>> {
  const { stdout } = await run(process.execPath, [cli, ...args, '--json'], {
    env: { PATH: process.env.PATH, ...env },
  });
  return Object(JSON.parse(stdout));
}

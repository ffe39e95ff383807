import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);
const ignored = readFileSync(join(ROOT, '.gitignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => line.replace(/\/$/, ''));

const isCloned = (path: string): boolean =>
  basename(path) !== '.git' &&
  !ignored.some((name) => (name.startsWith('*') ? path.endsWith(name.slice(1)) : basename(path) === name));

/** Copies this tree as a clone has it: without anything that git ignores, so nothing is built. It shares the installed packages. */
export async function freshClone(folder: string): Promise<void> {
  await cp(ROOT, folder, { recursive: true, filter: isCloned });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

/** A package that `npm run pack` made, and the names of the files in it. */
export interface Packed {
  path: string;
  files: string[];
}

export async function packIn(clone: string, ...args: string[]): Promise<Packed> {
  const { stdout } = await run('npm', ['run', '--silent', 'pack', '--', ...args], { cwd: clone });
  const path = stdout.trim();
  const { stdout: list } = await run('tar', ['-tzf', path]);
  return { path, files: list.split('\n').flatMap((line) => /^package\/(.+)/.exec(line)?.[1] ?? []) };
}

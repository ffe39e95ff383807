import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Packed } from '../support/freshClone.ts';

const run = promisify(execFile);

interface Project {
  folder: string;
  remove(): Promise<void>;
}

/** An empty project of modules with the packed client in it, and nothing else. */
export async function installClient({ path }: Packed): Promise<Project> {
  const project = await emptyProject('module');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', path], { cwd: project.folder });
  return project;
}

/** The same for scripts: npm installs the same files whatever the project's own are. */
export async function copyAsScripts(modules: string): Promise<Project> {
  const project = await emptyProject('commonjs');
  await cp(join(modules, 'node_modules'), join(project.folder, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  return project;
}

async function emptyProject(type: 'module' | 'commonjs'): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-project-'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'shop', private: true, type }));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Where a program is on this machine, by name; false where it is not. */
export const hasProgram = (name: string): boolean => spawnSync(name, ['--version']).status === 0;

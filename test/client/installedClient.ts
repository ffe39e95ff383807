import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** What `npm pack` made, and the names of the files in it. */
export interface PackedClient {
  path: string;
  files: string[];
}

/** Compiles the client and packs it, as for a release. */
export async function packClient(folder: string): Promise<PackedClient> {
  await run(process.execPath, [join(ROOT, 'scripts', 'client.mjs'), 'compile']);
  const args = ['pack', '--workspace', '@waypost/client', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', args, { cwd: ROOT });
  const packed: unknown = JSON.parse(stdout);
  const [first]: { filename: string; files: { path: string }[] }[] = Array.isArray(packed)
    ? packed
    : Object.values(Object(packed));
  if (first === undefined) throw new Error(`npm packed nothing: ${stdout}`);
  return { path: join(folder, first.filename), files: first.files.map(({ path }) => path) };
}

interface Project {
  folder: string;
  remove(): Promise<void>;
}

/** An empty project of modules with the packed client in it, and nothing else. */
export async function installClient({ path }: PackedClient): Promise<Project> {
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

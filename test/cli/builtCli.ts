import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = join(ROOT, 'src');

/**
 * The program as the build makes it, for a process of its own. Types were checked elsewhere: here they are only
 * removed, file by file, which takes a second. It lies under the root, so that it finds packages and migrations.
 */
export async function buildCli(): Promise<{ path: string; remove(): Promise<void> }> {
  await mkdir(join(ROOT, '.test'), { recursive: true });
  const folder = await mkdtemp(join(ROOT, '.test', 'cli-'));
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
  for (const file of await sources()) {
    const { outputText } = ts.transpileModule(await readFile(file, 'utf8'), {
      fileName: file,
      // A file on its own does not show that its package is of ES modules.
      compilerOptions: { ...options, noEmit: false, module: ts.ModuleKind.ESNext },
    });
    const target = join(folder, 'dist', relative(SOURCE, file)).replace(/\.tsx?$/, '.js');
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, outputText);
  }
  await symlink(resolve(ROOT, 'migrations'), join(folder, 'migrations'));
  return {
    path: join(folder, 'dist', 'bin', 'cli.js'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function sources(): Promise<string[]> {
  const entries = await readdir(SOURCE, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

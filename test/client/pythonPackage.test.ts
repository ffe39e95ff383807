import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { python } from './languages.ts';
import { copyFilesOfPage } from './pageFiles.ts';
import { testPagePrograms } from './pagePrograms.ts';

/** What a user of the Python client installs, and the programs of its page, run against the service. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLIENT = join(ROOT, 'clients', 'python');
const BUILD =
  'import sys, build_backend as b; print(b.build_wheel(sys.argv[1])); print(b.build_sdist(sys.argv[1]))';
const hasPip = spawnSync('python3', ['-m', 'pip', '--version']).status === 0;
const run = promisify(execFile);

let service: TestService;
let folder: string;
let built: string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waypost-python-'));
  service = await startService();
  if (!python.isThere) return;
  const { stdout } = await run('python3', ['-B', '-c', BUILD, folder], { cwd: CLIENT });
  built = stdout.trim().split('\n');
  await run('python3', ['-m', 'zipfile', '-e', join(folder, built[0] ?? ''), join(folder, 'site')]);
  await copyFilesOfPage('docs/clients/python.md', folder);
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

describe.skipIf(!python.isThere)(`the packed Python client (skipped where ${python.missing})`, () => {
  test('it is named by the version of the project, and is the same each time', async () => {
    const { version }: { version: string } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    expect(built).toEqual([`waypost-${version}-py3-none-any.whl`, `waypost-${version}.tar.gz`]);
    const again = join(folder, 'again');
    await mkdir(again);
    await run('python3', ['-B', '-c', BUILD, again], { cwd: CLIENT });
    const wheels = [folder, again].map((one) => readFile(join(one, built[0] ?? '')));
    const [first, second] = await Promise.all(wheels);
    expect(first?.equals(second ?? Buffer.alloc(0))).toBe(true);
  });

  test('pip installs the wheel, the source package and the folder, with nothing from a network', async ({
    skip,
  }) => {
    skip(!hasPip, 'pip is not on this machine');
    for (const [index, path] of [...built.map((name) => join(folder, name)), CLIENT].entries()) {
      const target = join(folder, `target${index}`);
      const args = [
        '-m',
        'pip',
        'install',
        '--no-index',
        '--quiet',
        '--no-cache-dir',
        '--target',
        target,
        path,
      ];
      await run('python3', args, { env: { PATH: process.env.PATH, HOME: folder } });
      const env = { PATH: process.env.PATH, PYTHONPATH: target };
      const code = 'import waypost, importlib.metadata as m; print(m.version("waypost"), waypost.__file__)';
      const { stdout } = await run('python3', ['-c', code], { cwd: folder, env });
      expect(stdout.trim()).toBe(`0.1.0 ${join(target, 'waypost', '__init__.py')}`);
      expect(await readdir(join(target, 'waypost'))).toContain('py.typed');
    }
  });

  testPagePrograms({
    service: () => service,
    folder: () => folder,
    env: () => ({ PYTHONPATH: join(folder, 'site') }),
    command: (program) => ['python3', `${program}.py`],
    failing: ['print(event["type"]', 'raise RuntimeError(event["type"]'],
  });

  test('the examples and the README are Python, and import what the package has', async () => {
    const readme = await readFile(join(CLIENT, 'README.md'), 'utf8');
    const blocks = [...readme.matchAll(/```python\n(.*?)```/gs)].map(([, code = '']) => code);
    const examples = (await readdir(join(CLIENT, 'examples'))).filter((name) => name.endsWith('.py'));
    const files = await Promise.all(examples.map((name) => readFile(join(CLIENT, 'examples', name), 'utf8')));
    expect([blocks.length, files.length]).toEqual([9, 3]);
    await writeFile(join(folder, 'sources.json'), JSON.stringify([...blocks, ...files]));
    const check = `
import ast, json, waypost
names = set()
for source in json.load(open("sources.json")):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module == "waypost":
            names |= {one.name for one in node.names}
print(sorted(names - set(waypost.__all__)), len(names))
`;
    const env = { PATH: process.env.PATH, PYTHONPATH: join(folder, 'site') };
    const { stdout } = await run('python3', ['-c', check], { cwd: folder, env });
    expect(stdout).toMatch(/^\[\] \d\d?\n$/);
  });
});

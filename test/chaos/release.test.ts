import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findCommit } from '../../chaos/release.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);
const git = async (folder: string, ...args: string[]): Promise<string> =>
  (await run('git', ['-C', folder, ...args])).stdout;

const hasHistory =
  spawnSync('git', ['-C', ROOT, 'rev-parse', '--is-shallow-repository'], { encoding: 'utf8' }).stdout ===
  'false\n';

describe.runIf(hasHistory)('a clone without the commit', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waypost-release-'));
    const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
    await git(folder, 'init', '--quiet', 'whole');
    for (const message of ['first', 'second'])
      await git(join(folder, 'whole'), ...author, 'commit', '--quiet', '--allow-empty', '-m', message);
    await git(folder, 'clone', '--quiet', '--depth=1', `file://${folder}/whole`, 'shallow');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('says how to get it, if it is shallow', async () => {
    const whole = join(folder, 'whole');
    const first = (await git(whole, 'rev-parse', 'HEAD^')).trim();
    expect(await findCommit('HEAD^', whole)).toEqual({ commit: first });
    expect(await findCommit(first, join(folder, 'shallow'))).toEqual({
      missing: `This clone is shallow and does not have ${first}. Get its history: git fetch --unshallow`,
    });
  });

  test('says that it has none, or no history at all', async () => {
    expect(await findCommit('9.9.9', join(folder, 'whole'))).toEqual({
      missing: 'The history of this clone does not have 9.9.9.',
    });
    expect(await findCommit('9.9.9', folder)).toEqual({
      missing: `There is no history here to get 9.9.9 from. Use a git clone.`,
    });
  });
});

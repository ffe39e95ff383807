import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../../src/cli/run.ts';
import { scratchFolder } from '../support/scratchFolder.ts';

let folder: Awaited<ReturnType<typeof scratchFolder>>;
let dataDir: string;
beforeAll(async () => {
  folder = await scratchFolder();
  dataDir = join(folder.path, 'data');
});
afterAll(() => folder.remove());

/** The operator's terminal where neither the service's DATA_DIR nor its DATABASE_URL is set. */
async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const printed = { out: '', err: '' };
  const code = await runCli(
    argv,
    { DATA_DIR: dataDir },
    {
      out: (text) => (printed.out += text),
      err: (text) => (printed.err += text),
      input: async function* () {},
    },
  );
  return { code, ...printed };
}

test.each([
  'business list',
  'business create --name Shop',
  'outbox stats',
  'migrate',
  'migrate --plan',
  'after-restore --plan',
])('%s where there is no database says where it looked, and makes none', async (line) => {
  expect(await run(...line.split(' '))).toEqual({
    code: 1,
    out: '',
    err: `There is no database in ${dataDir} (DATA_DIR), and DATABASE_URL is not set: set either as the service has it, or start the service here, which makes one.\n`,
  });
  expect(existsSync(dataDir)).toBe(false);
});

test('check before the first start says that there is no database yet, and makes none', async () => {
  const { code, out } = await run('check', '--json');
  expect(code).toBe(0);
  const { findings }: { findings: { part: string }[] } = JSON.parse(out);
  expect(findings.filter(({ part }) => part === 'database')).toEqual([
    {
      part: 'database',
      state: 'warning',
      says: `There is no database in ${dataDir} (DATA_DIR) yet, and DATABASE_URL is not set: the first start makes one there.`,
    },
  ]);
  expect(existsSync(dataDir)).toBe(false);
});

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { python } from './languages.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = join(ROOT, 'clients', 'python');
const run = promisify(execFile);

describe.skipIf(!python.isThere)(`the Python client by itself (skipped where ${python.missing})`, () => {
  test('its own tests pass', async () => {
    const args = ['-W', 'error', '-m', 'unittest', 'discover', '-t', '.', '-s', 'tests'];
    const env = { PATH: process.env.PATH, ...python.env };
    const { stderr } = await run('python3', args, { cwd: FOLDER, env });
    expect(stderr).toMatch(/Ran \d\d+ tests in .*\n\nOK\n$/);
  });

  test('its reference is that of its source', async () => {
    const { stdout } = await run('python3', ['-B', join(ROOT, 'scripts', 'client', 'python_reference.py')]);
    const reference = await readFile(join(ROOT, 'docs', 'clients', 'python-reference.md'), 'utf8');
    expect(reference, 'run npm run client -- python').toBe(stdout);
  });
});

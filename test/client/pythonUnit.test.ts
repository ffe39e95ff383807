import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { python } from './languages.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = join(ROOT, 'clients', 'python');
const run = promisify(execFile);
const hasMypy = spawnSync('mypy', ['--version']).status === 0;

const snake = (text: string): string => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** Prints every method by its resource. */
const METHODS = `
import json, waypost
resources = vars(waypost.Waypost("http://a", "way_live_x")).items()
print(json.dumps({name: [one for one in dir(of) if one[0] != "_"] for name, of in resources if name[0] != "_"}))
`;

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
    const exported = 'import waypost; print(*(name for name in waypost.__all__ if name[:5] != "Async"))';
    const { stdout: names } = await run('python3', ['-B', '-c', exported], {
      env: { PATH: process.env.PATH, ...python.env },
    });
    for (const name of names.trim().split(' ')) expect(reference).toContain(`\n### ${name}\n`);
  });

  test('it has the methods of the TypeScript client, and the pages of both list all of them', async () => {
    const listed = await Promise.all(
      ['typescript', 'python'].map(async (client) => {
        const readme = await readFile(join(ROOT, 'clients', client, 'README.md'), 'utf8');
        const rows = [...readme.matchAll(/^\| `waypost\.(.+?)`(, `usage`)? +\| (`.+`)/gm)];
        return Object.fromEntries(
          rows.map(([, resource = '', , methods = '']) => [snake(resource), snake(methods)]),
        );
      }),
    );
    expect(listed[0]).toEqual(listed[1]);
    const { stdout } = await run('python3', ['-B', '-c', METHODS], {
      env: { PATH: process.env.PATH, ...python.env },
    });
    const { usage, ...methods }: Record<string, string[]> = JSON.parse(stdout);
    expect(usage).toEqual(methods.credits);
    const inWords = (text: string): string[] =>
      [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name).sort();
    const ofPages = Object.entries(listed[1] ?? {}).map(([resource, text]) => [resource, inWords(text)]);
    expect(Object.fromEntries(ofPages)).toEqual(methods);
  });

  test.skipIf(!hasMypy)(
    'its types hold in Python 3.10, and find mistakes (skipped where there is no mypy)',
    async () => {
      const args = ['--cache-dir', devNull];
      const { stdout } = await run('mypy', args, { cwd: FOLDER }).catch((error) =>
        Promise.reject(error.stdout),
      );
      expect(stdout).toMatch(/^Success: no issues found in \d\d source files\n$/);
    },
  );
});

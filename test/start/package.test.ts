import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freshClone, packIn } from '../support/freshClone.ts';
import { killAllPrograms, launchProgram, processesUsing, untilReady } from '../support/program.ts';
import { scratchFolder } from '../support/scratchFolder.ts';
import { Shop } from '../support/shop.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';
import { serveInstalledPackages } from './installedPackages.ts';

/** What an operator installs: packed in a fresh clone, installed by npm into an empty folder, and run from there. */

const run = promisify(execFile);
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let clone: string;
let files: string[];
let folder: string;
beforeAll(async () => {
  scratch = await scratchFolder();
  const registry = await serveInstalledPackages();
  try {
    clone = join(scratch.path, 'clone');
    await freshClone(clone);
    const packed = await packIn(clone);
    files = packed.files;
    folder = join(scratch.path, 'empty');
    await mkdir(folder, { mode: 0o755 });
    await writeFile(join(scratch.path, 'npmrc'), '');
    await run('npm', ['install', '--no-audit', '--no-fund', packed.path], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: scratch.path,
        npm_config_registry: registry.url,
        npm_config_cache: join(scratch.path, 'cache'),
        npm_config_userconfig: join(scratch.path, 'npmrc'),
        npm_config_fetch_retries: '0',
      },
    });
    await rm(packed.path);
  } finally {
    await registry.close();
  }
});
afterAll(async () => {
  await killAllPrograms();
  await scratch.remove();
});

const bin = (): string => join(folder, 'node_modules', '.bin', 'waypost');
const environment = (): Record<string, string> => ({ PATH: process.env.PATH ?? '', HOME: scratch.path });
const waypost = (...args: string[]): Promise<{ stdout: string }> =>
  run(bin(), args, { cwd: folder, env: environment() });

test('the package holds the built program, its migrations and the files of its pages, and nothing else', () => {
  const kinds = new Set(
    files.map((file) =>
      file.replace(/^(dist\/program)\/.*\.(js|js\.map)$/, '$1/*.$2').replace(/[^/]+\.sql$/, '*.sql'),
    ),
  );
  expect(
    [...kinds].filter((kind) => !/^src\/pages\/(inbox\/)?assets\/(styles\/)?[^/]+$/.test(kind)).sort(),
  ).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'dist/program/*.js',
    'dist/program/*.js.map',
    'migrations/*.sql',
    'package.json',
  ]);
  expect(files.filter((file) => /\.test\.|tsbuildinfo|\.built/.test(file))).toEqual([]);
  expect(files).toContain('src/pages/assets/styles/base.css');
});

test.each([
  ['npm pack', 'pack'],
  ['npm pack of the client', 'pack', '--workspace', '@waypost/client'],
])(
  '%s, which would leave the program out, makes nothing and names the command that does',
  async (_, ...args) => {
    const before = await readdir(clone);
    await expect(run('npm', args, { cwd: clone })).rejects.toMatchObject({
      stderr: expect.stringContaining('Instead: npm run pack'),
    });
    expect(await readdir(clone)).toEqual(before);
  },
);

test('npm publish, which would leave it out too, is refused', async () => {
  const registry = await serveInstalledPackages();
  const args = ['publish', '--registry', registry.url, `--${registry.url.slice(5)}/:_authToken=none`];
  try {
    await expect(run('npm', args, { cwd: clone, env: environment() })).rejects.toMatchObject({
      stderr: expect.stringContaining('EPRIVATE'),
    });
  } finally {
    await registry.close();
  }
});

test('without a file that it should hold it is not made, and the sentence says which', async () => {
  await rename(join(clone, 'migrations'), join(clone, 'moved'));
  const before = await readdir(clone);
  await expect(packIn(clone)).rejects.toMatchObject({
    stderr: expect.stringContaining('migrations is missing, so nothing was packed.\n'),
  });
  expect(await readdir(clone)).toEqual(before);
});

test('it starts in an empty folder, takes a push and sends it, and stops', async () => {
  const program = await untilReady(
    launchProgram({ HOME: scratch.path }, { script: bin(), args: ['start'], cwd: folder }),
  );
  const apiKey = /Demo API key {3}(\S+)/.exec(program.printed())?.[1] ?? '';
  const shop = new Shop(program.url, '', apiKey);
  const { body } = await shop.push({ recipient_email: 'ann@example.com' });
  expect(body).toMatchObject({ created: true, nudged: true });
  await eventually(async () =>
    expect(await capturedMessages(program.url, { to: 'ann@example.com' })).toHaveLength(1),
  );
  const page = await (await fetch(`${program.url}/docs`)).text();
  const assets = [...page.matchAll(/(?:href|src)="(\/[^"#?]+\.(?:css|js|svg)[^"]*)"/g)].map(
    ([, path]) => path,
  );
  expect(assets.length).toBeGreaterThan(1);
  for (const path of assets) expect((await fetch(`${program.url}${path}`)).status).toBe(200);

  const made = JSON.parse((await waypost('business', 'create', '--name', 'Acme Books', '--json')).stdout);
  expect((await new Shop(program.url, made.business_id, made.api_key).push()).status).toBe(201);
  expect(existsSync(join(folder, '.data', 'demo.json'))).toBe(true);
  expect(await program.end('SIGTERM')).toBe(0);
  expect(await processesUsing(folder)).toBe('');
});

test('its other commands work without the server, and its help names the program as it is called', async () => {
  expect((await waypost('migrate')).stdout).toBe('The database is up to date.\n');
  expect((await waypost('--help')).stdout).toMatch(/^Usage: waypost <command>/);
  expect(await processesUsing(folder)).toBe('');
});

test('a start with an argument too many is a mistake in one sentence', async () => {
  await expect(waypost('start', 'now')).rejects.toMatchObject({
    code: 1,
    stderr: 'start does not accept "now"; see start --help.\n',
  });
});

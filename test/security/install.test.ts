import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LockEntry, type PackageRegistry, startRegistry } from './packageRegistry.ts';

/** What `npm start` does with packages, shown with the real npm and a registry that an attacker may have changed. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const OTHER_PLATFORM = process.platform === 'darwin' ? 'linux' : 'darwin';
const BUNDLER = { name: 'rolldown', version: '1.0.0' };
const BUNDLES_NOTHING =
  'exports.rolldown = async () => ({ generate: async () => ({ output: [] }), close() {} });';
const SCRIPTED = {
  name: 'scripted',
  version: '1.0.0',
  scripts: { postinstall: `node -e "require('fs').writeFileSync('ran', '')"` },
};
const NATIVE = { name: 'native', version: '1.0.0', os: [process.platform] };
const FOREIGN = { name: 'foreign', version: '1.0.0', os: [OTHER_PLATFORM] };

let folder: string;
let registry: PackageRegistry;
let required: Record<string, LockEntry>;
let optional: Record<string, LockEntry>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waypost-install-'));
  registry = await startRegistry();
  await cp(join(ROOT, 'scripts'), checkout('scripts'), { recursive: true });
  await cp(join(ROOT, 'tsconfig.json'), checkout('tsconfig.json'));
  await mkdir(checkout('src'));
  await writeFile(join(folder, 'npmrc'), '');
  required = {
    rolldown: await registry.publish(BUNDLER, { 'index.js': BUNDLES_NOTHING }),
    scripted: await registry.publish(SCRIPTED),
  };
  optional = { native: await registry.publish(NATIVE), foreign: await registry.publish(FOREIGN) };
  await lock({ ...required, ...optional });
});
afterEach(async () => {
  await registry.close();
  await rm(folder, { recursive: true, force: true });
});

const checkout = (...path: string[]): string => join(folder, 'checkout', ...path);
const isThere = (...path: string[]): boolean => existsSync(checkout('node_modules', ...path));

async function lock(entries: Record<string, LockEntry>): Promise<void> {
  const versions = (wanted: Record<string, LockEntry>): Record<string, string> =>
    Object.fromEntries(Object.entries(wanted).map(([name, { version }]) => [name, version]));
  const root = {
    name: 'checkout',
    version: '1.0.0',
    type: 'module',
    dependencies: versions(required),
    optionalDependencies: versions(optional),
  };
  const packages = Object.entries(entries).map(([name, entry]) => [
    `node_modules/${name}`,
    { ...entry, ...(name in optional ? { optional: true } : {}) },
  ]);
  const lockFile = {
    name: root.name,
    version: root.version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': root, ...Object.fromEntries(packages) },
  };
  await writeFile(checkout('package.json'), JSON.stringify(root));
  await writeFile(checkout('package-lock.json'), JSON.stringify(lockFile));
}

async function prepare(): Promise<{ code: number | null; said: string }> {
  const code = `import { prepare } from '${checkout('scripts', 'prepare.mjs')}'; await prepare();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: checkout(),
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      npm_config_registry: registry.url,
      npm_config_cache: join(folder, 'cache'),
      npm_config_userconfig: join(folder, 'npmrc'),
      npm_config_fetch_retries: '0',
    },
  });
  const [said] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, said };
}

test('the packages for this platform are installed, and no script of theirs runs; an interrupted install is done again from nothing', async () => {
  expect((await prepare()).code).toBe(0);
  expect([isThere('native'), isThere('foreign')]).toEqual([true, false]);
  expect([isThere('scripted'), isThere('scripted', 'ran')]).toEqual([true, false]);
  expect(await prepare()).toEqual({ code: 0, said: '' });

  await rm(checkout('node_modules', '.package-lock.json')); // npm writes it last
  await rm(checkout('node_modules', 'native', 'package.json'));
  expect((await prepare()).said).toContain('Installing packages …');
  expect(isThere('native', 'package.json')).toBe(true);
});

test('a package that differs from its hash in the lock file stops the start', async () => {
  await registry.publish(SCRIPTED, { 'index.js': 'evil' });
  const { code, said } = await prepare();
  expect(code).toBe(1);
  expect(said).toContain('EINTEGRITY');
  expect(said).toMatch(/npm ci did not succeed; what it said is above\.\n$/);
  expect(isThere('scripted')).toBe(false);
});

test('so does an optional one, which npm would leave out without a word; the next start tries again', async () => {
  await registry.publish(NATIVE, { 'index.js': 'evil' });
  const { code, said } = await prepare();
  expect(code).toBe(1);
  expect(said).toMatch(/npm could not fetch native, or its hash is not the one in package-lock\.json\.\n$/);
  expect(isThere('native')).toBe(false);

  // Packed again: an archive holds times, so its hash is another.
  await lock({ ...required, ...optional, native: await registry.publish(NATIVE) });
  expect((await prepare()).code).toBe(0);
  expect(isThere('native')).toBe(true);
});

test('a package that is not in the lock file is not installed, and the start says which', async () => {
  const { native, ...others } = optional;
  await lock({ ...required, ...others });
  const { code, said } = await prepare();
  expect(code).toBe(1);
  expect(said).toContain(`Missing: native@${native?.version} from lock file`);
  expect(isThere('native')).toBe(false);
});

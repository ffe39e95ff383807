import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail, npm, prepare, ROOT, SetupError } from './prepare.mjs';

/*
 * npm run pack             makes waypost-VERSION.tgz here, and prints its path
 * npm run pack -- client   makes waypost-client-VERSION.tgz
 * npm run pack -- mcp      makes waypost-mcp-VERSION.tgz
 * npm run pack -- medusa   makes waypost-medusa-VERSION.tgz
 * npm run pack -- python   makes waypost-VERSION-py3-none-any.whl and waypost-VERSION.tar.gz, the Python client
 * npm run pack -- php      makes waypost-php-VERSION.tgz, whose folder waypost-php Composer installs
 *
 * npm runs no script in this repository, so a bare `npm pack` builds nothing and packs what happens to be there. That is why .npmrc
 * leads it nowhere, and why all packages are private until this script has built them and found everything they name.
 */
const PACKAGES = {
  service: { folder: ROOT, build: () => prepare() },
  client: {
    folder: join(ROOT, 'clients', 'typescript'),
    async build() {
      await prepare({ build: false });
      // It needs a package, which is there only now.
      const { compileClient } = await import('./client/compile.mjs');
      compileClient();
    },
  },
  mcp: {
    folder: join(ROOT, 'clients', 'mcp'),
    async build() {
      await prepare({ build: false });
      const { buildMcp } = await import('./mcp.mjs');
      await buildMcp();
    },
  },
  medusa: {
    folder: join(ROOT, 'connectors', 'medusa'),
    async build() {
      await prepare({ build: false });
      const { buildConnector } = await import('./connector.mjs');
      await buildConnector();
    },
  },
};

async function pack({ folder, build }) {
  await build();
  const { private: _, ...manifest } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const staged = mkdtempSync(join(tmpdir(), 'waypost-pack-'));
  try {
    writeFileSync(join(staged, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    for (const path of ['README.md', 'LICENSE', ...manifest.files]) {
      if (!existsSync(join(folder, path))) throw missing(path);
      cpSync(join(folder, path), join(staged, path), { recursive: true });
    }
    const { bin, main, module, types, exports } = manifest;
    // A pattern of exports names no file.
    for (const path of pathsIn({ bin, main, module, types, exports }))
      if (!path.includes('*') && !existsSync(join(staged, path))) throw missing(path);
    await npm(['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', ROOT], staged);
    const name = `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`;
    return join(ROOT, name);
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

/** Python builds it by a program of the package itself, which needs nothing else. */
function packPython() {
  const build =
    'import sys, build_backend as b; print(b.build_wheel(sys.argv[1])); print(b.build_sdist(sys.argv[1]))';
  const cwd = join(ROOT, 'clients', 'python');
  const run = spawnSync('python3', ['-B', '-c', build, ROOT], { cwd, encoding: 'utf8' });
  if (run.status !== 0) throw new SetupError(`Python did not build it: ${run.stderr ?? run.error?.message}`);
  return run.stdout.trim().replace(/^/gm, `${ROOT}/`);
}

/** A Composer package is its files; in the repository its composer.json has no version, which would be one more to keep. */
function packPhp() {
  const folder = join(ROOT, 'clients', 'php');
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const { name, ...manifest } = JSON.parse(readFileSync(join(folder, 'composer.json'), 'utf8'));
  const staged = mkdtempSync(join(tmpdir(), 'waypost-pack-'));
  try {
    const inside = join(staged, 'waypost-php');
    for (const path of ['README.md', 'LICENSE', 'examples', 'src'])
      cpSync(join(folder, path), join(inside, path), { recursive: true });
    writeFileSync(
      join(inside, 'composer.json'),
      `${JSON.stringify({ name, version, ...manifest }, null, 4)}\n`,
    );
    const packed = join(ROOT, `waypost-php-${version}.tgz`);
    const run = spawnSync('tar', ['-czf', packed, '-C', staged, 'waypost-php'], { encoding: 'utf8' });
    if (run.status !== 0) throw new SetupError(`tar did not pack it: ${run.stderr ?? run.error?.message}`);
    return packed;
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

const missing = (path) => new SetupError(`${path} is missing, so nothing was packed.`);

const pathsIn = (value) =>
  typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(pathsIn);

const COMMANDS = {
  ...Object.fromEntries(Object.entries(PACKAGES).map(([name, of]) => [name, () => pack(of)])),
  python: packPython,
  php: packPhp,
};

try {
  const [name = 'service'] = process.argv.slice(2);
  if (!Object.hasOwn(COMMANDS, name))
    throw new SetupError(`Say what to pack: ${Object.keys(COMMANDS).join(', ')}.`);
  console.log(await COMMANDS[name]());
} catch (error) {
  fail(error);
}

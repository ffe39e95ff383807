import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { Failure, INSTALL_FLAGS, isWritable, npm, ROOT, say } from './prepare.mjs';

/** A Chromium inside an npm package: the newest one whose package runs on Node 20. x86-64 Linux only. */
const PACKAGE = '@sparticuz/chromium';
const LOCKED = join(ROOT, 'scripts', 'chromium');

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const APPLICATIONS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
const TRY_TIMEOUT_MS = 60_000;

/** The path of a Chromium that runs: the one named, the system's, or one that we install. */
export async function ensureChromium(scratch) {
  const named = process.env.CHROMIUM_PATH;
  if (named) {
    if (runs(named)) return named;
    throw new Failure(`CHROMIUM_PATH is ${named}, which does not run.`);
  }
  const found = installed() ?? (await installedByApt()) ?? (await installedByNpm(scratch));
  if (found) return found;
  throw new Failure('The browser tests need a Chromium: install one, or set CHROMIUM_PATH to its program.');
}

/** Ubuntu has a chromium-browser that only tells people to use snap, so each one must prove itself. */
function installed() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const candidates = [
    ...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...APPLICATIONS,
  ];
  return candidates.find((path) => existsSync(path) && runs(path));
}

const runs = (path) =>
  spawnSync(path, ['--version'], { stdio: 'ignore', timeout: TRY_TIMEOUT_MS }).status === 0;

async function installedByApt() {
  if (process.geteuid?.() !== 0) return undefined;
  const apt = (...args) =>
    spawnSync('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=120', ...args], {
      stdio: ['ignore', 2, 2],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0;
  if (!apt('--version')) return undefined;
  say('Installing Chromium for the browser tests …');
  return apt('update') && apt('install', '-y', '--no-install-recommends', 'chromium')
    ? installed()
    : undefined;
}

async function installedByNpm(scratch) {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const parent = isWritable(join(ROOT, '.test')) ? join(ROOT, '.test') : scratch;
  const version = JSON.parse(readFileSync(join(LOCKED, 'package.json'), 'utf8')).dependencies[PACKAGE];
  const folder = join(parent, `chromium-${version}`);
  const program = join(folder, 'run');
  if (!existsSync(program)) {
    say('Fetching a Chromium for the browser tests …');
    await unpack(folder).catch((error) => say(error.message));
  }
  return runs(program) ? program : undefined;
}

/** Made aside and moved into place, so that what is there is whole. */
async function unpack(folder) {
  const aside = `${folder}.new-${process.pid}`;
  mkdirSync(aside, { recursive: true });
  try {
    for (const name of ['package.json', 'package-lock.json'])
      copyFileSync(join(LOCKED, name), join(aside, name));
    await npm(['ci', ...INSTALL_FLAGS, '--prefix', aside], aside);
    const code = `import chromium from '${PACKAGE}'; await chromium.executablePath();`;
    const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      cwd: aside,
      stdio: ['ignore', 2, 2],
      // It unpacks to the temporary folder, and its libraries only where it believes to be on a bare machine.
      env: { ...process.env, TMPDIR: aside, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
    });
    if (status !== 0) throw new Failure(`${PACKAGE} did not unpack; what it said is above.`);
    writeFileSync(join(aside, 'fonts.conf'), FONTS);
    writeFileSync(join(aside, 'run'), RUN);
    for (const name of ['run', 'chromium']) chmodSync(join(aside, name), 0o755);
    rmSync(join(aside, 'node_modules'), { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
    renameSync(aside, folder);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** With the libraries and the font it brings along, for the machine may have neither. */
const RUN = `#!/bin/sh
here=$(dirname "$0")
export LD_LIBRARY_PATH="$here/al2023/lib" FONTCONFIG_FILE="$here/fonts.conf"
exec "$here/chromium" "$@"
`;

const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

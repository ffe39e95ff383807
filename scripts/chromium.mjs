import { execFile } from 'node:child_process';
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
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { exclusively } from './lock.mjs';
import { INSTALL_FLAGS, isWritable, npm, ROOT, say } from './prepare.mjs';

/*
 * node scripts/chromium.mjs   prints the path of a Chromium that runs: CHROMIUM_PATH, the machine's own, or one from
 *                             an npm package. Installs nothing outside this checkout.
 * Ends with 3, and prints a sentence instead, where there is none; with 1 when CHROMIUM_PATH is one that does not run.
 */

/** A Chromium inside an npm package: the newest one whose package runs on Node 20. x86-64 Linux only. */
const PACKAGE = '@sparticuz/chromium';
const LOCKED = join(ROOT, 'scripts', 'chromium');

/** First those without a window: the same engine for half the processor time. */
const NAMES = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];
const APPLICATIONS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
const TRY_TIMEOUT_MS = 60_000;
const NONE_STATUS = 3;

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

const run = promisify(execFile);

const named = process.env.CHROMIUM_PATH;
if (named && !(await runs(named))) end(1, `CHROMIUM_PATH is ${named}, which does not run.`);
const found = named || (await installed()) || (await fromPackage());
if (found) console.log(found);
else
  end(
    NONE_STATUS,
    'Browser tests were skipped: no Chromium runs here. Install one, or set CHROMIUM_PATH to its program.',
  );

function end(status, sentence) {
  console.log(sentence);
  process.exit(status);
}

/** Ubuntu has a chromium-browser that only tells people to use snap, so each one must prove itself. */
async function installed() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const candidates = [
    ...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...APPLICATIONS,
  ];
  for (const path of candidates) if (existsSync(path) && (await runs(path))) return path;
  return undefined;
}

async function runs(path) {
  return run(path, ['--version'], { timeout: TRY_TIMEOUT_MS }).then(
    () => true,
    () => false,
  );
}

async function fromPackage() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const parent = isWritable(join(ROOT, '.test')) ? join(ROOT, '.test') : join(tmpdir(), 'waypost-browser');
  const version = JSON.parse(readFileSync(join(LOCKED, 'package.json'), 'utf8')).dependencies[PACKAGE];
  const folder = join(parent, `chromium-${version}`);
  const program = join(folder, 'run');
  // Two runs at once in one checkout fetch it once.
  if (!existsSync(program))
    await exclusively(
      join(parent, '.fetching'),
      () => {},
      () => fetchTo(folder),
    );
  return (await runs(program)) ? program : undefined;
}

/** Where this fails, the line about skipped tests says what to do: the reason adds nothing to that. */
async function fetchTo(folder) {
  if (existsSync(join(folder, 'run'))) return;
  say('Fetching a Chromium for the browser tests …');
  await unpack(folder).catch(() => {});
}

/** Made aside and moved into place, so that what is there is whole. */
async function unpack(folder) {
  const aside = `${folder}.new-${process.pid}`;
  mkdirSync(aside, { recursive: true });
  try {
    for (const name of ['package.json', 'package-lock.json'])
      copyFileSync(join(LOCKED, name), join(aside, name));
    await npm(['ci', ...INSTALL_FLAGS, '--fetch-retries=1', '--prefix', aside], aside, 'ignore');
    const code = `import chromium from '${PACKAGE}'; await chromium.executablePath();`;
    await run(process.execPath, ['--input-type=module', '-e', code], {
      cwd: aside,
      // It unpacks to the temporary folder, and its libraries only where it believes to be on a bare machine.
      env: { ...process.env, TMPDIR: aside, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
    });
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

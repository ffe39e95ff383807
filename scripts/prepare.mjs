import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exclusively } from './lock.mjs';

/*
 * Makes a checkout runnable: installs when the lock file changed since the last install, builds when the source
 * changed since the last build. Says what it does on stderr, so that stdout stays whoever's comes next.
 */

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const OLDEST_MINOR = { 20: 19, 22: 12 }; // as "engines" in package.json; every later version will do
const MODULES = join(ROOT, 'node_modules');
const DIST = join(ROOT, 'dist');
const LOCK_FILE = join(ROOT, 'package-lock.json');
const INSTALLED_LIST = join(MODULES, '.package-lock.json'); // npm's own record of what it installed
const INSTALL_MARK = join(MODULES, '.waypost-installed');
const BUILD_MARK = join(DIST, '.built');
/** `{ build: false }` is for what runs the source itself. */
export async function prepare({ build: alsoBuild = true } = {}) {
  try {
    checkNode();
    const isReady = () => !alsoBuild || isBuilt();
    if (isInstalled() && isReady()) return;
    await exclusively(join(DIST, '.preparing'), say, async () => {
      if (!isInstalled()) await install();
      if (!isReady()) await build();
    });
  } catch (error) {
    fail(
      error.code === 'EACCES' || error.code === 'EROFS'
        ? `${ROOT} cannot be written to: ${error.message}.`
        : error,
    );
  }
}

/** One sentence, and the end. */
export function fail(problem) {
  console.error(
    problem instanceof Error && !(problem instanceof SetupError)
      ? problem
      : String(problem.message ?? problem),
  );
  process.exit(1);
}

export class SetupError extends Error {}

export const say = (text) => console.error(text);

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || minor >= OLDEST_MINOR[major]) return;
  throw new SetupError(
    `Waypost needs Node.js 20.19 or newer, or 22.12 or newer; this is ${process.versions.node}.`,
  );
}

// Install

function isInstalled() {
  if (!existsSync(INSTALLED_LIST)) return false;
  if (readIfThere(INSTALL_MARK) === installFingerprint()) return true;
  // Installed by hand, perhaps: what is there need not be fetched again.
  if (!holdsEverything()) return false;
  markInstalled();
  return true;
}

/** Of what is wanted, what is there, and for which platform: any of them may change without the others. */
const installFingerprint = () =>
  digest(readFileSync(LOCK_FILE), readFileSync(INSTALLED_LIST), `${process.platform}-${process.arch}`);

const holdsEverything = () => missing().length === 0;

/** The locked packages for this platform that npm has not installed. */
function missing() {
  const wanted = Object.entries(JSON.parse(readFileSync(LOCK_FILE, 'utf8')).packages);
  const there = JSON.parse(readFileSync(INSTALLED_LIST, 'utf8')).packages;
  const libc = libcHere();
  const isForHere = (entry) =>
    includes(entry.os, process.platform) && includes(entry.cpu, process.arch) && includes(entry.libc, libc);
  return wanted
    .filter(([path, { version }]) => path !== '' && there[path]?.version !== version)
    .filter(([, entry]) => !entry.optional || isForHere(entry))
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
}

const includes = (list, mine) => list === undefined || list.includes(mine);

function libcHere() {
  if (process.platform !== 'linux') return undefined;
  process.report.excludeNetwork = true; // else it looks up the names of its connections
  return process.report.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
}

/**
 * From nothing, since an install that was interrupted leaves packages half unpacked. The list goes first: without it
 * nothing counts as installed, however far this gets. Nothing of a package runs on the way in.
 */
async function install() {
  say('Installing packages …');
  rmSync(INSTALLED_LIST, { force: true });
  rmSync(MODULES, { recursive: true, force: true }); // npm would empty the folder behind a link
  await npm(['ci', ...INSTALL_FLAGS, '--include=dev', '--include=optional'], ROOT);
  // npm passes over an optional package that cannot be fetched or has another hash, and succeeds.
  const [name] = missing();
  if (name !== undefined) {
    rmSync(INSTALLED_LIST);
    throw new SetupError(`npm could not fetch ${name}, or its hash is not the one in package-lock.json.`);
  }
  markInstalled();
}

function markInstalled() {
  try {
    writeFileSync(INSTALL_MARK, installFingerprint());
  } catch {
    // A checkout of somebody else's: we look again next time.
  }
}

/** Exactly what a lock file has, by hash, and without running any package's script. */
export const INSTALL_FLAGS = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** The npm that runs us, else the one on the path. */
export function npmCommand() {
  const script = process.env.npm_execpath ?? '';
  return /npm-cli\.[cm]?js$/.test(script) ? [process.execPath, script] : ['npm'];
}

/** Runs npm, with a cache of its own where the usual one cannot be written. What it says goes to stderr or to `output`. */
export async function npm(args, cwd, output = 2) {
  const cache = process.env.npm_config_cache ?? join(homedir(), '.npm');
  const spare = isWritable(cache) ? null : mkdtempSync(join(tmpdir(), 'waypost-npm-'));
  try {
    const env = spare === null ? process.env : { ...process.env, npm_config_cache: spare };
    const code = await runQuietly([...npmCommand(), ...args], {
      cwd,
      env,
      stdio: ['ignore', output, output],
    });
    if (code !== 0) throw new SetupError(`npm ${args[0]} did not succeed; what it said is above.`);
  } finally {
    if (spare !== null) rmSync(spare, { recursive: true, force: true });
  }
}

/** Whether we could write to a folder, or make it if it is not there. */
export function isWritable(folder) {
  if (!existsSync(folder)) return dirname(folder) !== folder && isWritable(dirname(folder));
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

// Build

const isBuilt = () => readIfThere(BUILD_MARK) === buildFingerprint();

/** Of contents, not times: a git checkout changes the one without the other. */
function buildFingerprint() {
  const sources = filesIn('src').filter((file) => !/\.test\.tsx?$/.test(file));
  const files = [...sources, 'tsconfig.json', 'scripts/bundle.mjs', 'package-lock.json'];
  return digest(...files.flatMap((file) => [file, readFileSync(join(ROOT, file))]));
}

function filesIn(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesIn(path) : [path];
    });
}

/** The mark goes first and comes last: what is interrupted in between is built again. */
async function build() {
  say('Building …');
  const fingerprint = buildFingerprint();
  rmSync(BUILD_MARK, { force: true });
  const code = await runQuietly([process.execPath, join(ROOT, 'scripts', 'bundle.mjs')], { cwd: ROOT });
  if (code !== 0) throw new SetupError('The build did not succeed; what the compiler said is above.');
  writeFileSync(BUILD_MARK, fingerprint);
}

// Small parts

/** Its stdout goes to our stderr, and it reads nothing. */
function runQuietly([program, ...args], options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 2, 2], ...options });
    child.once('error', (error) => reject(new SetupError(`${program} cannot be run: ${error.message}.`)));
    child.once('close', (code) => resolve(code));
  });
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function digest(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(String(part.length)).update('\0').update(part);
  return hash.digest('hex');
}

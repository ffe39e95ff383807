import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Builds the image as anybody would, without a daemon and without a registry of images: its base is made here. */
export interface BuiltImage {
  readonly config: ImageConfig;
  /** Where its files are, as long as it is not removed. */
  readonly rootfs: string;
  remove(): Promise<void>;
}

/** What the image says of itself, in Docker's form: OCI's own has no health check. */
export interface ImageConfig {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  WorkingDir: string;
  Healthcheck: { Test: string[] };
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAMS = ['buildah', 'debootstrap', 'runc'];
const SUITE = 'bookworm';
/** Stays for the next run, like the layers of the image: both take most of the time. */
const BASE = `localhost/waypost-test-base:${SUITE}-node-${process.versions.node}`;
const IMAGE = 'localhost/waypost-test';
const OUTPUT_MAX = 64 * 1024 * 1024;
const SAID = 4_000;

/** Why the image cannot be built and run here; null if it can. */
export function whyNoImage(): string | null {
  const missing = PROGRAMS.filter((name) => !isOnPath(name));
  if (process.platform !== 'linux' || missing.length > 0)
    return `it needs Linux and ${PROGRAMS.join(', ')} (apt-get install ${PROGRAMS.join(' ')})`;
  return process.getuid?.() === 0 ? null : 'only root can make the base image and run a container';
}

const isOnPath = (name: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));

export async function buildImage(): Promise<BuiltImage> {
  if (!(await printedBy('buildah', 'images', '--quiet', '--filter', `reference=${BASE}`))) await makeBase();
  const cache = await printedBy('npm', 'config', 'get', 'cache');
  const options = ['--isolation=chroot', '--format=docker', '--layers', '--pull-never'];
  const volume = existsSync(cache) ? [`--volume=${cache}:/root/.npm`] : [];
  await printedBy(
    'buildah',
    'build',
    ...options,
    ...volume,
    `--build-arg=NODE_IMAGE=${BASE}`,
    '-t',
    IMAGE,
    ROOT,
  );
  const inspected: { Docker: { config: ImageConfig } } = JSON.parse(
    await printedBy('buildah', 'inspect', '--type=image', IMAGE),
  );
  const container = await printedBy('buildah', 'from', '--pull-never', IMAGE);
  return {
    config: inspected.Docker.config,
    rootfs: await printedBy('buildah', 'mount', container),
    remove: async () => {
      await printedBy('buildah', 'rm', container);
    },
  };
}

/** A small Debian with the Node and the npm that run this test. Its npm looks into the cache before it asks the network. */
async function makeBase(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-base-'));
  try {
    await printedBy('debootstrap', '--variant=minbase', SUITE, folder);
    const container = await printedBy('buildah', 'from', 'scratch');
    const npm = join(await printedBy('npm', 'root', '--global'), 'npm');
    const modules = '/usr/local/lib/node_modules';
    await printedBy('buildah', 'add', '--quiet', container, folder, '/');
    await printedBy('buildah', 'add', '--quiet', container, process.execPath, '/usr/local/bin/node');
    await printedBy('buildah', 'add', '--quiet', container, npm, `${modules}/npm`);
    const finish = [
      `ln -s ${modules}/npm/bin/npm-cli.js /usr/local/bin/npm`,
      'mkdir -p /usr/local/etc',
      'echo prefer-offline=true > /usr/local/etc/npmrc',
      'npm --version',
    ].join(' && ');
    await printedBy('buildah', 'run', '--isolation=chroot', container, '--', 'sh', '-c', finish);
    await printedBy('buildah', 'commit', '--quiet', '--rm', container, BASE);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Answers what it printed; a failure has the end of what it said. */
export async function printedBy(program: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { maxBuffer: OUTPUT_MAX });
    return stdout.trim();
  } catch (error) {
    const { stdout = '', stderr = '' }: { stdout?: string; stderr?: string } = Object(error);
    throw new Error(`${program} ${args[0]} failed: ${`${stdout}\n${stderr}`.slice(-SAID)}`);
  }
}

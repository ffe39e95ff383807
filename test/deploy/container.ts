import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuiltImage, printedBy } from './builder.ts';

/** A running container with what it printed. */
export interface Container {
  printed(): string;
  /** Resolves to the exit status of its program. */
  readonly ended: Promise<number | null>;
  /** Runs another program in it, as `docker exec` does, and answers what it printed. */
  exec(...args: string[]): Promise<string>;
  /** Tells its first process to stop, as `docker stop` does. */
  terminate(): Promise<void>;
  kill(): Promise<void>;
}

interface Launch {
  /** Instead of the image's own command. */
  command?: readonly string[];
  env: Readonly<Record<string, string>>;
  /** A folder of this machine, to be read at /run/secrets. */
  secrets: string;
  /** For the bundle and the state of runc. */
  scratch: string;
}

/**
 * Runs the image with the least that docs/deploy/ asks for: a read-only root file system, no capability, no new
 * privileges, /tmp in memory. The network is this machine's, so that Postgres can be reached on loopback.
 */
export async function startContainer(
  image: BuiltImage,
  { command = image.config.Cmd, env, secrets, scratch }: Launch,
): Promise<Container> {
  const id = `waypost-test-${randomBytes(6).toString('hex')}`;
  const bundle = join(scratch, id);
  await mkdir(bundle, { recursive: true });
  await writeFile(join(bundle, 'config.json'), JSON.stringify(bundleOf(image, command, env, secrets)));
  const state = ['--root', join(scratch, 'runc')];
  const child = spawn('runc', [...state, 'run', '--bundle', bundle, id], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (printed += text.toString()));
  const ended = once(child, 'close').then(() => child.exitCode);
  const signal = (name: string) => printedBy('runc', ...state, 'kill', id, name);
  return {
    printed: () => printed,
    ended,
    exec: (...args) => printedBy('runc', ...state, 'exec', id, ...args),
    terminate: async () => {
      await signal('TERM');
    },
    kill: async () => {
      if (child.exitCode === null) await signal('KILL').catch(() => {});
      await ended;
    },
  };
}

/** The image's settings in the form of the OCI runtime. */
function bundleOf(
  { config, rootfs }: BuiltImage,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  secrets: string,
) {
  const [uid, gid] = config.User.split(':').map(Number);
  const bind = (source: string, destination: string) => ({
    source,
    destination,
    type: 'bind',
    options: ['rbind', 'ro'],
  });
  return {
    ociVersion: '1.0.2',
    root: { path: rootfs, readonly: true },
    process: {
      user: { uid, gid },
      args: [...config.Entrypoint, ...command],
      env: [...config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)],
      cwd: config.WorkingDir,
      capabilities: { bounding: [], effective: [], permitted: [], inheritable: [], ambient: [] },
      noNewPrivileges: true,
    },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755'] },
      { destination: '/tmp', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'nodev', 'mode=1777'] },
      bind('/etc/hosts', '/etc/hosts'),
      bind('/etc/resolv.conf', '/etc/resolv.conf'),
      bind(secrets, '/run/secrets'),
    ],
    linux: { namespaces: [{ type: 'pid' }, { type: 'mount' }, { type: 'ipc' }, { type: 'uts' }] },
  };
}

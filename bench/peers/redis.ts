import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../test/support/waiting.ts';
import { atEnd, runFolder } from '../cleanup.ts';

const PROGRAM = 'redis-server';

export const hasRedis = (): boolean => spawnSync(PROGRAM, ['--version']).error === undefined;

/** A Redis whose writes wait for the disk. Answers its socket. */
export async function startRedis(): Promise<{ pid: number; socket: string }> {
  const folder = await runFolder();
  const socket = join(folder, 'redis.sock');
  const settings = {
    port: '0',
    unixsocket: socket,
    dir: folder,
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const server = spawn(PROGRAM, args, { stdio: 'ignore' });
  const exit = once(server, 'exit');
  atEnd(() => {
    server.kill();
    return exit;
  });
  await eventually(() => {
    if (!existsSync(socket)) throw new Error(`${PROGRAM} does not listen`);
  });
  return { pid: server.pid ?? 0, socket };
}

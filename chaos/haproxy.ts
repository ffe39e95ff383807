import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { claimPort } from '../src/server/listening.ts';
import { registerCleanup } from './cleanup.ts';
import type { PatroniNode } from './patroniSettings.ts';

/** The settings of docs/operations.md, for these nodes. */
export const haproxySettings = (port: number, nodes: readonly PatroniNode[]): string => `defaults
  mode tcp
  timeout connect 4s
  timeout client 30m
  timeout server 30m
  timeout check 1s
listen waypost
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${nodes
  .map(
    ({ name, address, restPort }) =>
      `  server ${name} ${address.host}:${address.port} check port ${restPort}`,
  )
  .join('\n')}
`;

/** HAProxy itself, on the node whose Patroni says that it is the primary. */
export async function startHaproxy(
  program: string,
  folder: string,
  nodes: readonly PatroniNode[],
): Promise<{ port: number; close(): Promise<void> }> {
  const port = await claimPort('127.0.0.1');
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, haproxySettings(port, nodes));
  const haproxy = spawn(program, ['-db', '-f', file], { stdio: 'ignore' });
  return {
    port,
    close: registerCleanup(async () => {
      haproxy.kill('SIGKILL');
    }),
  };
}

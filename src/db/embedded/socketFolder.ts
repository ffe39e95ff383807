import { chownSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { OperatorError } from '../../kit/errors.ts';
import { canEnter } from './account.ts';
import type { Cluster } from './cluster.ts';
import { socketFile } from './postmaster.ts';

/** The kernel's limit for a socket's path is 104 bytes on macOS, 108 on Linux. */
const PATH_LIMIT = 100;
const PREFIX = 'waypost-pg-';

/** The data folder, or a private temporary folder if that path is too long for a socket. */
export function makeSocketFolder(cluster: Cluster): string {
  if (fits(cluster.data)) return cluster.data;
  for (const place of [tmpdir(), '/tmp']) {
    if (!fits(join(place, `${PREFIX}XXXXXX`)) || !canEnter(cluster.account, place)) continue;
    const folder = mkdtempSync(join(place, PREFIX));
    if (cluster.account !== null) chownSync(folder, cluster.account.uid, cluster.account.gid);
    return folder;
  }
  throw new OperatorError(
    `The path of the embedded Postgres’s data (${cluster.data}) is too long for its socket: set DATA_DIR to a shorter one.`,
  );
}

const fits = (folder: string): boolean => Buffer.byteLength(socketFile(folder)) <= PATH_LIMIT;

/** After a crash the socket's address must stay the same, because connections already use it. */
export function keepSocketFolder(cluster: Cluster, folder: string): void {
  if (mkdirSync(folder, { recursive: true, mode: 0o700 }) === undefined || cluster.account === null) return;
  chownSync(folder, cluster.account.uid, cluster.account.gid);
}

/** Removes only folders of makeSocketFolder: the name comes from a file that the database's user can write. */
export function removeSocketFolder(cluster: Cluster, folder: string | null): void {
  if (folder === null || folder === cluster.data || !basename(folder).startsWith(PREFIX)) return;
  if (![tmpdir(), '/tmp'].includes(dirname(folder))) return;
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory())
    rmSync(folder, { recursive: true, force: true });
}

import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { preparedDataPath } from './sharedResources.ts';

/** A folder for the data of programs under test. */
export async function scratchFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'waypost-program-'));
  await chmod(path, 0o711); // as root the database runs as another user, who must reach it
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }) };
}

/**
 * The same with an embedded Postgres in it that has the schema and nothing else: a copy, at a quarter of what making it costs. For
 * tests of anything but the first start.
 */
export async function preparedFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const [from, folder] = await Promise.all([preparedDataPath(), scratchFolder()]);
  // With its owners: as root the data belong to the database's user.
  await promisify(execFile)('cp', ['-a', join(from, 'postgres'), folder.path]);
  return folder;
}

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomText } from '../../kit/ids.ts';
import { isAlive } from './run.ts';

/**
 * What takes time to make is made aside, under a name that says whose it is, and moved into place when complete:
 * an interruption leaves rubbish, never half a thing under the real name.
 */
const PREFIX = 'postgres.new-';

export const asideIn = (place: string): string => join(place, `${PREFIX}${process.pid}-${randomText(8)}`);

/** Removes what starts that were killed have left. */
export async function removeAbandoned(place: string): Promise<void> {
  for (const name of await readdir(place).catch(() => [])) {
    if (!name.startsWith(PREFIX) || isAlive(Number.parseInt(name.slice(PREFIX.length), 10))) continue;
    // A child of the killed start may still be writing; then the next start removes the rest.
    await rm(join(place, name), { recursive: true, force: true }).catch(() => {});
  }
}

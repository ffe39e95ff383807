import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, OperatorError } from '../../kit/errors.ts';
import { randomText } from '../../kit/ids.ts';
import { isAlive } from './run.ts';

/** Whatever the file system refuses on the way is the operator's to mend: one sentence, with the reason. */
export function unusable(folder: string, error: unknown): OperatorError {
  return new OperatorError(
    `Waypost cannot keep its data in DATA_DIR (${folder}): ${messageOf(error)}; make the folder writable, or set DATA_DIR to one that is.`,
  );
}

/** An error of the file system, rather than of ours. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && 'code' in error;

export const isCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);

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

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, messageOf, OperatorError } from '../../kit/errors.ts';
import { randomText } from '../../kit/ids.ts';
import { isAlive } from './run.ts';

/** A file system error is the operator's to fix: one sentence, with the reason. */
export const explainFileError = (dataDir: string, error: unknown): unknown =>
  error instanceof Error && 'syscall' in error
    ? new OperatorError(
        `Waypost cannot keep its data in DATA_DIR (${dataDir}): ${messageOf(error)}; put that right, or set another DATA_DIR.`,
      )
    : error;

export const isCode = (error: unknown, ...codes: string[]): boolean => codes.includes(codeOf(error) ?? '');

/**
 * Folders are built under a temporary name and renamed when complete, so that an interruption never leaves a
 * partial one under the real name. The name holds the pid, so that abandoned ones can be removed.
 */
const PREFIX = 'postgres.new-';

export const asideIn = (place: string): string => join(place, `${PREFIX}${process.pid}-${randomText(8)}`);

/** Removes the leftovers of killed starts. */
export async function removeAbandoned(place: string): Promise<void> {
  for (const name of await readdir(place).catch(() => [])) {
    if (!name.startsWith(PREFIX) || isAlive(Number.parseInt(name.slice(PREFIX.length), 10))) continue;
    // A child of the killed start may still be writing; then the next start removes the rest.
    await rm(join(place, name), { recursive: true, force: true }).catch(() => {});
  }
}

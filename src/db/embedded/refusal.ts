import { messageOf, OperatorError } from '../../kit/errors.ts';

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

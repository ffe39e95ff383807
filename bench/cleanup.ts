import { scratchFolder } from '../test/support/scratchFolder.ts';

/** How to close what a run has open, the latest last. */
const open: (() => unknown)[] = [];

/** Closes something when the work that opened it ends, or when the run is interrupted. */
export const atEnd = (close: () => unknown): void => void open.push(close);

/** Does some work, then closes what it opened, the latest first. */
export async function thenClose<T>(work: () => Promise<T>): Promise<T> {
  const before = open.length;
  try {
    return await work();
  } finally {
    await closeDownTo(before);
  }
}

async function closeDownTo(count: number): Promise<void> {
  while (open.length > count) {
    try {
      await open.pop()?.();
    } catch (error) {
      console.error(error); // The others are closed all the same.
    }
  }
}

/** Child processes and Postgres would outlive this process. */
export function closeWhenInterrupted(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void closeDownTo(0).then(() => process.exit(130)));
}

/** A folder that is deleted after the work. */
export async function runFolder(): Promise<string> {
  const { path, remove } = await scratchFolder();
  atEnd(remove);
  return path;
}

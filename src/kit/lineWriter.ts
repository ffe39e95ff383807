import { writeSync } from 'node:fs';
import { codeOf } from './errors.ts';

/** A pipe that is full and must not be waited for in the kernel is tried again after this. */
const RETRY_AFTER_MS = 10;

/**
 * Writes text to a file descriptor, in chunks. It waits for a slow reader, so that no line is lost. Where the reader is gone, the text is dropped: the program must go on, and
 * must be able to end. (The library that pino brings along tries again forever then, and the process hangs.)
 */
export function createLineWriter(fd: number, chunkLength: number) {
  let held = '';
  let isBroken = false;
  /** Returns once everything is written, or nobody reads any more. */
  const flush = (): void => {
    if (held === '') return;
    let rest: Uint8Array = Buffer.from(held);
    held = '';
    while (rest.length > 0 && !isBroken) {
      try {
        rest = rest.subarray(writeSync(fd, rest));
      } catch (error) {
        if (codeOf(error) === 'EAGAIN') pause(RETRY_AFTER_MS);
        else isBroken = true;
      }
    }
  };
  return {
    write(text: string): void {
      if (isBroken) return;
      held += text;
      if (held.length >= chunkLength) flush();
    },
    flush,
  };
}

const sleeping = new Int32Array(new SharedArrayBuffer(4));
const pause = (milliseconds: number): void => void Atomics.wait(sleeping, 0, 0, milliseconds);

import { describe, expect, test } from 'vitest';
import { createWriteProgress } from './writeProgress.ts';

const unavailable = new Error('out of reach');
const isUnavailable = (error: unknown): boolean => error === unavailable;

function progressAt(): {
  progress: ReturnType<typeof createWriteProgress>;
  pass: (milliseconds: number) => void;
} {
  let now = 0;
  const pass = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { progress: createWriteProgress(() => now), pass };
}

describe('writes are stalled', () => {
  test('once one has been under way for longer than a lock is waited for, until it ends', async () => {
    const { progress, pass } = progressAt();
    let end = (): void => {};
    const write = progress.follow(new Promise<void>((resolve) => (end = resolve)), isUnavailable);
    pass(7_000);
    expect(progress.stalled()).toBe(false);
    pass(1);
    expect(progress.stalled()).toBe(true);
    end();
    await write;
    expect(progress.stalled()).toBe(false);
  });

  test('after one failed because the database was out of reach, until one succeeds', async () => {
    const { progress } = progressAt();
    await expect(progress.follow(Promise.reject(unavailable), isUnavailable)).rejects.toBe(unavailable);
    expect(progress.stalled()).toBe(true);
    await progress.follow(Promise.resolve(), isUnavailable);
    expect(progress.stalled()).toBe(false);
  });

  test('for three seconds after such a failure when no other write follows', async () => {
    const { progress, pass } = progressAt();
    await expect(progress.follow(Promise.reject(unavailable), isUnavailable)).rejects.toBe(unavailable);
    pass(2_999);
    expect(progress.stalled()).toBe(true);
    pass(1);
    expect(progress.stalled()).toBe(false);
  });

  test('but not when one was refused for a reason of its own', async () => {
    const { progress } = progressAt();
    const refused = new Error('refused');
    await expect(progress.follow(Promise.reject(refused), isUnavailable)).rejects.toBe(refused);
    expect(progress.stalled()).toBe(false);
  });
});

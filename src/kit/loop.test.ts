import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../test/support/waiting.ts';
import { later, MINUTE, systemClock } from './clock.ts';
import { type Loop, type LoopOptions, startLoop } from './loop.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

function start(options: Partial<LoopOptions>): Loop {
  const loop = startLoop({
    name: 'test',
    clock: systemClock,
    log: silent,
    step: async () => false,
    busy: () => 0,
    nextDue: async () => null,
    settled: async () => true,
    ...options,
  });
  onTestFinished(() => loop.stop());
  return loop;
}

test('what is due is looked for when its time comes, and then no more', async () => {
  const due = systemClock.now().getTime() + 40;
  const looks: number[] = [];
  start({
    step: async () => {
      looks.push(systemClock.now().getTime());
      return false;
    },
    nextDue: async (now) => (now.getTime() < due ? new Date(due) : null),
  });
  await sleep(160);
  expect(looks.filter((at) => at >= due)).not.toEqual([]);
  // The first look, the one that was planned, and one for a timer that may end a moment early.
  expect(looks.length).toBeLessThanOrEqual(3);
});

test('a wake that comes during a step is not lost', async () => {
  let steps = 0;
  const loop = start({
    step: async () => {
      steps += 1;
      await sleep(5);
      if (steps === 1) loop.wake();
      return false;
    },
  });
  await sleep(50);
  expect(steps).toBe(2);
});

test('a step that fails is tried again later, and stops nothing', async () => {
  let steps = 0;
  const loop = start({
    step: async () => {
      steps += 1;
      throw new Error('not now');
    },
  });
  await sleep(50);
  expect(steps).toBe(1);
  loop.wake();
  await sleep(50);
  expect(steps).toBe(2);
});

describe('what is said to come due', () => {
  test('is looked for then, each time, and not before', async () => {
    const looks: number[] = [];
    const began = systemClock.now();
    const loop = start({
      pollMs: 5_000,
      step: async () => {
        looks.push(systemClock.now().getTime() - began.getTime());
        return false;
      },
    });
    await sleep(5);
    loop.plan(later(began, 1_200));
    loop.plan(later(began, 400));
    loop.plan(later(began, 400));
    await sleep(40);
    expect(looks).toHaveLength(1);
    await sleep(1_300);
    expect(looks.filter((at) => at >= 400 && at < 1_200)).not.toEqual([]);
    expect(looks.filter((at) => at >= 1_200)).not.toEqual([]);
    // A timer may end a moment early; then there is one more.
    expect(looks.length).toBeLessThanOrEqual(5);
  });

  test('is not kept where a look comes first anyway', async () => {
    let steps = 0;
    const loop = start({
      pollMs: 500,
      step: async () => {
        steps += 1;
        return false;
      },
    });
    for (let n = 0; n < 1_000; n += 1) loop.plan(later(systemClock.now(), 500 + n));
    await sleep(30);
    expect(steps).toBe(1);
  });
});

test('what came due during a look is looked for at once', async () => {
  const looks: number[] = [];
  let due = Number.POSITIVE_INFINITY;
  const loop = start({
    step: async () => {
      looks.push(systemClock.now().getTime());
      if (looks.length === 1) {
        due = systemClock.now().getTime() + 5;
        await sleep(20);
      }
      return false;
    },
    nextDue: async (after) => (after.getTime() < due && Number.isFinite(due) ? new Date(due) : null),
  });
  await eventually(() => expect(looks.filter((at) => at >= due)).not.toEqual([]));
  await loop.stop();
});

test('with a pause, wakes in quick succession share a run, and waiting for rest does not wait for the pause', async () => {
  let steps = 0;
  const loop = start({
    pauseMs: 500,
    step: async () => {
      steps += 1;
      return false;
    },
  });
  await sleep(5);
  for (let wake = 0; wake < 8; wake += 1) {
    loop.wake();
    await sleep(5);
  }
  expect(steps).toBe(1);
  await sleep(500);
  expect(steps).toBe(2);
  await loop.drain();
  expect(steps).toBe(3);
});

test('waiting for rest ends a pause that has begun', async () => {
  let steps = 0;
  const loop = start({
    pauseMs: 60 * MINUTE,
    step: async () => {
      steps += 1;
      return false;
    },
  });
  await sleep(5);
  loop.wake();
  await sleep(5);
  await loop.drain();
  expect(steps).toBe(2);
});

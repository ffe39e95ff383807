import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from './clock.ts';
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

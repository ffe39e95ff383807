import { expect, test } from 'vitest';
import { HOUR, later, MINUTE } from '../kit/clock.ts';
import type { DueWork } from '../kit/loop.ts';
import { type MovableClock, stepThrough } from './clock.ts';

const start = new Date('2026-08-20T09:00:00.000Z');

function movable(): MovableClock {
  let at = start;
  return {
    now: () => at,
    moveTo: async (moment) => {
      at = moment;
    },
  };
}

interface Task {
  at: Date;
  run: (now: Date) => void;
}

/** A list of tasks, each with a due time. */
function tasks(clock: MovableClock, list: Task[]): DueWork {
  const due = () => list.filter(({ at }) => at <= clock.now());
  return {
    async drain() {
      for (const task of due()) {
        list.splice(list.indexOf(task), 1);
        task.run(clock.now());
      }
    },
    settled: async () => due().length === 0,
    nextDue: async (after = clock.now()) =>
      list
        .map(({ at }) => at)
        .filter((at) => at > after)
        .sort((a, b) => a.getTime() - b.getTime())[0] ?? null,
  };
}

test('what becomes due on the way happens at its own moment, in order, whatever it makes due in turn', async () => {
  const clock = movable();
  const happened: string[] = [];
  const note = (name: string) => (now: Date) =>
    happened.push(`${name} ${(now.getTime() - start.getTime()) / MINUTE}`);
  const webhooks: Task[] = [];
  const sends: Task[] = [
    { at: later(start, HOUR), run: note('late') },
    {
      at: later(start, 5 * MINUTE),
      run: (now) => {
        note('early')(now);
        webhooks.push({ at: now, run: note('told') }, { at: later(now, MINUTE), run: note('told again') });
      },
    },
    { at: later(start, 3 * HOUR), run: note('too late') },
  ];
  await stepThrough(clock, [tasks(clock, sends), tasks(clock, webhooks)], later(start, 2 * HOUR));
  expect(happened).toEqual(['early 5', 'told 5', 'told again 6', 'late 60']);
  expect(clock.now()).toEqual(later(start, 2 * HOUR));
});

test('with nothing planned it simply moves', async () => {
  const clock = movable();
  await stepThrough(clock, [tasks(clock, [])], later(start, HOUR));
  expect(clock.now()).toEqual(later(start, HOUR));
});

test('what comes due of itself between two looks is not passed over', async () => {
  const clock = movable();
  const happened: Date[] = [];
  const note = (now: Date) => happened.push(now);
  const list = [
    { at: later(start, 1), run: note },
    { at: later(start, HOUR), run: note },
  ];
  const sends = tasks(clock, list);
  const asTimePasses: DueWork = {
    ...sends,
    async nextDue(after) {
      if (clock.now() < later(start, 2)) await clock.moveTo(later(start, 2));
      return sends.nextDue(after);
    },
  };
  await stepThrough(clock, [asTimePasses], later(start, 2 * HOUR));
  expect(happened).toEqual([later(start, 2), later(start, HOUR)]);
});

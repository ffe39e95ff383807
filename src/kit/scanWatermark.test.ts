import { expect, test } from 'vitest';
import { earlier, HOUR, later, MINUTE, SECOND } from './clock.ts';
import { createScanWatermark } from './scanWatermark.ts';

const start = new Date('2026-08-20T09:15:00.000Z');
const bottom = new Date(0);

/** A floor whose walks take place at these seconds after the start; answers from where each of them looked. */
function walks(...seen: { second: number; earliest?: Date | null; now?: Date }[]): Date[] {
  let second = 0;
  const floor = createScanWatermark(10 * SECOND, () => second * SECOND);
  return seen.map((walk) => {
    second = walk.second;
    floor.begin(walk.now ?? later(start, second * SECOND));
    const from = floor.at();
    floor.passed(null);
    floor.passed(walk.earliest ?? null);
    floor.end();
    return from;
  });
}

test('the first walk looks at everything, and the next only at what can be new', () => {
  expect(walks({ second: 0 }, { second: 1 }, { second: 2 })).toEqual([
    bottom,
    earlier(start, 2 * SECOND),
    earlier(start, 1 * SECOND),
  ]);
});

test('it never rises above what is pending, due or not', () => {
  const backlog = earlier(start, HOUR);
  expect(walks({ second: 0, earliest: backlog }, { second: 1, earliest: backlog }, { second: 2 })).toEqual([
    bottom,
    backlog,
    backlog,
  ]);
  expect(walks({ second: 0, earliest: later(start, HOUR) }, { second: 1 })[1]).toEqual(
    earlier(start, 2 * SECOND),
  );
});

test('now and then a walk looks at everything again', () => {
  const froms = walks({ second: 0 }, { second: 5 }, { second: 9.9 }, { second: 10 }, { second: 11 });
  expect(froms.map((from) => from.getTime() === bottom.getTime())).toEqual([true, false, false, true, false]);
});

test('it follows a clock that is set back', () => {
  const [, from] = walks({ second: 0 }, { second: 1, now: earlier(start, MINUTE) });
  expect(from).toEqual(earlier(start, MINUTE + 2 * SECOND));
});

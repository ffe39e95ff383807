import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../kit/clock.ts';
import { openLive, STREAMS_MAX, STREAMS_PER_RECIPIENT_MAX } from './live.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
/** Never polls: these tests are about who gets a stream. */
const pool = { query: () => new Promise<never>(() => {}) };

let live = openLive({ pool, clock: systemClock, log });
afterEach(() => {
  live.close();
  live = openLive({ pool, clock: systemClock, log });
});

const open = (businessId: string, recipientId: string, id = 'session') => {
  const stream = live.watch({ businessId, recipientId, id }, '');
  if (stream === null) throw new Error('there is no stream');
  let over = false;
  stream.once('end', () => {
    over = true;
  });
  stream.resume();
  return { stream, isOver: () => over };
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('of one person’s streams past the limit the oldest ends, whatever sessions they belong to', async () => {
  const streams = Array.from({ length: STREAMS_PER_RECIPIENT_MAX + 2 }, (_, count) =>
    open('shop', 'mallory', `session ${count}`),
  );
  const other = open('shop', 'ann');
  await settled();
  expect(streams.map(({ isOver }) => isOver())).toEqual(streams.map((_, count) => count < 2));
  expect(other.isOver()).toBe(false);
});

test('when all streams are taken, the oldest of the business that has the most gives way', async () => {
  const small = Array.from({ length: 10 }, (_, count) => open('small', `person ${count}`));
  const large = Array.from({ length: STREAMS_MAX - 10 }, (_, count) => open('large', `person ${count}`));
  const newcomers = [open('new', 'ann'), open('large', 'one more'), open('small', 'one more')];
  await settled();
  expect(small.some(({ isOver }) => isOver())).toBe(false);
  expect(newcomers.some(({ isOver }) => isOver())).toBe(false);
  expect(large.filter(({ isOver }) => isOver())).toHaveLength(3);
  expect(large.slice(0, 3).every(({ isOver }) => isOver())).toBe(true);
});

test('a stream that gave way and is not read is cut off', async () => {
  const silent = live.watch({ businessId: 'shop', recipientId: 'mallory', id: 'session' }, '');
  for (let count = 0; count < STREAMS_PER_RECIPIENT_MAX; count += 1) open('shop', 'mallory');
  await new Promise((resolve) => silent?.once('close', resolve));
  expect(silent?.destroyed).toBe(true);
});

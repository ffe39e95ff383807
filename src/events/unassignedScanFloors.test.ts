import { expect, test } from 'vitest';
import { earlier, later, SECOND } from '../kit/clock.ts';
import { newId } from '../kit/ids.ts';
import { unassignedScanFloors } from './unassignedScanFloors.ts';

const NOW = new Date('2026-08-20T09:15:00.000Z');

function floorsAt() {
  let now = NOW;
  let ms = 0;
  const begin = unassignedScanFloors({ now: () => now }, () => ms);
  const pass = (milliseconds: number) => {
    now = later(now, milliseconds);
    ms += milliseconds;
  };
  return { begin, pass };
}

test('the first scan is from the beginning, the next ones from half a minute before it', () => {
  const { begin, pass } = floorsAt();
  const first = begin('b1');
  expect(first.floor).toBe('');
  first.end(null);
  pass(2 * SECOND);
  const { floor } = begin('b1');
  expect(floor > newId(earlier(NOW, 31 * SECOND))).toBe(true);
  expect(floor < newId(earlier(NOW, 29 * SECOND))).toBe(true);
  expect(begin('b2').floor).toBe('');
});

test('every ten seconds a scan is from the beginning again, and one that fails is repeated', () => {
  const { begin, pass } = floorsAt();
  begin('b1').end(null);
  pass(9 * SECOND);
  expect(begin('b1').floor).not.toBe('');
  pass(2 * SECOND);
  expect(begin('b1').floor).toBe('');
  expect(begin('b1').floor).toBe('');
});

test('an event that could get no position is looked at every time', () => {
  const { begin } = floorsAt();
  const held = newId(earlier(NOW, 600 * SECOND));
  begin('b1').end(held);
  expect(begin('b1').floor).toBe(held);
});

test('what is left and recent does not raise the floor', () => {
  const { begin } = floorsAt();
  begin('b1').end(newId(later(NOW, SECOND)));
  expect(begin('b1').floor < newId(earlier(NOW, 29 * SECOND))).toBe(true);
});

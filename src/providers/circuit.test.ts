import { expect, test } from 'vitest';
import { later, SECOND } from '../kit/clock.ts';
import { Circuit } from './circuit.ts';

function movable() {
  let at = new Date('2026-08-20T09:00:00Z');
  return { now: () => at, pass: (seconds: number) => (at = later(at, seconds * SECOND)) };
}

test('lets everything through until something is wrong', () => {
  const circuit = new Circuit(movable());
  expect([circuit.admits(), circuit.admits(), circuit.isOpen]).toEqual([true, true, false]);
  expect(circuit.worked()).toBe(false);
});

test('after a fault it waits, then lets one call try', () => {
  const clock = movable();
  const circuit = new Circuit(clock);
  circuit.faulted();
  expect([circuit.isOpen, circuit.admits()]).toEqual([true, false]);
  clock.pass(30);
  expect(circuit.isOpen).toBe(false);
  expect([circuit.admits(), circuit.admits()]).toEqual([true, false]);
});

test('a try that works opens the way for all', () => {
  const clock = movable();
  const circuit = new Circuit(clock);
  circuit.faulted();
  clock.pass(30);
  circuit.admits();
  expect(circuit.worked()).toBe(true);
  expect([circuit.admits(), circuit.admits()]).toEqual([true, true]);
});

test('a try that finds the fault again makes the next wait longer, up to five minutes', () => {
  const clock = movable();
  const circuit = new Circuit(clock);
  const waits = [30, 60, 120, 300, 300, 300];
  for (const wait of waits) {
    expect(circuit.admits()).toBe(true);
    circuit.faulted();
    clock.pass(wait - 1);
    expect(circuit.isOpen).toBe(true);
    clock.pass(1);
    expect(circuit.isOpen).toBe(false);
  }
});

test('calls that were under way together count as one', () => {
  const clock = movable();
  const circuit = new Circuit(clock);
  for (let n = 0; n < 20; n += 1) circuit.faulted();
  clock.pass(30);
  expect(circuit.isOpen).toBe(false);
});

test('a try that tells nothing leaves room for another', () => {
  const clock = movable();
  const circuit = new Circuit(clock);
  circuit.faulted();
  clock.pass(30);
  circuit.admits();
  circuit.undecided();
  expect(circuit.admits()).toBe(true);
});

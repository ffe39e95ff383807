import { ConnectionError, ServerError, ValidationError } from '@waypost/client';
import { expect, test } from 'vitest';
import { persist } from './persist.ts';

const facts = {
  operation: 'messages.push',
  code: 'x',
  status: null,
  requestId: null,
  detail: null,
  attempts: 1,
  idempotencyKey: 'k',
};
const down = new ConnectionError(facts, 'the connection failed');

function trial(errors: readonly unknown[]) {
  const waits: number[] = [];
  const left = [...errors];
  const time = {
    now: () => waits.reduce((sum, ms) => sum + ms, 0),
    sleep: async (ms: number) => void waits.push(ms),
  };
  const attempt = async () => {
    if (left.length > 0) throw left.shift();
  };
  return { waits, time, attempt };
}

test('what passes is repeated after two seconds, then ever later, up to five minutes', async () => {
  const { waits, time, attempt } = trial([...Array(10).fill(down), new ServerError(facts, '503')]);
  expect(await persist(attempt, { isWanted: () => true, time })).toBe('done');
  expect(waits.map((ms) => ms / 1_000)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
});

test('what is refused is not repeated', async () => {
  const { waits, time, attempt } = trial([new ValidationError(facts)]);
  await expect(persist(attempt, { isWanted: () => true, time })).rejects.toThrow(ValidationError);
  expect(waits).toEqual([]);
});

test('it ends before Waypost forgets the key', async () => {
  const { waits, time, attempt } = trial(Array(1_000).fill(down));
  await expect(persist(attempt, { isWanted: () => true, time })).rejects.toThrow(ConnectionError);
  expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(24 * 3_600_000);
  expect(waits.length).toBeGreaterThan(250);
});

test('it ends when nobody wants it any more', async () => {
  const { waits, time, attempt } = trial([down, down]);
  expect(await persist(attempt, { isWanted: () => false, time })).toBe('unwanted');
  expect(waits).toEqual([2_000]);
});

import { expect, test } from 'vitest';
import { OrderQueue } from './orderQueue.ts';

test('the updates of one order are told one after the other, and no other order waits for them', async () => {
  const queue = new OrderQueue();
  const told: string[] = [];
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const tell = (name: string, before?: Promise<void>) => async () => {
    await before;
    told.push(name);
  };
  const first = queue.add('a', tell('a1', gate));
  const second = queue.add('a', tell('a2'));
  await queue.add('b', tell('b1'));
  expect([told, queue.size]).toEqual([['b1'], 1]);
  open();
  await Promise.all([first, second]);
  expect([told, queue.size]).toEqual([['b1', 'a1', 'a2'], 0]);
});

test('an update knows whether a later one waits', async () => {
  const queue = new OrderQueue();
  const seen: boolean[] = [];
  const first = queue.add('a', async (isOvertaken) => {
    seen.push(isOvertaken());
    await Promise.resolve();
    seen.push(isOvertaken());
  });
  await Promise.resolve();
  const second = queue.add('a', async (isOvertaken) => void seen.push(isOvertaken()));
  await Promise.all([first, second]);
  expect(seen).toEqual([false, true, false]);
});

test('one that fails stops no other', async () => {
  const queue = new OrderQueue();
  const failed = queue.add('a', () => Promise.reject(new Error('no')));
  const after = queue.add('a', async () => {});
  await expect(failed).rejects.toThrow('no');
  await after;
  expect(queue.size).toBe(0);
});

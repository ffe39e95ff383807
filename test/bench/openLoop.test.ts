import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openLoop } from '../../bench/measure.ts';

test('an open loop ends with its first failure, once nothing of it is in progress', async () => {
  let [hasFailed, inProgress] = [false, 0];
  const work = async (number: number): Promise<void> => {
    inProgress += 1;
    if (number === 3) hasFailed = true;
    else while (!hasFailed) await sleep(1);
    if (number !== 3) await sleep(5);
    inProgress -= 1;
    throw new Error(`number ${number}`);
  };
  await expect(openLoop(1, () => false, work)).rejects.toThrow('number 3');
  expect(inProgress).toBe(0);
});

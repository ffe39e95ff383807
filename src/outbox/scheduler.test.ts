import { expect, test } from 'vitest';
import type { Channel } from '../contract/channels.ts';
import { Scheduler } from './scheduler.ts';

const sendsOf = (business_id: string, count: number, channel: Channel = 'email') =>
  Array.from({ length: count }, (_, n) => ({ id: `${business_id}${n}`, business_id, channel }));

function scheduler({ paused = [] }: { paused?: Channel[] } = {}) {
  let nowMs = 0;
  const wakes: (number | 'now')[] = [];
  const scheduler = new Scheduler({
    maxConcurrent: { email: 100, sms: 8, whatsapp: 20 },
    isPaused: (channel) => paused.includes(channel),
    elapsedMs: () => nowMs,
    onCapacity: () => wakes.push('now'),
    onCapacityIn: (milliseconds) => wakes.push(milliseconds),
  });
  return { scheduler, wakes, pass: (milliseconds: number) => (nowMs += milliseconds) };
}

/** Groups that are finished by hand. */
function byHand() {
  const groups: string[] = [];
  const finish: (() => void)[] = [];
  const work = (group: { business_id: string }[]): Promise<void> => {
    groups.push(`${[...new Set(group.map(({ business_id }) => business_id))].join(' ')} ${group.length}`);
    return new Promise((resolve) => finish.push(resolve));
  };
  return { groups, finish, work };
}

test('a paused channel is not claimed for, and the others are', () => {
  expect(scheduler({ paused: ['sms'] }).scheduler.capacity()).toEqual({
    channels: ['email', 'whatsapp'],
    limit: 20,
    full: [],
  });
});

test('a business with its share of a channel is claimed for no more, until one of its calls ends', () => {
  const { scheduler: one, wakes } = scheduler();
  const sends = sendsOf('a', 75);
  one.occupy(sends);
  expect(one.inUse).toBe(75);
  expect(one.capacity().full).toEqual([{ business_id: 'a', channel: 'email' }]);
  const [first] = sends;
  if (first) one.release(first);
  expect(wakes).toEqual(['now']);
  expect(one.capacity().full).toEqual([]);
});

test('quiet businesses share a group, a busy one gets its own, and two of those run at once', async () => {
  const { scheduler: one } = scheduler();
  const { groups, finish, work } = byHand();
  const all = one.run(
    [...sendsOf('a', 2), ...sendsOf('b', 30), ...sendsOf('c', 1), ...sendsOf('d', 26), ...sendsOf('e', 27)],
    work,
  );
  expect(groups).toEqual(['a c 3', 'b 30', 'd 26']);
  finish[1]?.();
  await Promise.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  expect(groups).toEqual(['a c 3', 'b 30', 'd 26', 'e 27']);
  for (const end of finish) end();
  await all;
});

test('a business with two groups in progress waits on every channel, and is claimed for again when one has ended', async () => {
  const { scheduler: one, wakes } = scheduler();
  const { finish, work } = byHand();
  const all = [one.run(sendsOf('a', 30), work), one.run(sendsOf('a', 30), work)];
  expect(one.accepts(['a'])).toBe(false);
  expect(one.accepts(['a', 'b'])).toBe(true);
  expect(one.capacity().full.map(({ business_id, channel }) => `${business_id} ${channel}`)).toEqual([
    'a email',
    'a sms',
    'a whatsapp',
  ]);
  finish[0]?.();
  await all[0];
  expect(wakes).toEqual(['now']);
  expect(one.accepts(['a'])).toBe(true);
  finish[1]?.();
  await Promise.all(all);
});

test('after a small group of several a business gathers for a moment, and is claimed for again by itself', async () => {
  const { scheduler: one, wakes, pass } = scheduler();
  await one.run(sendsOf('a', 3), async () => {});
  expect(wakes).toEqual([16]);
  expect(one.accepts(['a'])).toBe(false);
  pass(16);
  expect(one.accepts(['a'])).toBe(true);
});

test('a group that fails counts no longer', async () => {
  const { scheduler: one } = scheduler();
  const failing = (): Promise<void> => Promise.reject(new Error('failed'));
  for (let n = 0; n < 3; n += 1) await expect(one.run(sendsOf('a', 30), failing)).rejects.toThrow('failed');
  expect(one.accepts(['a'])).toBe(true);
});

import { describe, expect, test } from 'vitest';
import { ChannelCapacity } from './capacity.ts';

const take = (
  slots: ChannelCapacity,
  count: number,
  business_id: string,
  channel: 'email' | 'sms' | 'whatsapp' = 'email',
): void => {
  for (let n = 0; n < count; n += 1) slots.occupy({ business_id, channel });
};

describe('room for calls', () => {
  test('no claim asks for more than any of its channels can take', () => {
    const slots = new ChannelCapacity({ email: 100, sms: 8, whatsapp: 20 });
    expect(slots.available()).toEqual({ channels: ['email', 'sms', 'whatsapp'], limit: 8, full: [] });
    take(slots, 3, 'a', 'sms');
    expect(slots.available().limit).toBe(5);
  });

  test('a channel with little room is left out, and the others go on', () => {
    const slots = new ChannelCapacity({ email: 100, sms: 8, whatsapp: 20 });
    take(slots, 7, 'a', 'sms');
    expect(slots.available()).toMatchObject({ channels: ['email', 'whatsapp'], limit: 20 });
  });

  test('with every channel full, deadlines are still looked for', () => {
    const slots = new ChannelCapacity({ email: 1, sms: 1, whatsapp: 1 });
    for (const channel of ['email', 'sms', 'whatsapp'] as const) take(slots, 1, 'a', channel);
    expect(slots.available()).toMatchObject({ channels: [], limit: 50 });
  });

  test('one business cannot take all of a channel', () => {
    const slots = new ChannelCapacity({ email: 100, sms: 100, whatsapp: 100 });
    take(slots, 75, 'busy');
    expect(slots.available().full).toEqual([{ business_id: 'busy', channel: 'email' }]);
    slots.release({ business_id: 'busy', channel: 'email' });
    expect(slots.available().full).toEqual([]);
  });

  test('a business far over its share is worth waking for once, when it falls below', () => {
    const slots = new ChannelCapacity({ email: 8, sms: 8, whatsapp: 8 });
    take(slots, 8, 'busy');
    const news = Array.from({ length: 8 }, () => slots.release({ business_id: 'busy', channel: 'email' }));
    // The channel opens with two free, the business is below six with three.
    expect(news).toEqual([false, true, true, false, false, false, false, false]);
  });

  test('waking is worth it when a channel opens again, or a business is no longer full', () => {
    const slots = new ChannelCapacity({ email: 4, sms: 4, whatsapp: 4 });
    take(slots, 2, 'a');
    take(slots, 2, 'b');
    expect(slots.release({ business_id: 'a', channel: 'email' })).toBe(true);
    expect(slots.release({ business_id: 'a', channel: 'email' })).toBe(false);
    expect(slots.release({ business_id: 'b', channel: 'email' })).toBe(false);
    expect(slots.release({ business_id: 'b', channel: 'email' })).toBe(false);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { channels } from '../contract/channels.ts';
import type { DueQueue } from '../db/dueQueues.ts';
import type { ClaimCapacity } from './capacity.ts';
import { shareAmongBusinesses } from './claimShares.ts';
import { CALLED_OR_HELD } from './claimSql.ts';

const queue = (key: string): DueQueue => {
  const [business_id = '', name = ''] = key.split(' ');
  return { business_id, queue: name, earliest: 0 };
};
const keyOf = (one: DueQueue): string => `${one.business_id} ${one.queue}`;

describe('a claim', () => {
  const due = ['a email', 'a sms', 'b ', 'b email', 'c whatsapp'];
  const all: ClaimCapacity = { channels: [...channels], limit: 10, full: [] };
  const aFull = [{ business_id: 'a', channel: 'email' as const }];
  test.each<[string, Partial<ClaimCapacity>, { queues: string[]; share: number; fullAt: string | null }]>([
    ['serves every business', {}, { queues: due, share: 3, fullAt: null }],
    [
      'serves as many businesses as its limit, and says where it stopped',
      { limit: 2 },
      { queues: due.slice(0, 4), share: 1, fullAt: 'b' },
    ],
    [
      'leaves out channels without capacity, but not held sends',
      { channels: ['sms'] },
      { queues: ['a sms', 'b '], share: 5, fullAt: null },
    ],
    [
      'leaves out a channel of which a business has its share',
      { full: aFull },
      { queues: due.slice(1), share: 3, fullAt: null },
    ],
    [
      'does not count a business without capacity',
      { limit: 2, channels: ['email'], full: aFull },
      { queues: ['b ', 'b email'], share: 2, fullAt: null },
    ],
  ])('%s', (_, capacity, expected) => {
    const shares = shareAmongBusinesses(due.map(queue), { ...all, ...capacity });
    expect({ ...shares, queues: shares.queues.map(keyOf) }).toEqual(expected);
  });
});

test('the shares fit the limit, nobody before the end of the claim is left out, and no larger share would fit', () => {
  const someQueues = fc.uniqueArray(
    fc.record({
      business_id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      queue: fc.constantFrom(CALLED_OR_HELD, ...channels),
      earliest: fc.nat(),
    }),
    { selector: keyOf },
  );
  fc.assert(
    fc.property(
      someQueues,
      fc.subarray([...channels]),
      fc.integer({ min: 1, max: 12 }),
      (some, open, limit) => {
        const due = some.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
        const { queues, share, fullAt } = shareAmongBusinesses(due, { channels: open, limit, full: [] });
        const served = new Set(queues.map(({ business_id }) => business_id)).size;
        expect(served * share).toBeLessThanOrEqual(limit);
        if (served > 0) expect(served * (share + 1)).toBeGreaterThan(limit);
        const mayGo = (one: DueQueue): boolean => ['', ...open].includes(one.queue);
        expect(queues).toEqual(due.filter((one) => mayGo(one) && one.business_id <= (fullAt ?? 'z')));
      },
    ),
  );
});

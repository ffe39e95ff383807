import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { latestSubmitter, ownReply } from './replies.ts';

const holder = (name: string, submittedAt: string | null) => ({
  name,
  submittedAt: submittedAt === null ? null : new Date(submittedAt),
});

describe('a reply is for', () => {
  test.each([
    ['nobody when nobody holds the number', [], undefined],
    ['nobody when no holder wrote to the number', [holder('a', null), holder('b', null)], undefined],
    ['the only one that wrote', [holder('a', null), holder('b', '2026-01-01')], 'b'],
    ['the latest that wrote', [holder('a', '2026-01-03'), holder('b', '2026-01-02')], 'a'],
    ['the latest in any order', [holder('a', '2026-01-02'), holder('b', '2026-01-03')], 'b'],
  ])('%s', (_what, holders, name) => {
    expect(latestSubmitter(holders)?.name).toBe(name);
  });

  test('never one that did not write, and never one before a later one', () => {
    const holders = fc.array(fc.record({ submittedAt: fc.option(fc.date({ noInvalidDate: true })) }));
    fc.assert(
      fc.property(holders, (candidates) => {
        const chosen = latestSubmitter(candidates);
        const times = candidates.flatMap(({ submittedAt }) => submittedAt?.getTime() ?? []);
        expect(chosen?.submittedAt?.getTime()).toBe(times.length === 0 ? undefined : Math.max(...times));
      }),
    );
  });
});

describe('a message to a sender of a business’s own is for it', () => {
  test.each([
    ['not when it neither wrote to the number nor has consent', null, false, false],
    ['when it wrote to the number', new Date('2026-01-01'), false, true],
    ['when it has consent', null, true, true],
  ])('%s', (_what, submittedAt, consents, received) => {
    const holder = { submittedAt, consents };
    expect(ownReply([holder])).toBe(received ? holder : null);
  });
});

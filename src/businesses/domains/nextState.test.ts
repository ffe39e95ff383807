import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY, HOUR, later } from '../../kit/clock.ts';
import { nextState } from './nextState.ts';
import type { SenderDomain } from './sql.ts';

type Standing = Pick<SenderDomain, 'state' | 'failing_since'>;

const NOW = new Date('2026-11-20T12:00:00Z');
const at = (state: Standing['state'], failing_since: Date | null = null): Standing => ({
  state,
  failing_since,
});

test.each<[string, Standing, Parameters<typeof nextState>[1], Standing]>([
  ['the key is found', at('pending'), 'good', at('verified')],
  ['it is not yet', at('pending'), 'missing', at('pending')],
  ['a first check does not find it any more', at('verified'), 'missing', at('verified', NOW)],
  [
    'nor does one too soon',
    at('verified', later(NOW, -23 * HOUR)),
    'wrong',
    at('verified', later(NOW, -23 * HOUR)),
  ],
  ['nor one a day later', at('verified', later(NOW, -DAY)), 'wrong', at('broken', later(NOW, -DAY))],
  ['it is back before that', at('verified', later(NOW, -DAY)), 'good', at('verified')],
  ['it is back after that', at('broken', later(NOW, -DAY)), 'good', at('verified')],
  ['it stays away', at('broken', later(NOW, -DAY)), 'missing', at('broken', later(NOW, -DAY))],
])('%s', (_what, before, dkim, after) => {
  expect(nextState(before, dkim, NOW)).toEqual(after);
});

test('a check without an answer changes nothing, whatever came before it', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('pending' as const, 'verified' as const, 'broken' as const),
      fc.option(fc.date({ noInvalidDate: true })),
      (state, since) => {
        expect(nextState(at(state, since), 'unknown', NOW)).toEqual(at(state, since));
      },
    ),
  );
});

import { expect, test } from 'vitest';
import { callsFor } from '../../chaos/merchants.ts';
import { createFaults, ProviderLog } from '../../chaos/providers/providerLog.ts';
import { brokenPromises, unless, withFigures } from '../../chaos/report.ts';
import { seededRandom } from '../support/seededRandom.ts';

/** The parts of `npm run chaos` on which its verdict rests. */

test('a submit after an accepted one counts as a resubmission, and a retry after a refusal does not', () => {
  const log = new ProviderLog();
  const submits = [
    ['refused-then-taken', false],
    ['refused-then-taken', true],
    ['taken-twice', true],
    ['taken-twice', true],
    ['taken-then-refused', true],
    ['taken-then-refused', false],
    ['once', true],
  ] as const;
  for (const [reference, accepted] of submits)
    log.submits.push({ provider: 'postmark', reference, accepted, reports: true, at: 0 });
  expect(log.resubmitted()).toEqual(['taken-twice', 'taken-then-refused']);
  expect(log.acceptedBy().get('taken-twice')).toEqual(['postmark', 'postmark']);
});

test('every kind of fault occurs in a run, and none after it is healed', () => {
  const faults = createFaults(seededRandom(1));
  const met = new Set(Array.from({ length: 2_000 }, () => faults.next()));
  expect(met.size).toBe(6);
  faults.heal();
  expect(new Set(Array.from({ length: 2_000 }, () => faults.next()))).toEqual(new Set(['answers']));
});

test('the same seed gives the same faults, and another seed gives others', () => {
  const draw = (seed: number) => Array.from({ length: 20 }, seededRandom(seed).next);
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
});

test('a run makes as many pushes as asked for, each with its own subject, some of them in batches', () => {
  const calls = callsFor(1_234, 3);
  const subjects = calls.flatMap(({ orders }) => orders.map(({ subject }) => subject));
  expect(new Set(subjects).size).toBe(1_234);
  expect(subjects).toHaveLength(1_234);
  expect(new Set(calls.map(({ key }) => key)).size).toBe(calls.length);
  expect(calls.some(({ batch }) => batch)).toBe(true);
});

test('one violated check fails the run, and the figures are written between their markers on the page', () => {
  const report = {
    scenario: 'A storm',
    figures: { waves: 3 },
    broken: { 'nobody is wet': unless(true, 'Ann') },
  };
  expect(brokenPromises([report, { scenario: 'A flood', skipped: 'there is no sea' }])).toEqual([]);
  const broken = { 'nobody is wet': unless(false, 'Ann') };
  expect(brokenPromises([report, { ...report, broken }])).toEqual([['nobody is wet', ['Ann']]]);
  const page = 'before\n<!-- chaos: A storm -->\nold\n<!-- /chaos -->\nafter';
  const written = withFigures(page, report, ['--seed', '2']);
  expect(written).toContain('| nobody is wet | 0          |');
  expect(written).toContain('npm run chaos -- --seed 2');
  expect(written).not.toContain('old');
  expect(withFigures(written, report, ['--seed', '2'])).toBe(written);
  expect(() => withFigures('', report, [])).toThrow('no place');
});

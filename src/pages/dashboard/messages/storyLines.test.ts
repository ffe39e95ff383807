import { expect, test } from 'vitest';
import type { TimelineKind } from '../../../contract/messages.ts';
import type { StoryItem } from '../../../messages/timeline.ts';
import { storyLines } from './storyLines.ts';

/** `a.submitted`: of the send a; one second after another. */
const story = (...names: string[]): StoryItem[] =>
  names.map((name, second) => {
    const [kind = '', send = null] = name.split('.').toReversed();
    return { ...ITEM, kind: kindNamed(kind), says: `${kind}!`, sendId: send, at: atSecond(second) };
  });

const atSecond = (second: number) => new Date(Date.UTC(2026, 7, 20, 10, 0, second)).toISOString();
const ITEM: Omit<StoryItem, 'kind' | 'at' | 'says' | 'sendId'> = {
  channel: 'sms',
  reason: null,
  credits: null,
  code: null,
  pusher: null,
};

const KINDS = [
  'pushed',
  'opened',
  'planned',
  'resent',
  'submitted',
  'accepted',
  'retried',
  'delivered',
  'rejected',
  'credits_reserved',
  'credits_charged',
  'rescheduled',
] as const satisfies readonly TimelineKind[];
function kindNamed(name: string): TimelineKind {
  const kind = KINDS.find((one) => one === name);
  if (kind === undefined) throw new Error(`no kind ${name}`);
  return kind;
}

const shown = (...names: string[]): string[] =>
  storyLines(story(...names)).map(({ text, moments, attempts }) =>
    [text, moments.map(({ word }) => word).join(', '), attempts.length || '']
      .filter((part) => part !== '')
      .join(' | '),
  );

test('planned, handed over and accepted are one line with three moments', () => {
  expect(shown('pushed', 'a.planned', 'a.submitted', 'a.accepted', 'a.delivered')).toEqual([
    'pushed!',
    'planned! submitted! | planned, handed over, accepted',
    'delivered!',
  ]);
  const [, line] = storyLines(story('pushed', 'a.planned', 'a.submitted', 'a.accepted'));
  expect(line?.moments.map(({ at }) => at)).toEqual([atSecond(1), atSecond(2), atSecond(3)]);
});

test('each send is folded by itself, and stands where it began', () => {
  expect(
    shown('pushed', 'a.planned', 'b.planned', 'a.submitted', 'opened', 'b.submitted', 'a.accepted'),
  ).toEqual([
    'pushed!',
    'planned! submitted! | planned, handed over, accepted',
    'planned! submitted! | planned, handed over',
    'opened!',
  ]);
});

test('a charge stands for the credits that were set aside for it', () => {
  expect(shown('a.planned', 'a.credits_reserved', 'a.credits_charged', 'a.submitted')).toEqual([
    'planned! credits_charged! submitted! | planned, handed over',
  ]);
  expect(shown('a.planned', 'a.credits_reserved')).toEqual(['planned! credits_reserved!']);
});

test('five attempts that came to nothing are one line that opens', () => {
  const tries = Array.from({ length: 5 }, () => ['a.submitted', 'a.retried']).flat();
  expect(shown('a.planned', ...tries, 'a.submitted', 'a.accepted')).toEqual([
    'planned!',
    '5 attempts came to nothing. retried! | 5',
    'submitted! | handed over, accepted',
  ]);
});

test('a single one is a line of its own', () => {
  expect(shown('a.planned', 'a.submitted', 'a.retried', 'a.submitted', 'a.rejected')).toEqual([
    'planned!',
    'retried!',
    'submitted!',
    'rejected!',
  ]);
});

test('what waited in between is no part of one line', () => {
  expect(shown('a.planned', 'a.rescheduled', 'a.submitted', 'a.accepted')).toEqual([
    'planned!',
    'rescheduled!',
    'submitted! | handed over, accepted',
  ]);
});

test('nothing gets lost: every kind by itself is a line', () => {
  for (const kind of KINDS) expect(shown(`a.${kind}`)).toEqual([`${kind}!`]);
});

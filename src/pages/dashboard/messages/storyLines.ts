import type { TimelineKind } from '../../../contract/messages.ts';
import type { StoryItem } from '../../../messages/timeline.ts';

/** A line of a message's story: one thing that happened, or what belongs together. */
export interface StoryLine {
  text: string;
  /** What happened last of it. */
  last: StoryItem;
  /** Where it has several: each with its own time. */
  moments: readonly { word: string; at: string }[];
  /** The attempts that the line stands for. */
  attempts: readonly StoryItem[];
}

/** Of each send, its way to the provider is one line, and so are the attempts that came to nothing. Each stands where it began. */
export function storyLines(items: readonly StoryItem[]): StoryLine[] {
  const sendIds = new Set(items.flatMap(({ sendId }) => sendId ?? []));
  const aboutMessage = items.filter(({ sendId }) => sendId === null).map((item) => [item]);
  const aboutSends = [...sendIds].flatMap((id) => groups(items.filter(({ sendId }) => sendId === id)));
  const placeOf = ([first]: readonly StoryItem[]): number => (first === undefined ? 0 : items.indexOf(first));
  return [...aboutMessage, ...aboutSends].toSorted((a, b) => placeOf(a) - placeOf(b)).flatMap(lineOf);
}

/** The letter of each kind that is folded. */
const LETTERS: Partial<Record<TimelineKind, string>> = {
  planned: 'p',
  fallback_sent: 'p',
  resent: 'p',
  credits_reserved: 'c',
  credits_charged: 'c',
  submitted: 's',
  accepted: 'a',
  retried: 'r',
};

/** Planned, and handed over at once; attempts that came to nothing; handed over later; anything else by itself. */
const FOLDED = /pc*(?:s(?!c*r)c*a?c*)?|(?:sc*r)+|sc*ac*|./g;

function groups(items: readonly StoryItem[]): StoryItem[][] {
  const letters = items.map(({ kind }) => LETTERS[kind] ?? 'x').join('');
  return [...letters.matchAll(FOLDED)].map(({ index, 0: { length } }) => items.slice(index, index + length));
}

const MOMENTS: Partial<Record<TimelineKind, string>> = {
  planned: 'planned',
  fallback_sent: 'planned',
  resent: 'asked for',
  submitted: 'handed over',
  accepted: 'accepted',
};

function lineOf(group: readonly StoryItem[]): StoryLine[] {
  const last = group.at(-1);
  if (last === undefined) return [];
  const retries = group.filter(({ kind }) => kind === 'retried');
  if (retries.length > 1)
    return [
      {
        text: `${retries.length} attempts came to nothing. ${last.says}`,
        last,
        moments: [],
        attempts: retries,
      },
    ];
  const moments = group.flatMap(({ kind, at }) => {
    const word = MOMENTS[kind];
    return word === undefined ? [] : [{ word, at }];
  });
  const isCharged = group.some(({ kind }) => kind === 'credits_charged');
  const said = group.filter(
    ({ kind }) =>
      !(kind === 'credits_reserved' && isCharged) &&
      !(kind === 'accepted' && group.some((one) => one.kind === 'submitted')) &&
      !(kind === 'submitted' && retries.length > 0),
  );
  return [
    {
      text: said.map(({ says }) => says).join(' '),
      last,
      moments: moments.length > 1 ? moments : [],
      attempts: [],
    },
  ];
}

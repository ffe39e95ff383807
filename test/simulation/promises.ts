import type { Journal } from './journal.ts';
import type { Messages } from './messagesModel.ts';
import type { People } from './model.ts';
import { creditsOf } from './promisesOfCredits.ts';
import { eventsOf } from './promisesOfEvents.ts';
import { erasuresOf, openedOf, peopleOf, textsOf } from './promisesOfPeople.ts';
import { sendsOf } from './promisesOfSends.ts';
import type { SendRow, Snapshot } from './snapshot.ts';

/** What every commit is held against: what was committed before and after it, and what providers and people know. */
export interface Moment {
  before: Snapshot;
  after: Snapshot;
  now: Date;
  journal: Journal;
  businesses: readonly { id: string; people: People; messages: Messages }[];
  /** Numbers as they are kept, by hash. */
  hashOf: (number: string) => string;
  /** Credits spent on sends that an erasure has taken out of the books, by business. */
  spentOnErased: Map<string, number>;
}

/** What is wrong with this commit; nothing may be. */
export function brokenPromises(moment: Moment): string[] {
  const changed = changedSends(moment);
  return [
    ...sendsOf(moment, changed),
    ...creditsOf(moment, changed),
    ...eventsOf(moment, changed),
    ...peopleOf(moment),
    ...textsOf(moment),
    ...openedOf(moment),
    ...erasuresOf(moment),
  ];
}

/** A send as it was, if it was, and as it is. */
export interface SendChange {
  before: SendRow | null;
  after: SendRow;
}

function changedSends({ before, after }: Moment): SendChange[] {
  const known = new Map(before.sends.map((send) => [send.id, send]));
  return after.sends.flatMap((send) => {
    const old = known.get(send.id) ?? null;
    return old !== null && JSON.stringify(old) === JSON.stringify(send) ? [] : [{ before: old, after: send }];
  });
}

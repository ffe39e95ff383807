import { creditViolations } from './creditInvariants.ts';
import { eventViolations } from './eventInvariants.ts';
import type { MessagesModel } from './messagesModel.ts';
import {
  duplicateTextViolations,
  erasureViolations,
  escalationViolations,
  recipientViolations,
} from './recipientInvariants.ts';
import type { RecipientsModel } from './recipientsModel.ts';
import { sendViolations } from './sendInvariants.ts';
import type { SimulatedProviders } from './simulatedProviders.ts';
import type { CommittedSend, CommittedState } from './snapshot.ts';

/** What every commit is held against: what was committed before and after it, and what providers and people know. */
export interface CommitContext {
  before: CommittedState;
  after: CommittedState;
  now: Date;
  providers: SimulatedProviders;
  businesses: readonly { id: string; people: RecipientsModel; messages: MessagesModel }[];
  /** Numbers as they are kept, by hash. */
  hashOf: (number: string) => string;
  /** Credits spent on sends that an erasure has taken out of the books, by business. */
  spentOnErased: Map<string, number>;
}

/** What is wrong with this commit; nothing may be. */
export function violatedInvariants(moment: CommitContext): string[] {
  const changed = changedSends(moment);
  return [
    ...sendViolations(moment, changed),
    ...creditViolations(moment, changed),
    ...eventViolations(moment, changed),
    ...recipientViolations(moment),
    ...duplicateTextViolations(moment),
    ...escalationViolations(moment),
    ...erasureViolations(moment),
  ];
}

/** A send as it was, if it was, and as it is. */
export interface SendChange {
  before: CommittedSend | null;
  after: CommittedSend;
}

function changedSends({ before, after }: CommitContext): SendChange[] {
  const known = new Map(before.sends.map((send) => [send.id, send]));
  return after.sends.flatMap((send) => {
    const old = known.get(send.id) ?? null;
    return old !== null && JSON.stringify(old) === JSON.stringify(send) ? [] : [{ before: old, after: send }];
  });
}

import { creditViolations } from './creditInvariants.ts';
import { eventViolations } from './eventInvariants.ts';
import type { MessagesModel } from './messagesModel.ts';
import { orderViolations } from './orderInvariants.ts';
import type { OrdersModel } from './ordersModel.ts';
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

/** The input of the checks of a commit: the snapshots before and after it, and the state of providers and people. */
export interface CommitContext {
  before: CommittedState;
  after: CommittedState;
  now: Date;
  providers: SimulatedProviders;
  businesses: readonly {
    id: string;
    people: RecipientsModel;
    messages: MessagesModel;
    orders: OrdersModel;
  }[];
  /** Numbers by their keyed hash. */
  hashOf: (number: string) => string;
  /** Credits charged for sends that an erasure has deleted, by business. */
  spentOnErased: Map<string, number>;
}

/** The violations of this commit. */
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
    ...orderViolations(moment),
  ];
}

/** A send before and after the commit. */
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

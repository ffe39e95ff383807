import type { SendState } from '../../src/outbox/states.ts';
import type { CommitContext, SendChange } from './invariants.ts';
import type { CommittedSend } from './snapshot.ts';

/** The ledger's sum is the balance, never negative; a send is charged exactly from its permit on. */
export function creditViolations(
  { before, after, spentOnErased }: CommitContext,
  changed: readonly SendChange[],
): string[] {
  const still = new Set(after.sends.map(({ id }) => id));
  for (const send of before.sends) {
    // A send that only waited costs nothing; the others stay charged.
    if (still.has(send.id) || !send.charged || send.state === 'queued') continue;
    spentOnErased.set(send.business_id, (spentOnErased.get(send.business_id) ?? 0) + send.credits);
  }
  const wrong = after.businesses.flatMap(({ id, balance, reserved, ledger, granted }) => {
    const own = after.sends.filter(({ business_id }) => business_id === id);
    const sum = (some: readonly CommittedSend[]): number =>
      some.reduce((total, { credits }) => total + credits, 0);
    const spent = sum(own.filter(({ charged }) => charged)) + (spentOnErased.get(id) ?? 0);
    const setAside = sum(own.filter((send) => send.reserved));
    return [
      ledger === balance ? [] : [`the ledger adds up to ${ledger}, the balance is ${balance}`],
      balance >= 0 && reserved >= 0 && reserved <= balance
        ? []
        : [`${reserved} of ${balance} credits are set aside`],
      reserved === setAside ? [] : [`${reserved} credits are set aside, and sends hold ${setAside}`],
      balance === granted - spent ? [] : [`of ${granted} credits ${spent} were spent, ${balance} are left`],
    ].flat();
  });
  const flags = changed.flatMap(({ after: send }) => {
    const { state, charged, reserved, credits, channel, id } = send;
    if (channel === 'email' || credits === 0)
      return charged || reserved ? [`send ${id} is free and is paid for`] : [];
    const paid = charged ? 'spent' : reserved ? 'set aside' : 'free';
    return PAID[state].includes(paid) ? [] : [`${channel} send ${id} is ${state} and its credit is ${paid}`];
  });
  return [...wrong, ...flags];
}

const PAID: Record<SendState, readonly string[]> = {
  held: ['free'],
  queued: ['set aside', 'spent'],
  submitting: ['spent'],
  accepted: ['spent'],
  delivered: ['spent'],
  read: ['spent'],
  failed: ['spent'],
  rejected: ['free'],
  skipped: ['free'],
  cancelled: ['free'],
};

import type { AccountRow } from '../businesses/billingSql.ts';
import { moved, spendable } from '../businesses/credits.ts';
import { whyNotNow } from '../nudges/gates.ts';
import { whyNoServiceMail } from '../nudges/serviceMail.ts';
import { creditMoves } from './creditMoves.ts';
import type { Facts } from './facts.ts';
import type { LockedSend } from './lockSql.ts';
import type { SendTransition } from './transition.ts';

interface Caps {
  emailsToday: number | null;
  textsToday: number | null;
}

export const NO_CAPS: Caps = { emailsToday: null, textsToday: null };

/** The first reason to stop a locked send, by the current facts; null: it may continue. */
export function whyStopped(send: LockedSend, facts: Facts, balances: RunningBalances, caps: Caps) {
  const settings = facts.settings(send);
  const account = facts.account(send);
  const person = facts.person(send);
  if (send.message_status === null) {
    const messagedOnWhatsapp = facts.messagedOnWhatsapp(send);
    const reason = whyNoServiceMail({ ...send, settings, account, person, messagedOnWhatsapp });
    return reason === null ? null : { reason, textInstead: false };
  }
  const { paidPerRecipientHour } = settings;
  return whyNotNow({
    channel: send.channel,
    messageStatus: send.message_status,
    account,
    person,
    template: send.channel === 'whatsapp' ? facts.template(send).state : 'sendable',
    price: send.credits,
    spendable: balances.spendableFor(send),
    left: {
      ...caps,
      paidThisHour:
        paidPerRecipientHour === null ? null : paidPerRecipientHour - balances.paidTo(send, facts),
    },
  });
}

/** The credits that each business has left while the sends of a group are judged one by one. */
export class RunningBalances {
  readonly #accounts: Map<string, AccountRow>;
  readonly #paid = new Map<string, number>();

  constructor(accounts: readonly AccountRow[]) {
    this.#accounts = new Map(accounts.map((account) => [account.business_id, account]));
  }

  /** Credits that are already reserved or spent for this send count as available to it. */
  spendableFor(send: LockedSend): number {
    if (send.reserved || send.charged) return send.credits;
    const account = this.#accounts.get(send.business_id);
    return account ? spendable(account) : 0;
  }

  /** Paid messages to this person in the last hour, including those of this group. */
  paidTo(send: LockedSend, facts: Facts): number {
    return facts.paidLastHour(send) + (this.#paid.get(personOf(send)) ?? 0);
  }

  spend(change: SendTransition): void {
    const account = this.#accounts.get(change.after.business_id);
    if (!account) return;
    this.#accounts.set(account.business_id, creditMoves(change).reduce(moved, account));
    if (change.after.channel === 'email') return;
    this.#paid.set(personOf(change.after), (this.#paid.get(personOf(change.after)) ?? 0) + 1);
  }
}

const personOf = ({ business_id, recipient_id }: LockedSend): string => `${business_id} ${recipient_id}`;

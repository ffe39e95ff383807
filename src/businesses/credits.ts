import type { CreditsView } from '../contract/recipients.ts';
import type { Queryable } from '../db/statement.ts';
import { OperatorError } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import { type AccountRow, grantOnce, lockAccounts, readCredits, writeAccounts } from './billingSql.ts';

/** What can happen to the credits of a send. They are set aside first, spent when the provider is called. */
export interface CreditMove {
  kind: 'reserve' | 'release' | 'charge' | 'charge_reserved' | 'refund';
  businessId: string;
  sendId: string;
  credits: number;
}

/** The balance has fallen below the threshold: the merchant is to be told, once until it has recovered. */
export interface LowBalance {
  businessId: string;
  balance: number;
  threshold: number;
}

/**
 * Makes the moves of sends that are locked, in the caller's transaction: accounts are locked in order, the ledger
 * gets a line for whatever changes a balance, so that its sum always is the balance. Answers whose balance ran low.
 */
export async function moveCredits(
  tx: Queryable,
  moves: readonly CreditMove[],
  now: Date,
): Promise<LowBalance[]> {
  if (moves.length === 0) return [];
  const before = await lockAccounts(tx, [...new Set(moves.map(({ businessId }) => businessId))]);
  const after = new Map(before.map((account) => [account.business_id, account]));
  for (const move of moves) {
    const account = after.get(move.businessId);
    if (!account) throw new Error(`the business ${move.businessId} has no credit account`);
    after.set(move.businessId, moved(account, move));
  }
  const settled = [...after.values()].map(toldOrRearmed);
  const ledger = moves.flatMap((move, ordinal) => {
    const amount = balanceChange(move);
    const kind = amount < 0 ? 'charge' : 'refund';
    return amount === 0
      ? []
      : [
          {
            business_id: move.businessId,
            id: newId(now, ordinal),
            kind,
            amount,
            send_id: move.sendId,
            at: now,
          },
        ];
  });
  await writeAccounts(tx, JSON.stringify(settled), JSON.stringify(ledger));
  return before.flatMap((account) => {
    const now = settled.find(({ business_id }) => business_id === account.business_id);
    return now && fellBelow(account, now.balance)
      ? [{ businessId: account.business_id, balance: now.balance, threshold: account.threshold }]
      : [];
  });
}

/** Adds what was bought or given. Answers the new balance. */
export async function grantCredits(
  tx: Queryable,
  { businessId, credits, note }: { businessId: string; credits: number; note: string | null },
  now: Date,
): Promise<number> {
  const [granted] = await grantOnce(tx, businessId, newId(now), credits, note, now);
  if (!granted) throw new OperatorError(`No business has the id "${businessId}".`);
  return granted.balance;
}

/** What may still be set aside. */
export const spendable = ({ balance, reserved }: Pick<AccountRow, 'balance' | 'reserved'>): number =>
  balance - reserved;

const balanceChange = ({ kind, credits }: CreditMove): number =>
  kind === 'charge' || kind === 'charge_reserved' ? -credits : kind === 'refund' ? credits : 0;

const reservedChange = ({ kind, credits }: CreditMove): number =>
  kind === 'reserve' ? credits : kind === 'release' || kind === 'charge_reserved' ? -credits : 0;

/** The account after a move. Callers judge first whether there is enough; the database refuses what they overlook. */
export const moved = (account: AccountRow, move: CreditMove): AccountRow => ({
  ...account,
  balance: account.balance + balanceChange(move),
  reserved: account.reserved + reservedChange(move),
});

/** Only a fall counts: an account that starts below the threshold has nothing new to tell. */
export const fellBelow = ({ balance, threshold, low_balance_told }: AccountRow, now: number): boolean =>
  balance >= threshold && now < threshold && !low_balance_told;

const toldOrRearmed = (account: AccountRow): AccountRow => ({
  ...account,
  low_balance_told: account.balance < account.threshold,
});

export async function viewCredits(db: Queryable, businessId: string): Promise<CreditsView> {
  const [row] = await readCredits(db, businessId);
  if (!row) throw new Error(`the business ${businessId} is gone`);
  return { balance: row.balance, low_balance: row.balance < row.threshold, threshold: row.threshold };
}

import type { CreditsView } from '../contract/recipients.ts';
import type { Queryable } from '../db/statement.ts';
import { OperatorError } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import { type AccountRow, grantOnce, lockAccounts, readCredits, writeAccounts } from './billingSql.ts';

/** A change of a send's credits. They are reserved first, and charged when the provider is called. */
export interface CreditMove {
  kind: 'reserve' | 'release' | 'charge' | 'charge_reserved' | 'refund';
  businessId: string;
  sendId: string;
  credits: number;
  /** Where the message goes; null or left out: not known. */
  country?: string | null;
}

/** The balance fell below the threshold. The merchant gets one event until it has recovered. */
export interface LowBalance {
  businessId: string;
  balance: number;
  threshold: number;
}

/**
 * Applies moves in the caller's transaction, which has locked the sends. Every change of a balance gets a ledger entry, so
 * the sum of the ledger is the balance. Returns the accounts whose balance fell below the threshold.
 */
export async function moveCredits(tx: Queryable, moves: readonly CreditMove[], now: Date) {
  if (moves.length === 0) return [];
  const before = await lockAccounts(tx, [...new Set(moves.map(({ businessId }) => businessId))]);
  const after = new Map(before.map((account) => [account.business_id, account]));
  for (const move of moves) {
    const account = after.get(move.businessId);
    if (!account) throw new Error(`the business ${move.businessId} has no credit account`);
    after.set(move.businessId, moved(account, move));
  }
  const settled = [...after.values()].map(withLowBalanceFlag);
  const ledger = moves.flatMap((move, ordinal) => {
    const { businessId: business_id, sendId: send_id, country } = move;
    const amount = balanceChange(move);
    const kind = amount < 0 ? 'charge' : 'refund';
    return amount === 0
      ? []
      : [{ business_id, id: newId(now, ordinal), kind, amount, send_id, country, at: now }];
  });
  await writeAccounts(tx, JSON.stringify(settled), JSON.stringify(ledger));
  return before.flatMap((account) => {
    const { business_id: businessId, threshold } = account;
    const balance = after.get(businessId)?.balance;
    return balance !== undefined && fellBelow(account, balance) ? [{ businessId, balance, threshold }] : [];
  });
}

export async function grantCredits(
  tx: Queryable,
  { businessId, credits, note }: { businessId: string; credits: number; note: string | null },
  now: Date,
): Promise<number> {
  const [granted] = await grantOnce(tx, businessId, newId(now), credits, note, now);
  if (!granted) throw new OperatorError(`No business has the id "${businessId}".`);
  return granted.balance;
}

/** The credits that can still be reserved. */
export const spendable = ({ balance, reserved }: Pick<AccountRow, 'balance' | 'reserved'>): number =>
  balance - reserved;

const balanceChange = ({ kind, credits }: CreditMove): number =>
  kind === 'charge' || kind === 'charge_reserved' ? -credits : kind === 'refund' ? credits : 0;

const reservedChange = ({ kind, credits }: CreditMove): number =>
  kind === 'reserve' ? credits : kind === 'release' || kind === 'charge_reserved' ? -credits : 0;

/** The account after a move. Callers check the balance first; a database constraint catches what they miss. */
export const moved = (account: AccountRow, move: CreditMove): AccountRow => ({
  ...account,
  balance: account.balance + balanceChange(move),
  reserved: account.reserved + reservedChange(move),
});

/** Only a fall counts: an account that starts below the threshold causes no event. */
export const fellBelow = ({ balance, threshold, low_balance_notified }: AccountRow, now: number): boolean =>
  balance >= threshold && now < threshold && !low_balance_notified;

const withLowBalanceFlag = (account: AccountRow): AccountRow => ({
  ...account,
  low_balance_notified: account.balance < account.threshold,
});

export async function viewCredits(db: Queryable, businessId: string): Promise<CreditsView> {
  const [row] = await readCredits(db, businessId);
  if (!row) throw new Error(`the business ${businessId} is gone`);
  return { balance: row.balance, low_balance: row.balance < row.threshold, threshold: row.threshold };
}

import type { Queryable } from '../db/statement.ts';
import { readCredits } from './creditsViewSql.ts';

/** The balance as a merchant reads it (interface 2.9). It counts what is not yet spent, set aside or not. */
export interface CreditsView {
  balance: number;
  low_balance: boolean;
  threshold: number;
}

export async function viewCredits(db: Queryable, businessId: string): Promise<CreditsView> {
  const [row] = await readCredits(db, businessId);
  if (!row) throw new Error(`the business ${businessId} is gone`);
  return { balance: row.balance, low_balance: row.balance < row.threshold, threshold: row.threshold };
}

import { statement } from '../db/statement.ts';

export const readCredits = statement<[businessId: string], { balance: number; threshold: number }>(`
  select coalesce(a.balance, 0) as balance, b.low_balance_threshold as threshold
  from businesses b left join credit_accounts a on a.business_id = b.id
  where b.id = $1`);

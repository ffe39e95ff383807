import { statement } from '../db/statement.ts';

export interface AccountRow {
  business_id: string;
  balance: number;
  reserved: number;
  /** Below the threshold, and said so: nothing more to tell until the balance has recovered. */
  low_balance_told: boolean;
  threshold: number;
}

/** Locked after sends and before usage; sorted, so that two lists cannot wait for each other. */
export const lockAccounts = statement<[businessIds: string[]], AccountRow>(`
  select a.business_id, a.balance, a.reserved, a.low_balance_told, b.low_balance_threshold as threshold
  from credit_accounts a join businesses b on b.id = a.business_id
  where a.business_id = any ($1::text[])
  order by a.business_id for no key update of a`);

/** The ledger admits one charge and one refund a send, whatever is tried twice. */
export const writeAccounts = statement<[accounts: string, ledger: string]>(`
  with entry as (
    insert into credit_ledger (business_id, id, kind, amount, send_id, at)
    select business_id, id, kind, amount, send_id, at from json_populate_recordset(null::credit_ledger, $2::json)
  )
  update credit_accounts a set balance = n.balance, reserved = n.reserved, low_balance_told = n.low_balance_told
  from json_populate_recordset(null::credit_accounts, $1::json) n
  where a.business_id = n.business_id`);

/** The event about a low balance is armed again once the balance is at or above the threshold. */
export const grantOnce = statement<
  [businessId: string, ledgerId: string, credits: number, note: string | null, now: Date],
  { balance: number }
>(`
  with account as (
    update credit_accounts a set balance = a.balance + $3,
      low_balance_told = a.low_balance_told and a.balance + $3 < b.low_balance_threshold
    from businesses b where a.business_id = $1 and b.id = a.business_id
    returning a.business_id, a.balance
  ), entry as (
    insert into credit_ledger (business_id, id, kind, amount, note, at)
    select business_id, $2, 'grant', $3, $4, $5 from account
  )
  select balance from account`);

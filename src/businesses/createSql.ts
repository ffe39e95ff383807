import { statement } from '../db/statement.ts';
import type { Mode } from './settings.ts';

/**
 * A business with the two rows that always go with it, its credit account and its counters, and the grant that
 * explains its first balance. Answers nothing when the id is taken.
 */
export const insertBusiness = statement<
  [
    id: string,
    name: string,
    smsMode: Mode,
    whatsappMode: Mode,
    smsEnabledAt: Date | null,
    countries: readonly string[] | null,
    contactEmail: string | null,
    credits: number,
    grantId: string,
    note: string,
    at: Date,
  ],
  { id: string }
>(`
  with made as (
    insert into businesses (id, name, sms_mode, whatsapp_mode, sms_enabled_at, countries, contact_email, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $11)
    on conflict (id) do nothing
    returning id
  ), account as (
    insert into credit_accounts (business_id, balance) select id, $8 from made
  ), usage as (
    insert into business_usage (business_id) select id from made
  ), opening as (
    insert into credit_ledger (business_id, id, kind, amount, note, at)
    select id, $9, 'grant', $8, $10, $11 from made where $8 > 0
  )
  select id from made`);

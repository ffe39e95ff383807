import { statement } from '../db/statement.ts';

/** One row an attempt, written when it ends. An attempt that did not count is overwritten by the one that took its number. */
export const insertAttempts = statement<[attempts: string]>(`
  insert into send_attempts (business_id, send_id, attempt, outcome, error_code, provider, provider_id, started_at, ended_at)
  select business_id, send_id, attempt, outcome, error_code, provider, provider_id, started_at, ended_at
  from json_populate_recordset(null::send_attempts, $1::json)
  on conflict (business_id, send_id, attempt) do update set outcome = excluded.outcome, error_code = excluded.error_code,
    provider = excluded.provider, provider_id = excluded.provider_id, started_at = excluded.started_at, ended_at = excluded.ended_at`);

/** Which of these sends reached their provider before, and were refused. */
export const refusedBefore = statement<
  [businessIds: string[], ids: string[]],
  { business_id: string; id: string }
>(`
  select k.business_id, k.id from unnest($1::text[], $2::text[]) k (business_id, id)
  where exists (
    select from send_attempts a where a.business_id = k.business_id and a.send_id = k.id and a.outcome = 'refused')`);

/** Businesses with a sending domain of their own: their bounces say nothing about the shared one. */
export const ownEmailSenders = statement<[businessIds: string[]], { business_id: string }>(`
  select business_id from business_senders where business_id = any ($1::text[]) and channel = 'email'`);

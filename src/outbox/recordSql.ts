import { statement } from '../db/statement.ts';

/** One row an attempt, written when it ends. An attempt that did not count is overwritten by the one that took its number. */
const insertFrom = (attempts: string): string => `
  insert into send_attempts (business_id, send_id, attempt, outcome, error_code, provider, provider_id, started_at, ended_at)
  select business_id, send_id, attempt, outcome, error_code, provider, provider_id, started_at, ended_at from ${attempts}
  on conflict (business_id, send_id, attempt) do update set outcome = excluded.outcome, error_code = excluded.error_code,
    provider = excluded.provider, provider_id = excluded.provider_id, started_at = excluded.started_at, ended_at = excluded.ended_at`;

export const insertAttempts = statement<[attempts: string]>(
  insertFrom('json_populate_recordset(null::send_attempts, $1::json)'),
);

/**
 * Emails that their provider took, where nothing is held for the message: nobody is told of that and nothing follows from it, so
 * they need not be looked at first. Answers those for which it was so; the token guards them as it does all others. As everywhere
 * it goes from the list to the rows: a lock, or `offset 0`, forbids the planner to turn that around. What is locked is found again
 * by its place; a row that somebody changed at that very moment is not found there, and is left to those who look first.
 */
export const acceptEmails = statement<[attempts: string], { business_id: string; id: string }>(`
  with taken as materialized (
    select a.*, s.place from json_to_recordset($1::json) as a (business_id text, send_id text, attempt_token text, attempt smallint,
      outcome text, error_code text, provider text, provider_id text, started_at timestamptz, ended_at timestamptz)
    cross join lateral (
      select message_id, ctid as place from sends where business_id = a.business_id and id = a.send_id
        and attempt_token = a.attempt_token and state = 'submitting' and channel = 'email' for update) s
    where not exists (
      select from sends where business_id = a.business_id and message_id = s.message_id and state = 'held' offset 0)
  ), accepted as (
    update sends s set state = 'accepted', due_at = null, lease = null, attempt_token = null
    from taken t where s.ctid = t.place
    returning t.*
  ), noted as (${insertFrom('accepted')})
  select business_id, send_id as id from accepted`);

/** When messages were last submitted to these numbers. Rows are locked in one order, since two lists may hold the same. */
export const noteSubmitted = statement<[submitted: string]>(`
  with submitted as materialized (
    select business_id, channel, number_hash, max(submitted_at) as submitted_at
    from json_populate_recordset(null::messaged_numbers, $1::json)
    group by business_id, channel, number_hash order by business_id, channel, number_hash
  ), locked as materialized (
    select s.* from submitted s cross join lateral (
      select from messaged_numbers
      where business_id = s.business_id and channel = s.channel and number_hash = s.number_hash for no key update) m
  )
  update messaged_numbers m set submitted_at = greatest(m.submitted_at, l.submitted_at)
  from locked l where m.business_id = l.business_id and m.channel = l.channel and m.number_hash = l.number_hash`);

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

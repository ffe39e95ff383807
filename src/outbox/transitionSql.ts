import { statement } from '../db/statement.ts';
import { writeEvents } from '../webhooks/eventsSql.ts';

/** Sends that are locked, as they now are. What a row leaves out is empty. */
const UPDATE = `update sends s set state = c.state, reason = c.reason, error_code = c.error_code, due_at = c.due_at, lease = c.lease,
      attempts = coalesce(c.attempts, 0), attempt_token = c.attempt_token, credits = coalesce(c.credits, 0),
      reserved = coalesce(c.reserved, false), charged = coalesce(c.charged, false), country = c.country,
      submitted_at = c.submitted_at, last_status_at = c.last_status_at, delivered_at = c.delivered_at, bounced_at = c.bounced_at,
      complained_at = c.complained_at
    from json_to_recordset($1::json) as c (business_id text, id text, state text, reason text, error_code text,
      due_at timestamptz, lease text, attempts smallint, attempt_token text, credits integer, reserved boolean,
      charged boolean, country text, submitted_at timestamptz, last_status_at timestamptz, delivered_at timestamptz,
      bounced_at timestamptz, complained_at timestamptz)
    where s.business_id = c.business_id and s.id = c.id`;

/** Changes that nobody is told of, as most are: what a statement could also do costs even where it does not. */
export const writeQuietChanges = statement<[sends: string]>(UPDATE);

/** Writes changed sends, what happened to their messages, and the events that tell of it. */
export const writeChanges = statement<
  [sends: string, messageEvents: string, events: string],
  { deliveries: number }
>(`
  with changed as (
    ${UPDATE}
  ), happened as (
    insert into message_events (business_id, id, message_id, send_id, type, detail, at)
    select business_id, id, message_id, send_id, type, detail, at
    from json_populate_recordset(null::message_events, $2::json)
  ), ${writeEvents('$3::jsonb')}
  select count(*)::int as deliveries from new_delivery`);

import { createHash } from 'node:crypto';
import { pushExamples } from '../../src/api/operations/examples.ts';
import type { SAMPLE_PUSH } from '../load/requests.ts';

/**
 * The rows of one push in one statement, without a rule: it finds or inserts the recipient, and inserts the message, the send
 * and the stored response. This is the least that a push has to write.
 */
export const ONE_PUSH = `
  with known as (
    select id from recipients where business_id = $1 and email = $2
  ), made as (
    insert into recipients (business_id, id, email, created_at)
    select $1, $3, $2, $4 where not exists (select from known)
    returning id
  ), message as (
    insert into messages (business_id, id, recipient_id, subject, body, kind, status, reference, order_status, created_at, updated_at)
    select $1, $3, p.id, $5, $6, 'one_off', 'active', $7, $8, $4, $4 from (select id from known union all select id from made) p
    returning recipient_id
  ), send as (
    insert into sends (business_id, id, message_id, recipient_id, channel, purpose, state, due_at, created_at)
    select $1, $9, $3, recipient_id, 'email', 'nudge', 'queued', $4, $4 from message
  )
  insert into idempotency_records (business_id, scope, key, fingerprint, status, response, recipient_id, created_at, expires_at)
  select $1, 'push', $10, $11, 201, $12, recipient_id, $4, $13 from message`;

/** A message with its sends, by primary key. */
export const ONE_MESSAGE = `
  select m.id, r.email as recipient_email, m.subject, m.body, m.kind, m.status, m.reference, m.order_status, m.scheduled_for,
    m.created_at, m.updated_at, m.opened_at, s.sends
  from messages m
  join recipients r on r.business_id = m.business_id and r.id = m.recipient_id
  cross join lateral (
    select coalesce(json_agg(json_build_object('id', s.id, 'channel', s.channel, 'state', s.state, 'reason', s.reason,
      'error_code', s.error_code, 'credits', s.credits, 'charged', s.charged, 'created_at', s.created_at,
      'submitted_at', s.submitted_at, 'last_status_at', s.last_status_at, 'delivered_at', s.delivered_at,
      'bounced_at', s.bounced_at, 'complained_at', s.complained_at)), '[]') as sends
    from sends s where s.business_id = m.business_id and s.message_id = m.id) s
  where m.business_id = $1 and m.id = $2`;

/** The rows of many pushes in one statement. */
export const MANY_PUSHES = `
  with item as materialized (
    select i.*, r.id as recipient_id from json_to_recordset($2::json)
      as i (id text, send_id text, email text, subject text, body text, reference text, order_status text, key text,
        fingerprint bytea, response text)
    join recipients r on r.business_id = $1 and r.email = i.email
  ), message as (
    insert into messages (business_id, id, recipient_id, subject, body, kind, status, reference, order_status, created_at, updated_at)
    select $1, id, recipient_id, subject, body, 'one_off', 'active', reference, order_status, $3, $3 from item
  ), send as (
    insert into sends (business_id, id, message_id, recipient_id, channel, purpose, state, due_at, created_at)
    select $1, send_id, id, recipient_id, 'email', 'nudge', 'queued', $3, $3 from item
  )
  insert into idempotency_records (business_id, scope, key, fingerprint, status, response, recipient_id, created_at, expires_at)
  select $1, 'push', key, fingerprint, 201, response, recipient_id, $3, $3::timestamptz + interval '1 day' from item`;

export type BarePush = { recipient_email: string } & Record<keyof typeof SAMPLE_PUSH, string>;

/** The response to a push that both baselines store: as long as ours, but constant. */
export const bareAnswer = (id: string, { body, ...asked }: BarePush, now: Date) => ({
  ...pushExamples.single.response,
  ...asked,
  id,
  created_at: now,
  updated_at: now,
});

export const bareFingerprint = (asked: object): Buffer =>
  createHash('sha256').update(JSON.stringify(asked)).digest();

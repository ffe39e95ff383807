import type { PaidChannel } from '../contract/channels.ts';
import { statementOfBusinesses, writesOfBusinesses } from '../db/perBusiness.ts';
import { statement, statementOnOnePostgres } from '../db/statement.ts';
import { addCounts, countRows, utcDay } from '../usage/sql.ts';
import { eventsIn, WRITE_EVENTS } from '../webhooks/deliveriesSql.ts';

/*
 * All SQL that writes `sends`. A send's columns depend on each other (state, due time, lease, reserved and charged credits),
 * so one file keeps them consistent; a test fails if another file writes the table.
 */

/* New sends. */

/** The sends of a group of pushes, as a JSON recordset. */
export const insertSends = (json: string, now: string): string =>
  `insert into sends (business_id, id, message_id, recipient_id, channel, purpose, state, reason, due_at, credits,
      reserved, country, escalate_minutes, fallback_of, deferred_from, created_at, last_status_at)
    select business_id, id, message_id, recipient_id, channel, purpose, state, reason, due_at, coalesce(credits, 0),
      coalesce(reserved, false), country, escalate_minutes, fallback_of, deferred_from, ${now}, last_status_at
    from json_populate_recordset(null::sends, ${json}::json)`;

/** The emails of a relation of pushes; a push without a `send_id` has none. */
export const insertEmailsOf = (pushes: string, now: string): string =>
  `insert into sends (business_id, id, message_id, recipient_id, channel, purpose, state, due_at, created_at)
    select business_id, send_id, id, recipient_id, 'email', 'nudge', 'queued', coalesce(due_at, ${now}), ${now}
    from ${pushes} where send_id is not null`;

const OF_NEW = `business_id, id, message_id, recipient_id, channel, purpose, state, due_at, credits, reserved, country,
    escalate_minutes, fallback_of, created_at`;

/**
 * Queues a send, given as the JSON of its row: a new one, or the held escalation on its channel, which keeps its id. A
 * unique index allows one waiting send per message and channel.
 */
export const queueSend = statement<[send: string]>(`
  insert into sends (${OF_NEW}) select ${OF_NEW} from json_populate_record(null::sends, $1::json)
  on conflict (business_id, id) do update set purpose = excluded.purpose, state = excluded.state, due_at = excluded.due_at,
    deferred_from = null, lease = null, credits = excluded.credits, reserved = excluded.reserved, country = excluded.country,
    escalate_minutes = excluded.escalate_minutes`);

/** The permit creates the link. */
export const queueNewLinkMail = statement<[businessId: string, id: string, recipientId: string, now: Date]>(`
  insert into sends (business_id, id, recipient_id, channel, purpose, state, due_at, created_at)
  values ($1, $2, $3, 'email', 'new_link', 'queued', $4, $4)`);

type AboutReply = [businessId: string, id: string, recipientId: string, replyId: string];

/** Queues service mail about a reply. Its credits are set aside already. */
export const queueServiceSend = statement<
  [
    ...AboutReply,
    channel: 'email' | 'whatsapp',
    purpose: 'reply_forward' | 'reply_ack',
    credits: number,
    now: Date,
  ]
>(`
  insert into sends (business_id, id, recipient_id, about, channel, purpose, state, credits, reserved, due_at, created_at)
  values ($1, $2, $3, $4, $5, $6, 'queued', $7, $7 > 0, $8, $8)`);

/** The acknowledgement of a reply that the business cannot pay for. */
export const insertUnpaidAcknowledgement = statement<[...AboutReply, credits: number, now: Date]>(`
  insert into sends (business_id, id, recipient_id, about, channel, purpose, state, reason, credits, last_status_at, created_at)
  values ($1, $2, $3, $4, 'whatsapp', 'reply_ack', 'skipped', 'insufficient_credit', $5, $6, $6)`);

/* Claims. */

/** Leases the sends in the claim's CTE `picked`. */
export const leasePicked = (lease: string, until: string): string =>
  `update sends s set lease = ${lease}, due_at = ${until}
    from picked p where s.ctid = p.locked`;

/** Releases claimed sends that have not been submitted. */
export const releaseSendClaims = statementOfBusinesses<
  [lease: string, businessIds: string[], ids: string[], now: Date]
>(
  ['same', 'businesses', 'parallel', 'same'],
  `
  update sends s set lease = null, due_at = $4
  from unnest($2::text[], $3::text[]) k (business_id, id)
  where s.business_id = k.business_id and s.id = k.id and s.lease = $1 and s.state in ('held', 'queued')`,
);

/* Transitions. */

/** Cancels waiting sends, given as a JSON recordset of keys and reasons. The caller returns their credits. */
export const cancelWaiting = (json: string, now: string): string =>
  `update sends s set state = 'cancelled', reason = c.reason, due_at = null, deferred_from = null, lease = null, reserved = false, charged = false,
      last_status_at = ${now}
    from json_populate_recordset(null::sends, ${json}::json) c
    where s.business_id = c.business_id and s.id = c.id and s.state in ('held', 'queued')`;

/** Writes the mutable columns of locked sends. A column that the JSON omits becomes null, 0 or false. */
const UPDATE = `update sends s set state = c.state, reason = c.reason, error_code = c.error_code, due_at = c.due_at,
      deferred_from = c.deferred_from, lease = c.lease,
      attempts = coalesce(c.attempts, 0), attempt_token = c.attempt_token, credits = coalesce(c.credits, 0),
      reserved = coalesce(c.reserved, false), charged = coalesce(c.charged, false), country = c.country,
      submitted_at = c.submitted_at, last_status_at = c.last_status_at, delivered_at = c.delivered_at, bounced_at = c.bounced_at,
      complained_at = c.complained_at
    from json_to_recordset($1::json) as c (business_id text, id text, state text, reason text, error_code text,
      due_at timestamptz, deferred_from timestamptz, lease text, attempts smallint, attempt_token text, credits integer, reserved boolean,
      charged boolean, country text, submitted_at timestamptz, last_status_at timestamptz, delivered_at timestamptz,
      bounced_at timestamptz, complained_at timestamptz)
    where s.business_id = c.business_id and s.id = c.id`;

/** Most transitions have no events, and the parts of a statement cost time even when they write no row. */
export const writeTransitionsOnly = statementOfBusinesses<[sends: string]>(['rows'], UPDATE);

export const writeTransitionsAndCounts = writesOfBusinesses<[sends: string, counts: string]>(
  ['rows', 'rows'],
  {
    writes: { changed: UPDATE, usage: addCounts('$2') },
  },
);

const ADD_HISTORY = `
    insert into message_events (business_id, id, message_id, send_id, type, detail, at)
    select business_id, id, message_id, send_id, type, detail, at
    from json_populate_recordset(null::message_events, $2::json)`;

/** Writes changed sends, the history of their messages, the merchants' events, and the usage. */
export const writeTransitions = writesOfBusinesses<
  [sends: string, messageEvents: string, events: string, counts: string]
>(['rows', 'rows', 'rows', 'rows'], {
  reads: { event: eventsIn('$3::jsonb') },
  writes: { changed: UPDATE, usage: addCounts('$4'), history: ADD_HISTORY, ...WRITE_EVENTS },
  counted: 'new_delivery',
});

/** Inserts one row per attempt when it ends. An attempt that was not counted is overwritten by the next one with its number. */
const insertFrom = (attempts: string): string => `
  insert into send_attempts (business_id, send_id, attempt, outcome, error_code, provider, provider_id, chosen_because, passed_over, started_at,
    ended_at)
  select business_id, send_id, attempt, outcome, error_code, provider, provider_id, chosen_because, passed_over, started_at, ended_at from ${attempts}
  on conflict (business_id, send_id, attempt) do update set outcome = excluded.outcome, error_code = excluded.error_code,
    provider = excluded.provider, provider_id = excluded.provider_id, chosen_because = excluded.chosen_because,
    passed_over = excluded.passed_over, started_at = excluded.started_at, ended_at = excluded.ended_at`;

export const insertAttempts = statement<[attempts: string]>(
  insertFrom('json_populate_recordset(null::send_attempts, $1::json)'),
);

/**
 * Records accepted emails whose message has no held sends: they have no event and change no other send, so nothing is read
 * first. Returns the sends it updated. The attempt's token guards them, as everywhere. The lock or `offset 0` forces one
 * index lookup per key. The update finds the locked row by its ctid; a row that another transaction changed meanwhile has
 * a new ctid, is not returned, and goes to `recordAttempts`. A cluster cannot do all of this in one statement; there all go to
 * `recordAttempts`.
 */
export const acceptEmails = statementOnOnePostgres<[attempts: string], { business_id: string; id: string }>(`
  with matched as materialized (
    select a.*, s.locked, s.message_id, s.submitted_at from json_to_recordset($1::json) as a (business_id text, send_id text, attempt_token text, attempt smallint,
      outcome text, error_code text, provider text, provider_id text, chosen_because text, passed_over jsonb, started_at timestamptz, ended_at timestamptz)
    cross join lateral (
      select message_id, submitted_at, ctid as locked from sends where business_id = a.business_id and id = a.send_id
        and attempt_token = a.attempt_token and state = 'submitting' and channel = 'email' for update) s
    where not exists (
      select from sends where business_id = a.business_id and message_id = s.message_id and state = 'held' offset 0)
  ), accepted as (
    update sends s set state = 'accepted', due_at = null, lease = null, attempt_token = null
    from matched m where s.ctid = m.locked
    returning m.*
  ), attempts as (${insertFrom('accepted')}), counted as (
    ${countRows('accepted where message_id is not null', utcDay('submitted_at'), 'email_sent')}
  )
  select business_id, send_id as id from accepted`);

/* Quiet hours. */

/**
 * Makes sends of a business due again when they were due before quiet hours deferred them, so that the permit or the deadline judges them
 * by the hours of now. A send that a worker has is judged by it. In the order of their ids, a part at a time: `last` is where it ended,
 * null at the end.
 */
export const endDeferrals = statement<
  [businessId: string, after: string, limit: number],
  { last: string | null }
>(`
  with deferred as materialized (
    select id from sends
    where business_id = $1 and id > $2 and (case when state = 'queued' then channel else '' end) in ('sms', 'whatsapp', '')
      and due_at is not null and deferred_from is not null and lease is null
    order by id limit $3 for update
  ), moved as (
    update sends s set due_at = s.deferred_from, deferred_from = null
    from deferred d where s.business_id = $1 and s.id = d.id
    returning s.id
  )
  select max(id) as last from moved`);

/* Erasure. */

export interface DeletedSends {
  paid: number;
  waiting: number;
  /** Reserved credits of waiting sends. */
  reserved: number;
  /** Sends that waited for a retry: their credits were already spent, and the provider did not accept them. */
  spent: { id: string; channel: PaidChannel; credits: number; country: string | null }[];
}

/** The third step of an erasure: the sends of the messages, and service mail. A later outcome or report finds no row. */
export const deleteSends = statement<[businessId: string, recipientId: string], DeletedSends>(`
  with message_sends as (
    delete from sends s using messages m
    where m.business_id = $1 and m.recipient_id = $2 and s.business_id = m.business_id and s.message_id = m.id
    returning s.id, s.channel, s.state, s.reserved, s.charged, s.credits, s.country
  ), service_sends as (
    delete from sends where business_id = $1 and recipient_id = $2 and message_id is null
    returning id, channel, state, reserved, charged, credits, country
  ), deleted as (
    select * from message_sends union all select * from service_sends
  ), deleted_attempts as (
    delete from send_attempts a using deleted where a.business_id = $1 and a.send_id = deleted.id
  )
  select count(*) filter (where channel <> 'email')::int as paid,
    count(*) filter (where state in ('held', 'queued'))::int as waiting,
    coalesce(sum(credits) filter (where reserved), 0)::int as reserved,
    coalesce(json_agg(json_build_object('id', id, 'channel', channel, 'credits', credits, 'country', country))
      filter (where state = 'queued' and charged), '[]') as spent
  from deleted`);

import type { Channel } from '../../contract/channels.ts';
import { statement } from '../../db/statement.ts';
import { CAPTURED_COLUMNS, type CapturedRow } from '../../sandbox/sql.ts';

/** Of the send; null once it is deleted. */
export interface CapturedState {
  state: string | null;
  reason: string | null;
}

export type LineRow = CapturedState &
  Pick<CapturedRow, 'id' | 'channel' | 'recipient' | 'subject' | 'text' | 'outcome' | 'at'>;

/** The lines of the page. `part` is any part of an address or number; empty: all. */
export const listLines = statement<
  [channel: string | null, part: string, before: string | null, limit: number],
  LineRow
>(`
  select m.id, m.channel, m.recipient, m.subject, left(m.text, 160) as text, m.outcome, m.at, s.state, s.reason
  from sandbox_messages m left join sends s on s.business_id = m.business_id and s.id = m.send_id
  where ($1::text is null or m.channel = $1) and ($2 = '' or position(lower($2) in lower(m.recipient)) > 0)
    and ($3::text is null or m.id < $3)
  order by m.id desc limit $4`);

export interface OpenedRow extends CapturedRow, CapturedState {
  recipient_id: string;
  business_name: string;
  /** The person's consent with this business; null once they are erased. */
  sms_status: string | null;
  sms_stopped_by: string | null;
  whatsapp_status: string | null;
  unsubscribed_at: Date | null;
  message_status: string | null;
  message_opened_at: Date | null;
  reference: string | null;
  /** How many the business has; without any it gets no events. */
  endpoints: number;
}

export const findOpened = statement<[id: string], OpenedRow>(`
  select ${CAPTURED_COLUMNS}, m.recipient_id, b.name as business_name, s.state, s.reason,
    r.sms_status, r.sms_stopped_by, r.whatsapp_status, r.unsubscribed_at,
    g.status as message_status, g.opened_at as message_opened_at, g.reference,
    (select count(*)::int from webhook_endpoints w where w.business_id = m.business_id and w.deleted_at is null) as endpoints
  from sandbox_messages m
  join businesses b on b.id = m.business_id
  left join sends s on s.business_id = m.business_id and s.id = m.send_id
  left join recipients r on r.business_id = m.business_id and r.id = m.recipient_id
  left join messages g on g.business_id = m.business_id and g.id = m.message_id
  where m.id = $1`);

/** For the frame that shows the mail. */
export const findHtml = statement<[id: string], { html: string | null }>(`
  select html from sandbox_messages where id = $1`);

/** The latest message with a link into an inbox. */
export const latestWithLink = statement<[linkStart: string], { text: string }>(`
  select text from sandbox_messages where position($1 in text) > 0 order by id desc limit 1`);

/** What was sent last about a message. */
export const findLatestAbout = statement<[businessId: string, messageId: string], { id: string }>(`
  select id from sandbox_messages where business_id = $1 and message_id = $2 order by id desc limit 1`);

export interface BubbleRow extends CapturedState {
  id: string;
  /** False: written by the person. */
  captured: boolean;
  text: string;
  outcome: string | null;
  at: Date;
}

/**
 * A number's conversation with one business on one channel, newest first. Inbound texts are not stored; a STOP or START shows
 * through its entry in the consent log.
 */
export const listBubbles = statement<
  [businessId: string, recipientId: string, channel: string, number: string, limit: number],
  BubbleRow
>(`
  select * from (
    (select m.id, true as captured, m.text, m.outcome, s.state, s.reason, m.at
      from sandbox_messages m left join sends s on s.business_id = m.business_id and s.id = m.send_id
      where m.business_id = $1 and m.recipient_id = $2 and m.channel = $3 and m.recipient = $4
      order by m.id desc limit $5)
    union all
    (select id, false, body, null, null, null, received_at from whatsapp_replies
      where $3 = 'whatsapp' and business_id = $1 and recipient_id = $2 order by id desc limit $5)
    union all
    (select id, false, case action when 'stopped' then 'STOP' else 'START' end, null, null, null, at from consent_log
      where $3 = 'sms' and business_id = $1 and recipient_id = $2 and channel = 'sms' and source = 'text'
        and action in ('stopped', 'started')
      order by id desc limit $5)
  ) as bubble
  order by at desc, id desc limit $5`);

export interface SendLineRow {
  id: string;
  channel: Channel;
  purpose: string;
  state: string;
  reason: string | null;
  error_code: string | null;
  attempts: number;
  credits: number;
  reserved: boolean;
  charged: boolean;
  due_at: Date | null;
  is_fallback: boolean;
  last_status_at: Date | null;
  complained_at: Date | null;
}

/** All sends of a message, in any state. */
export const listSends = statement<[businessId: string, messageId: string], SendLineRow>(`
  select id, channel, purpose, state, reason, error_code, attempts, credits, reserved, charged,
    case when lease is null and state in ('held', 'queued') then due_at end as due_at,
    fallback_of is not null as is_fallback, last_status_at, complained_at
  from sends where business_id = $1 and message_id = $2 order by id`);

export interface SandboxEventRow {
  id: string;
  type: string;
  occurred_at: Date;
  data: unknown;
}

export interface EventLineRow extends SandboxEventRow {
  deliveries: DeliveryLine[];
}

export interface DeliveryLine {
  url: string;
  state: 'pending' | 'delivered' | 'exhausted' | 'stopped';
  attempts: number;
  /** Of the last attempt. */
  status_code: number | null;
  error: string | null;
}

/** The events about a message, newest first, each with the state of its deliveries. */
export const listEventLines = statement<
  [businessId: string, recipientId: string, messageId: string, limit: number],
  EventLineRow
>(`
  select e.id, e.type, e.occurred_at, e.data, coalesce(d.deliveries, '[]') as deliveries
  from events e left join lateral (
    select json_agg(json_build_object('url', w.url, 'state', d.state, 'attempts', d.attempts,
      'status_code', a.status_code, 'error', a.error) order by w.id) as deliveries
    from webhook_deliveries d
    join webhook_endpoints w on w.business_id = d.business_id and w.id = d.endpoint_id
    left join webhook_attempts a on a.business_id = d.business_id and a.endpoint_id = d.endpoint_id
      and a.event_id = d.event_id and a.attempt = d.attempts
    where d.business_id = e.business_id and d.event_id = e.id) d on true
  where e.business_id = $1 and e.recipient_id = $2 and e.message_id = $3
  order by e.id desc limit $4`);

export interface LatestEventRow extends SandboxEventRow {
  business_name: string;
  /** The person's address; null if the event is about none, or they were erased. */
  whom: string | null;
}

/** The latest events of all businesses, newest first. */
export const listLatestEvents = statement<[limit: number], LatestEventRow>(`
  select e.id, e.type, e.occurred_at, e.data, b.name as business_name, e.data ->> 'recipient_email' as whom
  from (select * from events order by occurred_at desc limit $1) e join businesses b on b.id = e.business_id
  order by e.occurred_at desc, e.id desc`);

export interface UpcomingRow {
  kind: 'send' | 'delivery' | 'report';
  due_at: Date;
  /** The channel of a send or report, the type of an event. */
  what: string;
  /** The address or number, or the endpoint. */
  whom: string;
  attempts: number;
  escalates: boolean;
  is_fallback: boolean;
}

/** Work that is due later, soonest first; claimed rows are left out. */
export const listUpcoming = statement<[now: Date, limit: number], UpcomingRow>(`
  select * from (
    (select 'send' as kind, s.due_at, s.channel as what,
        case s.channel when 'email' then r.email else coalesce(r.phone, r.email) end as whom, s.attempts::int as attempts,
        s.escalate_minutes is not null as escalates, s.fallback_of is not null as is_fallback
      from sends s join recipients r on r.business_id = s.business_id and r.id = s.recipient_id
      where s.due_at > $1 and s.lease is null and s.state in ('held', 'queued')
      order by s.due_at limit $2)
    union all
    (select 'delivery', d.due_at, e.type, w.url, d.attempts::int, false, false
      from webhook_deliveries d
      join events e on e.business_id = d.business_id and e.id = d.event_id
      join webhook_endpoints w on w.business_id = d.business_id and w.id = d.endpoint_id
      where d.due_at > $1 and d.lease is null and d.state = 'pending'
      order by d.due_at limit $2)
    union all
    (select 'report', p.due_at, p.status, m.recipient, 0, false, false
      from sandbox_reports p join sandbox_messages m on m.provider_id = p.provider_id
      where p.due_at > $1
      order by p.due_at limit $2)
  ) as upcoming
  order by due_at limit $2`);

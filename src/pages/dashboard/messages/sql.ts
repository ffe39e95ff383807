import type { ConnectionKind } from '../../../connections/kinds/kind.ts';
import { statement } from '../../../db/statement.ts';

export const findRecipientById = statement<[businessId: string, id: string], { email: string }>(`
  select email from recipients where business_id = $1 and id = $2`);

export const anyMessage = statement<[businessId: string], { id: string }>(`
  select id from messages where business_id = $1 order by id limit 1`);

export const messageExists = statement<[businessId: string, id: string], { id: string }>(`
  select id from messages where business_id = $1 and id = $2`);

/** Who made or updated a message, with the names that they have now. */
export interface Pusher {
  actor: string;
  /** Null: the key is gone, or it was none. */
  key_name: string | null;
  /** While they belong to the shop. */
  member_email: string | null;
  is_operator: boolean;
  connection_name: string | null;
  connection_kind: ConnectionKind | null;
}

export const pushersOf = statement<[businessId: string, messageId: string], Pusher>(`
  select u.actor, k.name as key_name, m.email as member_email, coalesce(o.is_operator, false) as is_operator,
    c.name as connection_name, c.kind as connection_kind
  from (
    select pushed_by as actor from messages where business_id = $1 and id = $2 and pushed_by is not null
    union
    select detail from message_events
    where business_id = $1 and message_id = $2 and type = 'message.updated' and detail is not null) u
  left join lateral (
    select name from api_keys where business_id = $1 and u.actor = 'key:' || id
      and id = split_part(u.actor, ':', 2) offset 0) k on true
  left join lateral (
    select m.email from memberships s join members m on m.id = s.member_id
    where s.business_id = $1 and s.member_id = split_part(u.actor, ':', 2) and u.actor like 'member:%'
    offset 0) m on true
  left join lateral (
    select true as is_operator from members
    where id = split_part(u.actor, ':', 2) and u.actor like 'member:%' and operator_since is not null offset 0) o on true
  left join lateral (
    select name, kind from connections
    where business_id = $1 and id = split_part(u.actor, ':', 2) and u.actor like 'connection:%' offset 0) c on true`);

export interface EventOfMessage {
  id: string;
  type: string;
  occurred_at: Date;
  deliveries: {
    endpoint_id: string;
    url: string;
    /** The endpoint was deleted, so that there is no page of its deliveries any more. */
    deleted: boolean;
    state: 'pending' | 'delivered' | 'exhausted' | 'stopped';
    attempts: number;
  }[];
}

/**
 * The events about a message with their deliveries, oldest first. By the person's index: the message's own holds only events
 * that the feed has placed, and places none for a shop that never reads it.
 */
export const eventsOfMessage = statement<
  [businessId: string, messageId: string, limit: number],
  EventOfMessage
>(`
  select e.id, e.type, e.occurred_at, coalesce((
    select json_agg(json_build_object('endpoint_id', d.endpoint_id, 'url', w.url,
      'deleted', w.deleted_at is not null, 'state', d.state, 'attempts', d.attempts_logged)
      order by d.endpoint_id)
    from webhook_deliveries d join webhook_endpoints w on w.business_id = $1 and w.id = d.endpoint_id
    where d.business_id = $1 and d.event_id = e.id), '[]') as deliveries
  from events e
  where e.business_id = $1 and e.message_id = $2
    and e.recipient_id = (select recipient_id from messages where business_id = $1 and id = $2)
  order by e.id limit $3`);

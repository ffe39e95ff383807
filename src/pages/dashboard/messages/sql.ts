import { statement } from '../../../db/statement.ts';

export const findRecipientById = statement<[businessId: string, id: string], { email: string }>(`
  select email from recipients where business_id = $1 and id = $2`);

export const anyMessage = statement<[businessId: string], { id: string }>(`
  select id from messages where business_id = $1 order by id limit 1`);

export const messageExists = statement<[businessId: string, id: string], { id: string }>(`
  select id from messages where business_id = $1 and id = $2`);

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

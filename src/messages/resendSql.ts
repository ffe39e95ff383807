import { statement } from '../db/statement.ts';

/**
 * Queues a send, given as the JSON of its row: a new one, or the one that was armed on its channel, which then keeps
 * its id. The unique index admits one waiting send a message and channel, whoever else tries.
 */
export const queueSend = statement<[send: string]>(`
  insert into sends (business_id, id, message_id, recipient_id, channel, purpose, state, due_at, credits, reserved,
    country, escalate_minutes, fallback_of, created_at)
  select business_id, id, message_id, recipient_id, channel, purpose, state, due_at, credits, reserved,
    country, escalate_minutes, fallback_of, created_at
  from json_populate_record(null::sends, $1::json)
  on conflict (business_id, id) do update set purpose = excluded.purpose, state = excluded.state, due_at = excluded.due_at,
    lease = null, credits = excluded.credits, reserved = excluded.reserved, country = excluded.country,
    escalate_minutes = excluded.escalate_minutes`);
